#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness/environment.hpp"
#include "harness/fake_clock.hpp"

namespace harness {
namespace {

const std::string desktop = "harness/testdata/sysfs/desktop";
const std::string nothing = "harness/testdata/sysfs/nothing_here";

Topology two_threads_one_core() {
  return read_synthetic_topology("pack:1 l3:1 l2:1 l1d:1 core:1 pu:2");
}
Topology two_cores() {
  return read_synthetic_topology("pack:1 l3:1 l2:2 l1d:1 core:1 pu:1");
}

/// A /proc/stat and a /proc/pressure/cpu that a test moves.
class MovingTree {
 public:
  MovingTree()
      : root_(std::filesystem::temp_directory_path() / ("tokroof_conditions_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(root_ / "proc/pressure");
  }
  ~MovingTree() { std::filesystem::remove_all(root_); }
  MovingTree(const MovingTree&) = delete;
  MovingTree& operator=(const MovingTree&) = delete;
  void write(int busy_ticks_of_pu1, int steal_ticks, int waited_us) {
    std::ofstream(root_ / "proc/stat") << "cpu  1 0 0 1000 0 0 0 " << steal_ticks << " 0 0\n"
                                       << "cpu0 0 0 0 1000 0 0 0 0 0 0\n"
                                       << "cpu1 " << busy_ticks_of_pu1 << " 0 0 1000 0 0 0 0 0 0\n";
    std::ofstream(root_ / "proc/pressure/cpu")
        << "some avg10=0.00 avg60=0.00 avg300=0.00 total=" << waited_us << "\n";
  }
  [[nodiscard]] std::string root() const { return root_.string(); }

 private:
  std::filesystem::path root_;
};

/// Reads the conditions of a 10 s run in which the tree moved from one state to the other. Ticks last 10 ms.
Conditions conditions_of_run(const Topology& topology, MovingTree& tree, int busy_ticks, int steal_ticks,
                             int waited_us) {
  FakeClock fake;
  fake.per_read_ns = 1000;
  tree.write(5, 7, 1000);
  const ConditionTotals start = read_condition_totals(fake.clock(), tree.root());
  fake.now_ns += 10'000'000'000 - 1000;
  tree.write(5 + busy_ticks, 7 + steal_ticks, 1000 + waited_us);
  return read_conditions(topology, 0, fake.clock(), start, tree.root());
}

TEST(conditions, steal_and_waiting_are_shares_of_the_run) {
  MovingTree tree;
  const Conditions conditions = conditions_of_run(two_cores(), tree, 0, 100, 2'500'000);
  EXPECT_NEAR(std::get<double>(conditions.steal_ratio), 0.05, 1e-9) << "1 s of 10 s on 2 PUs";
  EXPECT_NEAR(std::get<double>(conditions.psi_cpu_some), 0.25, 1e-9);
}

TEST(conditions, shares_stay_between_nought_and_one) {
  MovingTree tree;
  const Conditions conditions = conditions_of_run(two_cores(), tree, 0, 100'000, -900);
  EXPECT_EQ(std::get<double>(conditions.steal_ratio), 1);
  EXPECT_EQ(std::get<double>(conditions.psi_cpu_some), 0);
}

TEST(conditions, a_sibling_is_busy_from_five_per_cent_on) {
  MovingTree tree;
  EXPECT_EQ(conditions_of_run(two_threads_one_core(), tree, 0, 0, 0).smt_sibling, "idle");
  EXPECT_EQ(conditions_of_run(two_threads_one_core(), tree, 49, 0, 0).smt_sibling, "idle");
  EXPECT_EQ(conditions_of_run(two_threads_one_core(), tree, 51, 0, 0).smt_sibling, "busy");
  EXPECT_EQ(conditions_of_run(two_cores(), tree, 900, 0, 0).smt_sibling, "none");
}

TEST(conditions, a_sibling_of_which_nothing_is_told_counts_as_busy) {
  FakeClock fake;
  fake.per_read_ns = 1000;
  const ConditionTotals start = read_condition_totals(fake.clock(), nothing);
  EXPECT_EQ(read_conditions(two_threads_one_core(), 0, fake.clock(), start, nothing).smt_sibling, "busy");
}

TEST(conditions, the_governor_is_that_of_the_pinned_pu) {
  FakeClock fake;
  fake.per_read_ns = 1000;
  const ConditionTotals start = read_condition_totals(fake.clock(), desktop);
  const Conditions on_0 = read_conditions(two_cores(), 0, fake.clock(), start, desktop);
  const Conditions on_1 = read_conditions(two_cores(), 1, fake.clock(), start, desktop);
  EXPECT_EQ(std::get<std::string>(on_0.governor), "performance");
  EXPECT_EQ(std::get<std::string>(on_1.governor), "powersave");
  EXPECT_EQ(std::get<bool>(on_0.turbo), false) << "no_turbo is 1";
  EXPECT_EQ(std::get<double>(on_0.load1), 0.05);
  EXPECT_EQ(on_1.pinned_pu, 1);
}

TEST(conditions, what_cannot_be_read_says_why) {
  FakeClock fake;
  fake.per_read_ns = 1000;
  const ConditionTotals start = read_condition_totals(fake.clock(), nothing);
  const Conditions conditions = read_conditions(two_cores(), 1, fake.clock(), start, nothing);
  EXPECT_EQ(std::get<Unavailable>(conditions.governor).reason,
            "no cpufreq driver (/sys/devices/system/cpu/cpu1/cpufreq is absent)");
  EXPECT_FALSE(available(conditions.turbo));
  EXPECT_FALSE(available(conditions.load1));
  EXPECT_FALSE(available(conditions.steal_ratio));
  EXPECT_FALSE(available(conditions.psi_cpu_some));
}

TEST(conditions, a_run_of_no_time_has_no_shares) {
  FakeClock still;
  MovingTree tree;
  tree.write(0, 0, 0);
  const ConditionTotals start = read_condition_totals(still.clock(), tree.root());
  EXPECT_FALSE(available(read_conditions(two_cores(), 0, still.clock(), start, tree.root()).steal_ratio));
}

TEST(conditions, switches_and_faults_are_those_of_the_run) {
  const Clock clock = steady_clock();
  const ConditionTotals start = read_condition_totals(clock);
  std::vector<char> fresh(size_t{64} << 20);
  volatile char* const pages = fresh.data();  // clang leaves out an allocation that nobody reads
  for (size_t at = 0; at < fresh.size(); at += 4096) pages[at] = 1;
  const Conditions conditions = read_conditions(read_host_topology(), -1, clock, start);
  EXPECT_GT(conditions.minor_faults, 0);
  EXPECT_LT(conditions.minor_faults, 200'000) << "of the run, not since the process began";
  EXPECT_EQ(conditions.clock_source, clock.source);
  EXPECT_GT(conditions.clock_overhead_ns, 0);
  EXPECT_EQ(conditions.smt_sibling, "none") << "nothing is pinned";
}

TEST(conditions, a_pause_counts_for_nothing_when_totals_are_rejoined) {
  ConditionTotals start, stopped, resumed;
  start.wall_ns = 100;
  start.steal_ns = int64_t{10};
  start.psi_some_us = Unavailable{"none"};
  start.pu_times = {{0, 1000}, {1, 2000}};
  start.involuntary_switches = 3;
  stopped = start;
  stopped.wall_ns = 600;
  stopped.steal_ns = int64_t{17};
  stopped.pu_times = {{0, 1400}, {1, 2100}};
  stopped.involuntary_switches = 5;
  resumed.wall_ns = 90'600;  // a long pause, another process, and a PU that went
  resumed.steal_ns = int64_t{900};
  resumed.psi_some_us = int64_t{5};
  resumed.pu_times = {{0, 81'400}};
  const ConditionTotals elapsed = difference(stopped, start);
  EXPECT_EQ(elapsed.wall_ns, 500);
  EXPECT_EQ(std::get<int64_t>(elapsed.steal_ns), 7);
  const ConditionTotals rejoined = difference(resumed, elapsed);
  EXPECT_EQ(resumed.wall_ns - rejoined.wall_ns, 500);
  EXPECT_EQ(std::get<int64_t>(resumed.steal_ns) - std::get<int64_t>(rejoined.steal_ns), 7);
  EXPECT_EQ(resumed.involuntary_switches - rejoined.involuntary_switches, 2);
  ASSERT_EQ(rejoined.pu_times.size(), 1u);
  EXPECT_EQ(81'400 - rejoined.pu_times[0].busy_ns, 400);
  EXPECT_FALSE(available(rejoined.psi_some_us)) << "what was not told before is not known over the whole";
}

}  // namespace
}  // namespace harness
