#include "analysis/claim_quantity.hpp"

#include <gtest/gtest.h>

#include "analysis/test_claim.hpp"
#include "harness/error.hpp"

namespace analysis {
namespace {

std::string refusal(const std::function<void()>& step) {
  try {
    step();
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::invalid_input);
    return error.what();
  }
  return "";
}

std::string parse_refusal(const std::string& text) {
  return refusal([&] { parse_quantity(text); });
}

TEST(claim_quantity, terms_and_ratios_are_read_with_their_keys) {
  const Quantity q = parse_quantity(
      "ratio( tokens_per_s[mode=warm, positions=65:192] ,ratio(read_bytes_per_s[level=l3],load_latency_ns))");
  EXPECT_EQ(q.name, "ratio");
  ASSERT_EQ(q.operands.size(), 2u);
  EXPECT_EQ(q.operands[0].keys.at("mode"), "warm");
  EXPECT_EQ(q.operands[0].keys.at("positions"), "65:192");
  EXPECT_EQ(q.operands[1].operands[0].keys.at("level"), "l3");
  EXPECT_EQ(terms_of(q).size(), 3u);
}

TEST(claim_quantity, what_is_no_quantity_is_refused_with_its_place) {
  EXPECT_NE(parse_refusal("ratio(tokens_per_s").find("expected ',' at character 19"), std::string::npos);
  EXPECT_NE(parse_refusal("tokens_per_s[mode=warm] + 1").find("nothing more"), std::string::npos);
  EXPECT_NE(parse_refusal("tokens_per_s[mode]").find("'='"), std::string::npos);
  EXPECT_NE(parse_refusal("tokens_per_s[mode=warm, mode=spin]").find("twice"), std::string::npos);
  EXPECT_NE(parse_refusal("").find("a name"), std::string::npos);
  std::string deep = "tokens_per_s";
  for (int i = 0; i < 20; ++i) deep.insert(0, "ratio(").append(", tokens_per_s)");
  EXPECT_NE(parse_refusal(deep).find("fewer ratios"), std::string::npos);
}

std::string term_refusal(const std::string& text, const Claim& claim = test_claim()) {
  const Quantity quantity = parse_quantity(text);
  return refusal([&] { check_term(quantity, claim); });
}

TEST(claim_quantity, a_decode_term_means_exactly_one_plan_and_an_arm_of_it) {
  EXPECT_EQ(term_refusal("tokens_per_s[mode=warm]"), "");
  EXPECT_EQ(term_refusal("weight_bytes_per_s[mode=evict_flush, model=coreflow_1_9m, threads=1]"), "");
  EXPECT_NE(term_refusal("tokens_per_s[mode=spin]").find("no arm spin"), std::string::npos);
  EXPECT_NE(term_refusal("tokens_per_s[mode=aa]").find("no arm aa"), std::string::npos);
  EXPECT_NE(term_refusal("tokens_per_s").find("lacks mode="), std::string::npos);
  EXPECT_NE(term_refusal("tokens_per_s[mode=warm, threads=2]").find("means 0"), std::string::npos);
  EXPECT_NE(term_refusal("tokens_per_s[mode=warm, colour=red]").find("no key"), std::string::npos);
  const Claim two = test_claim([](auto& text) {
    text["plans"].push_back(text["plans"][0]);
    text["plans"][1]["name"] = "other";
    text["plans"][1]["threads"] = 0;
  });
  EXPECT_NE(term_refusal("tokens_per_s[mode=warm]", two).find("means 2"), std::string::npos);
  EXPECT_EQ(term_refusal("tokens_per_s[mode=warm, threads=all]", two), "");
  EXPECT_EQ(plan_of_term(parse_quantity("tokens_per_s[mode=warm, plan=other]"), two), 1u);
}

TEST(claim_quantity, terms_need_the_data_that_the_claim_takes) {
  EXPECT_NE(term_refusal("read_bytes_per_s[level=dram]").find("dram_stream"), std::string::npos);
  const Claim probing = test_claim([](auto& text) {
    text["probes"] = {"dram_stream"};
    text["fidelity"] = {"coreflow_1_9m"};
  });
  EXPECT_EQ(term_refusal("read_bytes_per_s[level=dram]", probing), "");
  EXPECT_NE(term_refusal("read_bytes_per_s[level=l3]", probing).find("load_bandwidth"), std::string::npos);
  EXPECT_NE(term_refusal("read_bytes_per_s[level=l9]", probing).find("none of"), std::string::npos);
  EXPECT_EQ(term_refusal("fidelity[model=coreflow_1_9m, figure=clear_match_ratio]", probing), "");
  EXPECT_NE(term_refusal("fidelity[model=coreflow_1_9m, figure=taste]", probing).find("none of"),
            std::string::npos);
  EXPECT_EQ(term_refusal("cpu_share[level=l3, bytes=100]"), "");
  EXPECT_NE(term_refusal("cpu_share[level=l3, bytes=1e9]").find("whole number"), std::string::npos);
  EXPECT_NE(term_refusal("beauty[mode=warm]").find("no quantity"), std::string::npos);
}

TEST(claim_quantity, positions_are_first_and_last) {
  EXPECT_EQ(positions_of("65:192").last, 192);
  for (const char* wrong : {"65", "65:", ":9", "9:5", "a:b", "1:2:3", "-1:3"})
    EXPECT_NE(refusal([&] { positions_of(wrong); }), "") << wrong;
}

}  // namespace
}  // namespace analysis
