// Claims that cannot lose or cannot be supported in less obvious ways.
#include <gtest/gtest.h>

#include "analysis/claim_check.hpp"
#include "analysis/claim_terms.hpp"
#include "analysis/test_claim.hpp"

namespace analysis {
namespace {

using nlohmann::json;

/// The refusals of the good claim with one change.
std::vector<std::string> refusals(const std::function<void(json&)>& change) {
  return check_claim(test_claim(change)).refusals;
}

bool refused(const std::function<void(json&)>& change, const std::string& why) {
  for (const std::string& refusal : refusals(change)) {
    if (refusal.find(why) != std::string::npos) return true;
  }
  return false;
}

TEST(claim_check_losing, a_support_that_no_machine_reaches_is_a_wish) {
  const auto slow = [](double low, double support) {
    return [low, support](json& c) {
      c["parts"][0].update({{"quantity", "tokens_per_s[mode=warm]"},
                            {"region", {{"low", low}}},
                            {"support", {{"low", support}, {"high", 1e9}}},
                            {"true_value", 1000},
                            {"false_value", support * 10}});
    };
  };
  EXPECT_TRUE(refused(slow(0.001, 1e-9), "cannot lose: no value of the support 1 … 1e+07"));
  EXPECT_FALSE(refused(slow(100, 1), "cannot lose"));
  EXPECT_TRUE(refused(
      [](json& c) {
        c["parts"][0].update({{"region", {{"low", 1e-6}}}, {"support", {{"low", 1e-9}, {"high", 10}}}});
      },
      "cannot lose"));
}

/// Two plans of the good claim, the second under another name and changed, compared.
std::function<void(json&)> twins(const std::function<void(json&)>& change, const std::string& arm = "warm") {
  return [change, arm](json& c) {
    c["plans"].push_back(c["plans"][0]);
    c["plans"][1]["name"] = "again";
    change(c["plans"][1]);
    c["parts"][0]["quantity"] =
        "ratio(tokens_per_s[plan=main, mode=" + arm + "], tokens_per_s[plan=again, mode=" + arm + "])";
  };
}

TEST(claim_check_losing, two_names_of_one_plan_cannot_differ) {
  const char* why = "its terms cancel";
  EXPECT_TRUE(refused(twins([](json&) {}), why));
  EXPECT_TRUE(
      refused(twins([](json& plan) { plan["placement"] = "same_llc"; }), why));  // warm has no neighbour
  const Positions usual = timed_positions(test_claim().plans[0]).value();
  const std::string spelt_out = std::to_string(usual.first) + ":" + std::to_string(usual.last);
  EXPECT_TRUE(refused(twins([&](json& plan) { plan["positions"] = spelt_out; }), why));
  EXPECT_TRUE(refused(twins([](json& plan) { plan["threads"] = 1; }), why));
  EXPECT_FALSE(refused(twins([](json& plan) { plan["placement"] = "same_llc"; }, "evict_read"), why));
  EXPECT_FALSE(refused(twins([](json& plan) { plan["threads"] = 2; }), why));
  EXPECT_FALSE(refused(twins([](json& plan) { plan["positions"] = "0:511"; }), why));
  EXPECT_FALSE(refused(twins([](json& plan) { plan["pages"] = "huge"; }), why));
}

TEST(claim_check_losing, parts_that_contradict_each_other_are_refused) {
  const auto second = [](const char* quantity, double low, double high) {
    return [quantity, low, high](json& c) {
      c["parts"].push_back(c["parts"][0]);
      c["parts"][1].update(
          {{"name", "other"}, {"quantity", quantity}, {"region", {{"low", low}, {"high", high}}}});
    };
  };
  const char* why = "cannot be supported together with part gain";
  // The first says at least 2.
  EXPECT_TRUE(refused(
      second("ratio(tokens_per_s[mode=warm,plan=main], tokens_per_s[mode=evict_flush])", 0.6, 1.9), why));
  EXPECT_TRUE(
      refused(second("ratio(tokens_per_s[mode=evict_flush], tokens_per_s[mode=warm])", 0.6, 0.9), why));
  EXPECT_FALSE(
      refused(second("ratio(tokens_per_s[mode=evict_flush], tokens_per_s[mode=warm])", 0.2, 0.9), why));
  EXPECT_FALSE(
      refused(second("ratio(tokens_per_s[mode=warm], tokens_per_s[mode=evict_read])", 0.6, 0.9), why));
}

TEST(claim_check_losing, what_no_part_is_about_is_not_taken) {
  EXPECT_TRUE(
      refused([](json& c) { c["probes"] = {"load_latency"}; }, "probes: no part is about load_latency"));
  EXPECT_TRUE(refused([](json& c) { c["fidelity"] = {"coreflow_1_9m"}; },
                      "fidelity: no part is about coreflow_1_9m"));
  const auto with_dram = [](json& c) {
    c["probes"] = {"dram_stream"};
    c["parts"].push_back(c["parts"][0]);
    c["parts"][1].update({{"name", "dram"}, {"quantity", "read_bytes_per_s[level=dram]"}});
  };
  EXPECT_FALSE(refused(with_dram, "no part is about"));
}

TEST(claim_check_losing, a_census_is_not_given_what_it_ignores) {
  const auto census = [](const std::function<void(json&)>& change) {
    return [change](json& c) {
      c.erase("plans");
      c["test"] = "exact";
      c["parts"][0]["quantity"] = "cpu_share[level=l3, bytes=1]";
      c["population"] = c["exclusions"] = json::array();
      c["launches"] = 1;
      change(c);
    };
  };
  EXPECT_FALSE(refused(census([](json&) {}), "a census"));
  EXPECT_TRUE(
      refused(census([](json& c) { c["population"] = {"cores >= 2"}; }), "a census takes no machine"));
  EXPECT_TRUE(refused(census([](json& c) { c["exclusions"] = {"load1 > 2"}; }), "a census has no run"));
  EXPECT_TRUE(refused(census([](json& c) { c["launches"] = 5; }), "a census is counted once"));
}

TEST(claim_check_losing, an_exact_claim_says_how_it_is_decided_and_states_no_power) {
  const ClaimCheck check = check_claim(test_claim([](json& c) {
    c.erase("plans");
    c["test"] = "exact";
    c["fidelity"] = {"coreflow_1_9m"};
    c["parts"][0].update(
        {{"quantity", "fidelity[model=coreflow_1_9m, figure=rms_difference_sigmas]"}, {"spread", 0}});
  }));
  ASSERT_EQ(check.sums.size(), 1u);
  EXPECT_NE(check.sums[0].find("falsified when one lies outside"), std::string::npos);
  EXPECT_EQ(check.sums[0].find("with probability"), std::string::npos);
}

}  // namespace
}  // namespace analysis
