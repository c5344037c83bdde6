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

void set_quantity(json& c, const std::string& quantity) {
  c["parts"][0]["quantity"] = quantity;
}

TEST(claim_check, ratios_whose_terms_cancel_cannot_lose) {
  const std::string warm = "tokens_per_s[mode=warm]", bytes = "weight_bytes_per_s[mode=warm]",
                    flush = "tokens_per_s[mode=evict_flush]",
                    whole = "tokens_per_s[mode=warm, positions=0:1023]",
                    half = "tokens_per_s[mode=warm, positions=65:512]";
  const auto cannot_lose = [](const std::string& quantity) {
    return refused([&](json& c) { set_quantity(c, quantity); }, "its terms cancel");
  };
  EXPECT_TRUE(cannot_lose("ratio(" + warm + ", " + warm + ")"));
  EXPECT_TRUE(cannot_lose("ratio(" + bytes + ", " + warm + ")"));
  EXPECT_TRUE(cannot_lose("ratio(" + whole + ", " + warm + ")"));
  EXPECT_TRUE(cannot_lose("ratio(ratio(" + warm + ", " + flush + "), ratio(" + warm + ", " + flush + "))"));
  EXPECT_FALSE(cannot_lose("ratio(ratio(" + warm + ", " + flush + "), ratio(" + flush + ", " + warm + "))"));
  EXPECT_FALSE(cannot_lose("ratio(" + half + ", " + warm + ")"));
  EXPECT_FALSE(cannot_lose("ratio(" + bytes + ", " + flush + ")"));
}

TEST(claim_check, shares_are_at_most_one_and_launches_scatter) {
  const auto exact = [](json& c, const std::string& quantity, double most) {
    c["parts"][0] = {{"name", "share"},
                     {"quantity", quantity},
                     {"region", {{"high", 1}}},
                     {"support", {{"low", 0.1}, {"high", most}}},
                     {"true_value", 0.9},
                     {"false_value", 2},
                     {"spread", 0}};
    c["test"] = "exact";
    c["fidelity"] = {"coreflow_1_9m"};
  };
  for (const char* share :
       {"cpu_share[level=l3, bytes=1]", "fidelity[model=coreflow_1_9m, figure=clear_match_ratio]"}) {
    EXPECT_TRUE(refused([&](json& c) { exact(c, share, 5); }, "a share is at most 1")) << share;
    EXPECT_TRUE(refused([&](json& c) { exact(c, share, 1); }, "cannot lose")) << share;
  }
  EXPECT_FALSE(
      refused([&](json& c) { exact(c, "fidelity[model=coreflow_1_9m, figure=rms_difference_sigmas]", 5); },
              "a share is at most 1"));
  EXPECT_TRUE(refused([](json& c) { c["parts"][0]["spread"] = 1e-9; }, "never scatter by less"));
}

TEST(claim_check, positions_hold_whole_blocks_of_what_is_timed) {
  const auto at = [](const std::string& positions) {
    return [=](json& c) {
      set_quantity(
          c, "ratio(tokens_per_s[mode=warm, positions=" + positions + "], tokens_per_s[mode=evict_flush])");
    };
  };
  EXPECT_TRUE(refused(at("5000:6000"), "no whole block"));
  EXPECT_TRUE(refused(at("70:80"), "no whole block"));
  EXPECT_FALSE(refused(at("65:96"), "no whole block"));
  EXPECT_TRUE(refused([](json& c) { c["plans"][0]["positions"] = "0:2000"; }, "end beyond 1023"));
  EXPECT_FALSE(refused([](json& c) { c["plans"][0]["positions"] = "0:1023"; }, "end beyond"));
}

TEST(claim_check, kernels_routings_digests_and_days_are_real) {
  const auto plan = [](const char* key, const char* value) {
    return [=](json& c) { c["plans"][0][key] = value; };
  };
  EXPECT_TRUE(refused(plan("isa", "avx9"), "isa avx9 is none of"));
  EXPECT_TRUE(refused(plan("routing", "sticky:9:9"), "sticky:9:9"));
  for (const char* routing : {"sticky:1.5", "sticky:0.450", "zipf:0", "file:trace.txt", "often"})
    EXPECT_TRUE(refused(plan("routing", routing), std::string("routing ") + routing)) << routing;
  EXPECT_TRUE(refused(plan("routing", "uniform"), "has no experts"));
  EXPECT_TRUE(
      refused([](json& c) { c["golden"]["other"] = std::string(64, '0'); }, "nothing that the claim"));
  EXPECT_TRUE(refused([](json& c) { c["due_utc"] = "2027-02-31T00:00:00Z"; }, "2027-02-31 is no day"));
  EXPECT_TRUE(refused(
      [](json& c) {
        c["plans"].push_back(c["plans"][0]);
        c["plans"][1]["name"] = "idle";
        set_quantity(c,
                     "ratio(tokens_per_s[plan=main, mode=warm], tokens_per_s[plan=main, mode=evict_flush])");
      },
      "plan idle: no part is about it"));
}

TEST(claim_check, a_census_is_of_the_sealed_catalogue) {
  const auto census = [](json& c) {
    set_quantity(c, "cpu_share[level=l3, bytes=9]");
    c["golden"].clear();
  };
  EXPECT_TRUE(refused(census, "lacks \"cpu_catalogue\""));
  EXPECT_TRUE(refused(
      [&](json& c) {
        census(c);
        c["golden"]["cpu_catalogue"] = std::string(64, '0');
      },
      "this version's catalogue"));
}

TEST(claim_check, power_at_the_published_value_is_told_and_must_do) {
  const auto published = [](double value) {
    return [=](json& c) { c["parts"][0]["published_value"] = value; };
  };
  EXPECT_TRUE(refused(published(2.03), "at the published 2.03"));
  EXPECT_TRUE(refused(published(1.98), "at the published 1.98"));
  EXPECT_EQ(refusals(published(2.3)), std::vector<std::string>{});
  // At the region's end no number of launches decides: that is said.
  const ClaimCheck end = check_claim(test_claim(published(2.0)));
  EXPECT_EQ(end.refusals, std::vector<std::string>{});
  ASSERT_EQ(end.sums.size(), 2u);
  EXPECT_NE(end.sums[1].find("the region's end"), std::string::npos);
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
    // Every arm beside the control is in some part.
    for (const ClaimPlan& plan : claim.plans) {
      for (const std::string& arm : plan.arms)
        EXPECT_TRUE(arm == "warm" || arm == "aa" || text.find("mode=" + arm) != std::string::npos)
            << claim.id << ": " << arm;
    }
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
