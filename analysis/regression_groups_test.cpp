#include "analysis/regression_groups.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace analysis {
namespace {

double noise(harness::SplitMix64& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random.below(1'000'000)) / 1e6;
  return sum;
}

struct Part {
  std::string vendor, microarchitecture, isa;
  int64_t l2_kib, l3_mib;
};
const std::vector<Part> parts{{"GenuineIntel", "skylake", "avx2", 256, 8},
                              {"GenuineIntel", "haswell", "avx2", 256, 6},
                              {"AuthenticAMD", "zen2", "avx2", 512, 8},
                              {"AuthenticAMD", "zen4", "avx512", 1024, 32},
                              {"GenuineIntel", "cascade_lake", "avx512", 1024, 24}};

/// Six machines of each part with 40 sittings, slower by a share from commit 20 on where `hit` says so.
std::vector<SpeedSeries> machines(const std::function<bool(const Part&, int)>& hit, double slower = 0.06,
                                  int of_each = 6, uint64_t seed = 1) {
  harness::SplitMix64 random(seed);
  std::vector<SpeedSeries> all;
  for (int number = 0; number < of_each * static_cast<int>(parts.size()); ++number) {
    const Part& part = parts[static_cast<size_t>(number) % parts.size()];
    SpeedSeries& series = all.emplace_back();
    series.key.model = "coreflow_1_9m";
    series.key.isa = part.isa;
    series.machine = {"machine" + std::to_string(number),
                      "CPU " + part.microarchitecture,
                      part.vendor,
                      part.microarchitecture,
                      part.l2_kib << 10,
                      part.l3_mib << 20};
    for (int commit = 0; commit < 40; ++commit) {
      SpeedPoint point;
      point.commit = commit;
      point.commit_name = "c" + std::to_string(commit);
      point.roof_bytes_per_s = 1e11;
      point.roof_fraction =
          0.4 * std::exp(0.01 * noise(random)) * (commit >= 20 && hit(part, number) ? 1 - slower : 1);
      series.points.push_back(point);
    }
  }
  return all;
}

KernelVerdict judge(const std::vector<SpeedSeries>& series, const RegressionRule& rule = {}) {
  const std::vector<KernelVerdict> all = judge_kernels(series, judge_series(series, rule), rule);
  EXPECT_EQ(all.size(), 1U);
  return all.front();
}

TEST(regression_groups, finds_the_parts_with_a_small_l2) {
  const KernelVerdict kernel = judge(machines([](const Part& part, int) { return part.l2_kib == 256; }));
  EXPECT_EQ(kernel.word, "group");
  EXPECT_EQ(kernel.group, "256 KiB L2");
  EXPECT_EQ(kernel.inside.machines, 12);
  EXPECT_EQ(kernel.inside.slower, 12);
  EXPECT_NEAR(kernel.inside.ratio, 0.94, 0.01);
  ASSERT_TRUE(kernel.outside);
  EXPECT_EQ(kernel.outside->machines, 18);
  EXPECT_NEAR(kernel.outside->ratio, 1, 0.01);
  EXPECT_EQ(kernel.commit_name, "c20");
  EXPECT_EQ(kernel.regressed.size(), 12U);
  EXPECT_EQ(kernel.same_as, std::vector<std::string>({"avx2, GenuineIntel", "GenuineIntel, 8 MiB L3"}));
}

TEST(regression_groups, tells_two_facts_when_it_takes_both) {
  const KernelVerdict kernel = judge(
      machines([](const Part& part, int) { return part.vendor == "GenuineIntel" && part.isa == "avx512"; }));
  EXPECT_EQ(kernel.word, "group");
  EXPECT_EQ(kernel.group, "cascade_lake");  // one word for the same machines
  EXPECT_NE(std::find(kernel.same_as.begin(), kernel.same_as.end(), "avx512, GenuineIntel"),
            kernel.same_as.end());
}

TEST(regression_groups, says_everywhere) {
  const KernelVerdict kernel = judge(machines([](const Part&, int) { return true; }));
  EXPECT_EQ(kernel.word, "everywhere");
  EXPECT_EQ(kernel.inside.machines, 30);
  EXPECT_FALSE(kernel.outside);
  ASSERT_EQ(kernel.flags.size(), 1U);
  EXPECT_NE(kernel.flags[0].find("point the same way"), std::string::npos);
}

TEST(regression_groups, claims_no_group_for_machines_without_a_fact_in_common) {
  const KernelVerdict kernel = judge(machines([](const Part&, int number) { return number % 7 == 0; }));
  EXPECT_EQ(kernel.word, "machines");
  EXPECT_EQ(kernel.group, "");
  EXPECT_EQ(kernel.regressed.size(), 5U);
}

TEST(regression_groups, claims_no_group_whose_others_are_too_few_to_be_tested) {
  std::vector<SpeedSeries> all = machines([](const Part& part, int) { return part.l2_kib == 256; });
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].machine.l2_bytes != 256 << 10 && i >= 5) all[i].points.clear();
  }
  all.erase(std::remove_if(all.begin(), all.end(), [](const auto& each) { return each.points.empty(); }),
            all.end());
  EXPECT_EQ(judge(all).word, "most");
}

TEST(regression_groups, says_nothing_of_noise) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const KernelVerdict kernel = judge(machines([](const Part&, int) { return false; }, 0.06, 6, seed));
    EXPECT_EQ(kernel.word, "none") << seed;
    EXPECT_TRUE(kernel.flags.empty());
  }
}

TEST(regression_groups, finds_together_what_no_machine_shows_alone) {
  RegressionRule rule;
  rule.margin_ratio = 0.005;
  std::vector<SpeedSeries> all = machines([](const Part&, int) { return true; }, 0.01, 12, 3);
  for (SpeedSeries& series : all) {
    harness::SplitMix64 random(std::stoull(series.machine.machine_key.substr(7)) + 77);
    for (SpeedPoint& point : series.points) point.roof_fraction *= std::exp(0.02 * noise(random));
  }
  const KernelVerdict kernel = judge(all, rule);
  EXPECT_EQ(kernel.word, "most");
  EXPECT_NEAR(static_cast<double>(kernel.commit.value_or(-1)), 20, 2);
  EXPECT_LT(kernel.regressed.size(), all.size() / 4);
}

TEST(regression_groups, flags_sittings_of_one_machine_and_of_one_cpu) {
  std::vector<SpeedSeries> all = machines([](const Part&, int) { return true; });
  const KernelVerdict one = judge({all[0]});
  EXPECT_EQ(one.word, "machines");
  EXPECT_EQ(one.flags.front(), "all sittings are of one machine");
  EXPECT_EQ(judge({all[0], all[5]}).flags.front(), "all machines have the same CPU: CPU skylake");
}

TEST(regression_groups, flags_sittings_that_one_author_sent) {
  std::vector<SpeedSeries> all = machines([](const Part&, int) { return true; });
  for (SpeedSeries& series : all) {
    for (SpeedPoint& point : series.points) point.author = "ada";
  }
  EXPECT_EQ(judge(all).flags.front(), "all sittings were sent by one author: ada");
  all[0].points[0].author.clear();
  EXPECT_NE(judge(all).flags.front(), "all sittings were sent by one author: ada");
}

TEST(regression_groups, flags_series_that_begin_after_the_change) {
  std::vector<SpeedSeries> all = machines([](const Part&, int) { return true; });
  all[3].points.erase(all[3].points.begin(), all[3].points.begin() + 20);
  const KernelVerdict kernel = judge(all);
  EXPECT_EQ(kernel.word, "everywhere");
  EXPECT_EQ(kernel.flags.back(), "1 series begins after the change");
}

TEST(regression_groups, keeps_kernels_apart_and_isas_together) {
  std::vector<SpeedSeries> all = machines([](const Part&, int) { return false; });
  all[1].key.mode = "evict_flush";
  all[2].weight_bytes_per_token = 1;
  EXPECT_EQ(judge_kernels(all, judge_series(all, {}), {}).size(), 3U);
}

TEST(regression_groups, a_probe_that_became_faster_is_no_kernel_that_became_slower) {
  for (const double risen : {1.04, 1.2}) {
    std::vector<SpeedSeries> all = machines([](const Part&, int) { return false; });
    for (SpeedSeries& series : all) {
      for (size_t i = 20; i < series.points.size(); ++i) {
        series.points[i].roof_bytes_per_s *= risen;
        series.points[i].roof_fraction /= risen;
      }
    }
    const std::vector<SeriesVerdict> verdicts = judge_series(all, {});
    for (const SeriesVerdict& verdict : verdicts) EXPECT_NE(verdict.word, "regressed") << verdict.why;
    EXPECT_FALSE(judge_kernels(all, verdicts, {}).front().claimed()) << risen;
  }
}

TEST(l3_class, goes_up_to_the_next_power_of_two) {
  EXPECT_EQ(l3_class(0), "no L3");
  EXPECT_EQ(l3_class(int64_t{32} << 20), "32 MiB L3");
  EXPECT_EQ(l3_class(int64_t{24} << 20), "32 MiB L3");
  EXPECT_EQ(l3_class(INT64_MAX), "1048576 MiB L3");
}

}  // namespace
}  // namespace analysis
