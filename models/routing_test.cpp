#include "models/routing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "harness/error.hpp"

namespace models {
namespace {

constexpr RoutingShape ladder{60, 4, 3, 20'000};

/// Share of a token's experts that the token before visited in the same layer.
double repeat_ratio(const RoutingTrace& trace) {
  const RoutingShape& shape = trace.shape();
  int64_t repeats = 0, all = 0;
  for (int token = 1; token < shape.tokens; ++token) {
    for (int layer = 0; layer < shape.layers; ++layer) {
      const auto before = trace.at(token - 1, layer), now = trace.at(token, layer);
      for (const uint16_t expert : now) repeats += std::count(before.begin(), before.end(), expert);
      all += shape.top_k;
    }
  }
  return static_cast<double>(repeats) / static_cast<double>(all);
}

/// How often each expert of a layer is visited, per token, most visited first.
std::vector<double> visits(const RoutingTrace& trace, int layer) {
  std::vector<double> count(static_cast<size_t>(trace.shape().experts));
  for (int token = 0; token < trace.shape().tokens; ++token) {
    for (const uint16_t expert : trace.at(token, layer)) count[expert] += 1.0 / trace.shape().tokens;
  }
  std::sort(count.rbegin(), count.rend());
  return count;
}

TEST(routing, uniform_visits_every_expert_as_often_and_repeats_k_of_e) {
  const RoutingTrace trace = make_trace(parse_routing("uniform"), ladder, 1);
  for (const double share : visits(trace, 1)) EXPECT_NEAR(share, 4.0 / 60, 0.008);
  EXPECT_NEAR(repeat_ratio(trace), 4.0 / 60, 0.003);
}

TEST(routing, sticky_repeats_rho_and_what_chance_adds) {
  for (const double rho : {0.0, 0.45, 0.9, 1.0}) {
    const RoutingTrace trace = make_trace({Routing::Kind::sticky, rho, ""}, ladder, 1);
    // A choice that is given up may be drawn again. The j of 4 that are redrawn come from the 60 − (4 − j)
    // experts not kept, of which j were there before: each is a repeat with probability j / (56 + j).
    double chance = 0;
    for (int j = 1; j <= 4; ++j) {
      const double ways = j == 1 || j == 3 ? 4 : j == 2 ? 6 : 1;
      chance += ways * std::pow(1 - rho, j) * std::pow(rho, 4 - j) * (j / 4.0) * j / (56.0 + j);
    }
    EXPECT_NEAR(repeat_ratio(trace), rho + chance, 0.006) << rho;
  }
}

TEST(routing, zipf_of_one_choice_visits_ranks_by_their_weights) {
  const RoutingShape shape{60, 1, 1, 200'000};
  const std::vector<double> shares = visits(make_trace(parse_routing("zipf:1.2"), shape, 1), 0);
  double sum = 0;
  for (int rank = 1; rank <= 60; ++rank) sum += std::pow(rank, -1.2);
  for (const int rank : {1, 2, 3, 10, 40})
    EXPECT_NEAR(shares[static_cast<size_t>(rank - 1)], std::pow(rank, -1.2) / sum, 0.004) << rank;
}

TEST(routing, zipf_favours_other_experts_in_each_layer) {
  const RoutingTrace trace = make_trace(parse_routing("zipf:2"), {60, 1, 8, 500}, 1);
  std::set<uint16_t> favourites;
  for (int layer = 0; layer < 8; ++layer) {
    std::map<uint16_t, int> count;
    for (int token = 0; token < 500; ++token) ++count[trace.at(token, layer)[0]];
    favourites.insert(std::max_element(count.begin(), count.end(), [](auto& a, auto& b) {
                        return a.second < b.second;
                      })->first);
  }
  EXPECT_GE(favourites.size(), 5u);
}

TEST(routing, every_choice_is_ascending_without_repeats_even_of_all_experts) {
  for (const char* name : {"uniform", "zipf:3", "sticky:0.5"}) {
    const RoutingTrace trace = make_trace(parse_routing(name), {5, 5, 2, 50}, 3);
    const auto choice = trace.at(49, 1);
    EXPECT_EQ(std::vector<uint16_t>(choice.begin(), choice.end()), (std::vector<uint16_t>{0, 1, 2, 3, 4}))
        << name;
  }
}

// Drawing again until the last expert comes would take 10^10 draws for zipf:10, 10^9 for all of 20,000.
TEST(routing, what_is_hardly_ever_drawn_is_chosen_in_time_when_all_are_to_be) {
  const RoutingTrace rare = make_trace(parse_routing("zipf:10"), {60, 59, 4, 200}, 1);
  EXPECT_EQ(rare.at(199, 3).size(), 59u);
  const RoutingTrace many = make_trace(parse_routing("uniform"), {20'000, 20'000, 1, 4}, 1);
  EXPECT_EQ(many.at(3, 0)[19'999], 19'999);
}

TEST(routing, choosing_without_putting_back_keeps_the_odds_of_those_left) {
  // zipf:10 of three: the first almost always, then the second against the third as 3^10 to 2^10.
  const RoutingTrace trace = make_trace(parse_routing("zipf:10"), {3, 2, 1, 60'000}, 1);
  std::map<uint16_t, int> left_out;
  for (int token = 0; token < 60'000; ++token)
    ++left_out[static_cast<uint16_t>(3 - trace.at(token, 0)[0] - trace.at(token, 0)[1])];
  std::vector<int> counts;
  for (const auto& [expert, count] : left_out) counts.push_back(count);
  std::sort(counts.rbegin(), counts.rend());
  const double third = 1 - std::pow(2.0 / 3, 10) / (1 + std::pow(2.0 / 3, 10));
  EXPECT_NEAR(counts.at(0) / 60'000.0, third, 0.003);
}

// These ids were drawn before anything was drawn without putting back: published traces stay what they are.
TEST(routing, the_traces_of_the_protocol_have_not_changed) {
  const auto head = [](const char* name) {
    const RoutingTrace trace = make_trace(parse_routing(name), {60, 4, 8, 128}, 1);
    return std::vector<uint16_t>(trace.at(127, 7).begin(), trace.at(127, 7).end());
  };
  EXPECT_EQ(head("uniform"), (std::vector<uint16_t>{17, 35, 45, 57}));
  EXPECT_EQ(head("sticky:0.45"), (std::vector<uint16_t>{6, 31, 33, 47}));
  EXPECT_EQ(head("zipf:1.1"), (std::vector<uint16_t>{8, 32, 39, 57}));
}

TEST(routing, a_seed_gives_the_same_trace_and_another_seed_another) {
  const auto ids = [](uint64_t seed) {
    const RoutingTrace trace = make_trace(parse_routing("sticky:0.45"), {60, 4, 8, 10}, seed);
    std::vector<uint16_t> all;
    for (int layer = 0; layer < 8; ++layer)
      all.insert(all.end(), trace.at(9, layer).begin(), trace.at(9, layer).end());
    return all;
  };
  EXPECT_EQ(ids(1), ids(1));
  EXPECT_NE(ids(1), ids(2));
}

harness::ExitCode refusal(const std::function<void()>& work, const std::string& says) {
  try {
    work();
  } catch (const harness::Error& error) {
    EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    return error.code();
  }
  ADD_FAILURE() << "accepted; expected: " << says;
  return harness::ExitCode::ok;
}

TEST(routing, a_name_that_is_none_is_a_usage_error) {
  for (const char* text : {"", "unifrom", "zipf", "zipf:", "zipf:x", "zipf:-1", "zipf:nan", "sticky:1.1",
                           "sticky:-0.1", "sticky:0.4x", "file:", "uniform:2"})
    EXPECT_EQ(refusal([&] { parse_routing(text); }, "routing"), harness::ExitCode::usage) << text;
  EXPECT_EQ(parse_routing("file:a:b").path, "a:b");
  EXPECT_EQ(refusal([] { make_trace(parse_routing("none"), ladder, 1); }, "router"),
            harness::ExitCode::usage);
}

class RoutingFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  RoutingTrace read(const std::string& text) {
    std::ofstream(path_) << text;
    return read_trace(path_, {8, 2, 2, 2});
  }
  std::string path_ = testing::TempDir() + "/routing_test.txt";
};

TEST_F(RoutingFile, lines_are_tokens_then_layers) {
  const RoutingTrace trace = read("# two layers\n1 0\n\n 2 3\r\n4 5\n7 6\n1 1 1 unread\n");
  EXPECT_EQ(trace.at(0, 0)[0], 0);
  EXPECT_EQ(trace.at(0, 1)[1], 3);
  EXPECT_EQ(trace.at(1, 1)[0], 6);
}

TEST_F(RoutingFile, a_wrong_id_a_wrong_k_and_too_few_tokens_are_refused_with_their_line) {
  const auto refused = [&](const std::string& text, const std::string& says) {
    EXPECT_EQ(refusal([&] { read(text); }, says), harness::ExitCode::invalid_input) << text;
  };
  refused("0 1\n2 8\n", ":2: '8' is no expert; give ids from 0 to 7");
  refused("0 -1\n", "'-1' is no expert");
  refused("0 1.5\n", "'1.5' is no expert");
  refused("0 1\n\n0 1 2\n", ":3: 3 experts, but each token visits 2");
  refused("0\n", "1 experts, but");
  refused("3 3\n", "expert 3 stands twice");
  refused("0 1\n0 1\n0 1\n", "3 lines of experts; 2 tokens in 2 layers need 4");
  refused("", "0 lines");
  EXPECT_EQ(refusal([] { read_trace("/nowhere/trace", ladder); }, "cannot be read"),
            harness::ExitCode::invalid_input);
}

TEST(routing, a_shape_that_cannot_be_routed_is_refused) {
  for (const RoutingShape& shape :
       {RoutingShape{4, 5, 1, 1}, {4, 0, 1, 1}, {4, 1, 0, 1}, {4, 1, 1, 0}, {70'000, 1, 1, 1}})
    EXPECT_EQ(refusal([&] { make_trace(parse_routing("uniform"), shape, 1); }, "cannot be drawn"),
              harness::ExitCode::invalid_input);
  EXPECT_EQ(refusal(
                [] {
                  RoutingTrace({8, 2, 1, 1}, {3, 3});
                },
                "not those"),
            harness::ExitCode::invalid_input);
  EXPECT_EQ(refusal(
                [] {
                  RoutingTrace({8, 2, 1, 1}, {3, 9});
                },
                "not those"),
            harness::ExitCode::invalid_input);
  EXPECT_EQ(refusal([] { RoutingTrace({8, 2, 1, 1}, {3}); }, "not those"), harness::ExitCode::invalid_input);
}

TEST(routing_text, is_canonical_and_names_a_file_by_its_content) {
  for (const char* text : {"none", "uniform", "zipf:1.1", "sticky:0.45", "sticky:1"})
    EXPECT_EQ(routing_text(parse_routing(text)), text);
  EXPECT_EQ(routing_text(parse_routing("sticky:0.450")), "sticky:0.45");
  EXPECT_EQ(routing_text(parse_routing("zipf:2e-2")), "zipf:0.02");
  EXPECT_THROW(routing_text(parse_routing("file:/no/such/file")), harness::Error);
}

}  // namespace
}  // namespace models
