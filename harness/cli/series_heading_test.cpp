#include "harness/cli/series_heading.hpp"

#include <gtest/gtest.h>

#include "probes/time_budget.hpp"

namespace cli {
namespace {

constexpr int64_t budget_ns = 10'000'000'000;

harness::Series skipped(const char* probe, const probes::Variant& variant = {}) {
  harness::Series series = probes::skipped_series(probe, budget_ns);
  probes::tell_variant(series, variant);
  return series;
}

TEST(budget_text, names_which_series_of_a_probe_were_skipped_and_counts_those_of_one_name) {
  harness::Launch launch;
  probes::Variant stores;
  stores.operation = "store";
  stores.threads = 2;
  launch.series = {skipped("dram_stream"), skipped("dram_stream", stores), skipped("kernel_rates"),
                   skipped("kernel_rates")};
  EXPECT_EQ(budget_text(launch, budget_ns),
            "to keep the budget of 10 s: dram_stream skipped, dram_stream, store, 2 threads skipped, "
            "2 series of kernel_rates skipped\n");
}

TEST(budget_text, tells_sizes_that_were_left_out_and_nothing_when_none_was) {
  harness::Launch launch;
  launch.series.resize(1);
  launch.series[0].probe = "load_bandwidth";
  launch.series[0].sizes_bytes = {512, 1024};
  EXPECT_EQ(budget_text(launch, budget_ns), "");
  launch.series[0].params["budget_skipped_sizes"] = int64_t{3};
  EXPECT_EQ(budget_text(launch, budget_ns),
            "to keep the budget of 10 s: 3 of 5 sizes of load_bandwidth left out\n");
}

}  // namespace
}  // namespace cli
