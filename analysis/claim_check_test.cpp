#include "analysis/claim_check.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "analysis/test_claim.hpp"
#include "harness/error.hpp"

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

TEST(claim_check, a_claim_that_can_lose_and_has_power_may_be_sealed_and_shows_its_sums) {
  const ClaimCheck check = check_claim(test_claim());
  EXPECT_EQ(check.refusals, std::vector<std::string>{});
  ASSERT_EQ(check.sums.size(), 1u);
  EXPECT_NE(check.sums[0].find("10 launches of spread 0.04"), std::string::npos);
}

TEST(claim_check, what_cannot_lose_is_refused_with_the_sum) {
  EXPECT_TRUE(refused([](json& c) { c["parts"][0]["support"]["low"] = 2.0; }, "cannot lose"));
  EXPECT_TRUE(refused([](json& c) { c["parts"][0]["support"]["low"] = 1.99; }, "cannot lose"));
  EXPECT_TRUE(refused([](json& c) { c["parts"][0]["region"] = json::object(); }, "cannot lose"));
  EXPECT_TRUE(refused([](json& c) { c["parts"][0]["support"]["high"] = 2.02; }, "cannot be supported"));
  EXPECT_TRUE(refused([](json& c) { c["parts"][0]["region"]["high"] = 2.01; }, "cannot be supported"));
  EXPECT_TRUE(refused([](json& c) { c["parts"][0]["region"]["high"] = 1.5; }, "ends before it begins"));
}

TEST(claim_check, what_lacks_power_is_refused_with_the_sum) {
  EXPECT_TRUE(refused([](json& c) { c["launches"] = 2; }, "underpowered"));
  EXPECT_TRUE(refused([](json& c) { c["parts"][0]["true_value"] = 2.01; }, "underpowered"));
  EXPECT_TRUE(refused([](json& c) { c["parts"][0]["false_value"] = 1.99; }, "underpowered"));
  EXPECT_TRUE(refused([](json& c) { c["parts"][0]["spread"] = 0.5; }, "underpowered"));
}

TEST(claim_check, several_parts_share_the_power) {
  // One part of power 0.93 is enough alone, two of them are not.
  const auto weak = [](json& c) { c["parts"][0]["true_value"] = 2.1; };
  EXPECT_EQ(refusals(weak), std::vector<std::string>{});
  EXPECT_TRUE(refused(
      [&](json& c) {
        weak(c);
        c["parts"].push_back(c["parts"][0]);
        c["parts"][1]["name"] = "again";
      },
      "all 2 parts"));
}

TEST(claim_check, effects_lie_where_they_are_said_to) {
  EXPECT_TRUE(refused([](json& c) { c["parts"][0]["true_value"] = 1.9; }, "true_value"));
  EXPECT_TRUE(refused([](json& c) { c["parts"][0]["false_value"] = 2.1; }, "false_value"));
  EXPECT_TRUE(refused([](json& c) { c["parts"][0]["false_value"] = 0.1; }, "false_value"));
}

TEST(claim_check, plans_models_and_digests_are_real) {
  EXPECT_TRUE(refused([](json& c) { c["plans"][0]["model"] = "coreflow_9t"; }, "no built-in model"));
  EXPECT_TRUE(refused([](json& c) { c["golden"].clear(); }, "golden: lacks"));
  EXPECT_TRUE(
      refused([](json& c) { c["golden"]["coreflow_1_9m"] = std::string(64, '0'); }, "this version computes"));
  EXPECT_TRUE(refused(
      [](json& c) {
        c["plans"][0]["arms"] = {"warm", "evict_flush"};
      },
      "needs the arms warm and aa"));
  EXPECT_TRUE(refused([](json& c) { c["plans"].push_back(c["plans"][0]); }, "twice"));
  EXPECT_TRUE(refused([](json& c) { c["plans"][0]["l3_share"] = 0.5; }, "l3_share"));
  EXPECT_TRUE(refused([](json& c) { c["plans"][0]["positions"] = "9:5"; }, "positions"));
  EXPECT_TRUE(refused([](json& c) { c["fidelity"] = {"coreflow_9t"}; }, "fidelity"));
  EXPECT_TRUE(refused([](json& c) { c["population"] = {"mood == good"}; }, "population"));
  EXPECT_TRUE(refused([](json& c) { c["exclusions"] = {"tokens_per_s < 3"}; }, "exclusions"));
  EXPECT_TRUE(refused([](json& c) { c["hypothesis"] = "<say it>"; }, "template"));
}

TEST(claim_check, exact_tests_are_for_what_does_not_scatter) {
  EXPECT_TRUE(refused([](json& c) { c["test"] = "exact"; }, "exact"));
  EXPECT_TRUE(refused([](json& c) { c["parts"][0]["spread"] = 0; }, "scatter"));
  EXPECT_TRUE(refused([](json& c) { c["parts"][0]["quantity"] = "cpu_share[level=l3, bytes=9]"; }, "exact"));
}

TEST(claim_check, the_schema_refuses_what_is_no_claim) {
  const auto thrown = [](const std::function<void(json&)>& change) {
    EXPECT_THROW(test_claim(change), harness::Error);
  };
  thrown([](json& c) { c.erase("parts"); });
  thrown([](json& c) { c["stop"] = "when it looks good"; });
  thrown([](json& c) { c["schema"] = "tokroof/submission/1"; });
  thrown([](json& c) { c["parts"][0]["region"]["low"] = -1; });
  thrown([](json& c) { c["mood"] = "good"; });
  EXPECT_THROW(claim_from_json("{"), harness::Error);
}

/// Every registered claim could be sealed by this version.
TEST(claim_check, the_registered_claims_can_lose_and_have_power) {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("analysis/claims")) {
    if (entry.path().extension() != ".json") continue;
    ++found;
    std::ifstream file(entry.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const Claim claim = claim_from_json(text);
    EXPECT_EQ(claim.id, entry.path().stem().string());
    EXPECT_EQ(check_claim(claim).refusals, std::vector<std::string>{}) << claim.id;
  }
  EXPECT_GE(found, 12);
}

TEST(claim_check, a_seal_names_the_meaning_not_the_spelling) {
  const std::string text = test_claim_json().dump();
  EXPECT_EQ(seal_of(text), seal_of(test_claim_json().dump(4)));
  std::string other = text;
  other[text.find("what fits is fast")] = 'W';
  EXPECT_NE(seal_of(text), seal_of(other));
}

}  // namespace
}  // namespace analysis
