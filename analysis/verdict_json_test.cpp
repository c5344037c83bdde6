#include "analysis/verdict_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/test_claim.hpp"

namespace analysis {
namespace {

using nlohmann::json;

const std::string seal(64, 'a');

/// A verdict over one machine with one part and one control.
ClaimVerdict made_verdict() {
  PartVerdict part;
  part.name = "gain";
  part.verdict = "supported";
  part.region.low = 2;
  part.values = {2.2, 2.3};
  part.interval = part.sign = part.bootstrap = {2.25, 2.2, 2.3};
  MachineVerdict machine;
  machine.cpu_model = "Example CPU";
  machine.verdict = "supported";
  machine.parts = {part};
  machine.controls = {{"aa/warm", {1, 0.99, 1.01}, true}};
  machine.replications = {{std::string(64, '3'), {{2.1, 2, 2.2}}, {std::nullopt}}};
  ClaimVerdict verdict;
  verdict.verdict = "supported";
  verdict.machines = {machine};
  return verdict;
}

json text_of(const ClaimVerdict& verdict) {
  return json::parse(verdict_json(test_claim(), seal, verdict));
}

std::string fault_of(const json& text) {
  return fault_of_verdict(text.dump(), "residency_pays", seal);
}

TEST(verdict_json, what_it_writes_it_takes_back) {
  EXPECT_EQ(fault_of(text_of(made_verdict())), "");
}

TEST(verdict_json, a_comparison_that_was_not_computed_is_null_and_no_p_of_1) {
  EXPECT_TRUE(
      text_of(made_verdict()).at("machines")[0].at("replications")[0].at("mann_whitney_p")[0].is_null());
}

TEST(verdict_json, what_was_recorded_before_is_told) {
  ClaimVerdict verdict = made_verdict();
  EXPECT_FALSE(text_of(verdict).contains("earlier"));
  verdict.earlier = {{std::string(64, 'b'), "falsified", false}};
  const json earlier = text_of(verdict).at("earlier")[0];
  EXPECT_EQ(earlier.at("verdict"), "falsified");
  EXPECT_EQ(earlier.at("seal"), std::string(64, 'b'));
}

TEST(verdict_json, every_member_that_a_board_reads_must_be_there_and_of_its_kind) {
  const json good = text_of(made_verdict());
  const std::vector<std::string> pointers{"/verdict",
                                          "/unproven",
                                          "/claim",
                                          "/seal",
                                          "/machines",
                                          "/machines/0/verdict",
                                          "/machines/0/parts",
                                          "/machines/0/unproven",
                                          "/machines/0/cpu_model",
                                          "/machines/0/controls",
                                          "/machines/0/controls/0/holds",
                                          "/machines/0/parts/0/name",
                                          "/machines/0/parts/0/region",
                                          "/machines/0/parts/0/launches",
                                          "/machines/0/parts/0/missing",
                                          "/machines/0/parts/0/interval",
                                          "/machines/0/parts/0/interval/low"};
  for (const std::string& pointer : pointers) {
    json odd = good;
    odd[json::json_pointer(pointer)] = json::array({1});
    EXPECT_NE(fault_of(odd), "") << pointer;
    json lacks = good;
    const json::json_pointer at(pointer);
    lacks[at.parent_pointer()].erase(at.back());
    EXPECT_NE(fault_of(lacks), "") << pointer;
  }
}

TEST(verdict_json, other_words_other_claims_and_empty_machines_are_faults) {
  json text = text_of(made_verdict());
  text["verdict"] = "splendid";
  EXPECT_NE(fault_of(text), "");
  text = text_of(made_verdict());
  text["machines"] = json::array({json::object()});
  EXPECT_NE(fault_of(text), "");
  text["machines"] = json::array();
  EXPECT_NE(fault_of(text), "");
  EXPECT_NE(fault_of_verdict(text_of(made_verdict()).dump(), "another", seal), "");
  EXPECT_NE(fault_of_verdict(text_of(made_verdict()).dump(), "residency_pays", std::string(64, 'c')), "");
  EXPECT_NE(fault_of_verdict("[[[[", "residency_pays", seal), "");
}

}  // namespace
}  // namespace analysis
