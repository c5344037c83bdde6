#include "probes/interference.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "harness/cycle_chain.hpp"
#include "harness/pinning.hpp"
#include "probes/probe.hpp"

namespace probes {
namespace {

using Sizes = std::vector<int64_t>;

harness::Reading<Sizes> sizes_of(const std::string& description) {
  return victim_sizes(harness::read_synthetic_topology(description), 0);
}

TEST(Interference, sets_lie_in_l2_and_in_the_last_level_cache) {
  EXPECT_EQ(std::get<Sizes>(sizes_of("l3:1(size=32MiB) l2:2(size=1MiB) l1d:1(size=48KiB) core:1 pu:1")),
            (Sizes{512 << 10, 8 << 20}));
}

TEST(Interference, an_l2_that_is_the_last_level_is_that_alone) {
  EXPECT_EQ(std::get<Sizes>(sizes_of("l2:1(size=4MiB) l1d:2(size=32KiB) core:1 pu:1")), (Sizes{1 << 20}));
}

TEST(Interference, a_last_level_hardly_larger_than_l2_has_no_set_of_its_own) {
  EXPECT_EQ(std::get<Sizes>(sizes_of("l3:1(size=4MiB) l2:2(size=1MiB) l1d:1(size=48KiB) core:1 pu:1")),
            (Sizes{512 << 10}));
}

TEST(Interference, walks_are_met_with_sets_up_to_what_no_cache_holds) {
  const auto topology =
      harness::read_synthetic_topology("l3:1(size=32MiB) l2:2(size=1MiB) l1d:1(size=48KiB) core:1 pu:1");
  EXPECT_EQ(further_sizes(topology, 0, int64_t{1} << 30), (Sizes{16 << 20, 32 << 20, 128 << 20}));
  EXPECT_EQ(further_sizes(topology, 0, 40 << 20), (Sizes{16 << 20, 32 << 20}));
  EXPECT_TRUE(further_sizes(harness::read_synthetic_topology("pack:1 core:2 pu:1"), 0, 1 << 30).empty());
}

TEST(Interference, without_caches_there_is_no_set) {
  EXPECT_FALSE(harness::available(sizes_of("pack:1 core:2 pu:1")));
}

std::vector<harness::Series> run_here(const harness::Topology& topology) {
  const harness::Pin pin(topology, harness::choose_pu(topology));
  const harness::CpuFeatures features = harness::read_cpu_features();
  const ProbeContext context{topology, features, harness::steady_clock(), {}, 2, 1, 5, {}};
  return find_probe("interference").run_all(context);
}

TEST(Interference, every_place_has_its_control_and_every_antagonist_its_rate) {
  const auto topology = harness::read_host_topology();
  const auto all = run_here(topology);
  std::set<std::string> controls, places;
  for (const auto& series : all) {
    EXPECT_EQ(series.probe, "interference");
    if (series.status == harness::Status::unavailable) {
      EXPECT_FALSE(series.reason.empty());
      continue;
    }
    ASSERT_EQ(series.status, harness::Status::ok) << series.reason;
    places.insert(series.placement);
    const auto& name = std::get<std::string>(series.params.at("antagonist"));
    if (name == "idle_again") controls.insert(series.placement);
    EXPECT_EQ(series.params.count("antagonist_cpu_ratio"), name.rfind("idle", 0) == 0 ? 0U : 1U) << name;
    ASSERT_EQ(series.samples_by_size.size(), series.sizes_bytes.size());
    EXPECT_EQ(std::get<std::string>(series.params.at("read_loops")).size(), series.sizes_bytes.size());
    if (harness::read_core_clock_hz() > 0) {
      EXPECT_GT(series.totals.core_clock_low_hz, 0) << "no look at the core's clock";
    }
    for (size_t i = 0; i < series.sizes_bytes.size(); ++i) {
      EXPECT_EQ(series.samples_by_size[i].size(), 8U);
      EXPECT_EQ(series.work_per_sample[i] % series.sizes_bytes[i], 0);
      EXPECT_EQ(series.work_per_sample[i] / series.sizes_bytes[i] % 2, 1)
          << "an even number of laps has no sum";
      for (const int64_t ns : series.samples_by_size[i]) EXPECT_GT(ns, 0);
    }
  }
  EXPECT_EQ(controls, places);
}

TEST(Interference, is_unavailable_with_a_single_pu) {
  auto topology = harness::read_host_topology();
  const harness::Pin pin(topology, harness::choose_pu(topology));
  for (auto& pu : topology.pus) pu.allowed = pu.os_index == pin.pu();
  const harness::CpuFeatures features = harness::read_cpu_features();
  const ProbeContext context{topology, features, harness::steady_clock(), {}, 2, 1, 5, {}};
  const auto all = find_probe("interference").run_all(context);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].status, harness::Status::unavailable);
}

}  // namespace
}  // namespace probes
