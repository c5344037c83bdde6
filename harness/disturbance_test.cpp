#include "harness/disturbance.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/cycle_chain.hpp"

namespace harness {
namespace {

/// A second on a quiet machine.
Disturbance quiet() {
  Disturbance during;
  during.cpu_ns = 990'000;
  during.wall_ns = 1'000'000;
  during.clock_before_hz = 3.00e9;
  during.clock_after_hz = 3.02e9;
  during.voluntary_switches = 2;
  return during;
}

using Reasons = std::vector<std::string>;

TEST(disturbance, a_quiet_sample_has_no_reason) {
  EXPECT_EQ(disturbance_reasons(quiet()), Reasons{});
  EXPECT_EQ(disturbance_reasons({}), Reasons{});
}

TEST(disturbance, each_sign_gives_its_own_reason_and_no_other) {
  const auto with = [](auto change) {
    Disturbance during = quiet();
    change(during);
    return disturbance_reasons(during);
  };
  EXPECT_EQ(with([](auto& d) { d.involuntary_switches = 1; }), Reasons{"involuntary_switch"});
  EXPECT_EQ(with([](auto& d) { d.minor_faults = 1; }), Reasons{"minor_fault"});
  EXPECT_EQ(with([](auto& d) { d.major_faults = 1; }), Reasons{"major_fault"});
  EXPECT_EQ(with([](auto& d) { d.steal_ns = 10'000'000; }), Reasons{"steal"});
  EXPECT_EQ(with([](auto& d) { d.cpu_ns = 949'999; }), Reasons{"cpu_wall"});
  EXPECT_EQ(with([](auto& d) { d.cpu_ns = 950'000; }), Reasons{});
  EXPECT_EQ(with([](auto& d) { d.clock_after_hz = 2.90e9; }), Reasons{"clock_drift"});
  EXPECT_EQ(with([](auto& d) { d.clock_after_hz = 3.10e9; }), Reasons{"clock_drift"});
}

TEST(disturbance, a_clock_that_nobody_can_read_does_not_drift) {
  Disturbance during = quiet();
  during.clock_before_hz = 0;
  EXPECT_EQ(disturbance_reasons(during), Reasons{});
}

TEST(disturbance, several_reasons_are_all_told_in_ascending_order) {
  const Disturbance during{1, 0, 1, 1, 1, 100, 1, 1e9, 2e9};
  EXPECT_EQ(disturbance_reasons(during), (Reasons{"clock_drift", "cpu_wall", "involuntary_switch",
                                                  "major_fault", "minor_fault", "steal"}));
}

TEST(disturbance, a_watch_sees_a_thread_that_slept_instead_of_running) {
  const DisturbanceWatch watch(steady_clock());
  const timespec nap{0, 20'000'000};
  nanosleep(&nap, nullptr);
  const Disturbance during = watch.stop();
  EXPECT_GE(during.wall_ns, 20'000'000);
  EXPECT_LT(during.cpu_ns, 10'000'000);
  EXPECT_GE(during.voluntary_switches, 1);
  const Reasons reasons = disturbance_reasons(during);
  EXPECT_EQ(std::count(reasons.begin(), reasons.end(), "cpu_wall"), 1);
}

TEST(disturbance, a_watch_sees_page_faults) {
  const size_t bytes = size_t{1} << 20;
  void* fresh = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(fresh, MAP_FAILED);
  const DisturbanceWatch watch(steady_clock());
  for (size_t at = 0; at < bytes; at += 4096) static_cast<volatile char*>(fresh)[at] = 1;
  EXPECT_GE(watch.stop().minor_faults, 1);
  munmap(fresh, bytes);
}

TEST(disturbance, a_watch_looks_at_the_core_clock_where_an_instruction_of_known_latency_is_at_hand) {
  const Disturbance during = DisturbanceWatch(steady_clock()).stop();
  const bool known = multiply_latency_is_known(read_cpu_features());
  EXPECT_EQ(during.clock_before_hz > 0, known);
  EXPECT_EQ(during.clock_after_hz > 0, known);
}

TEST(disturbance, is_the_difference_of_two_readings) {
  const Disturbance before{1, 2, 3, 4, 5, 6, 7, 8e9, 0};
  const Disturbance now{11, 22, 33, 44, 55, 66, 77, 0, 9e9};
  const Disturbance difference = since(before, now);
  EXPECT_EQ(difference.involuntary_switches, 10);
  EXPECT_EQ(difference.voluntary_switches, 20);
  EXPECT_EQ(difference.minor_faults, 30);
  EXPECT_EQ(difference.major_faults, 40);
  EXPECT_EQ(difference.cpu_ns, 50);
  EXPECT_EQ(difference.wall_ns, 60);
  EXPECT_EQ(difference.steal_ns, 70);
  EXPECT_EQ(difference.clock_before_hz, 8e9);
  EXPECT_EQ(difference.clock_after_hz, 9e9);
}

TEST(disturbance, the_thread_accounts_for_its_own_page_faults_and_time) {
  const Clock clock = steady_clock();
  const Disturbance before = read_disturbance(clock);
  std::vector<char> fresh(size_t{64} << 20);
  volatile char* const pages = fresh.data();  // clang leaves out an allocation that nobody reads
  for (size_t at = 0; at < fresh.size(); at += 4096) pages[at] = 1;
  const Disturbance spent = since(before, read_disturbance(clock));
  EXPECT_GT(spent.minor_faults, 0);
  EXPECT_GT(spent.cpu_ns, 0);
  EXPECT_GT(spent.wall_ns, 0);
}

TEST(disturbance, steal_is_the_eighth_number_of_the_cpu_line) {
  EXPECT_EQ(parse_steal_ns("cpu  1 2 3 4 5 6 7 88 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n", 10'000'000),
            880'000'000);
}

TEST(disturbance, steal_that_is_not_told_is_not_zero) {
  EXPECT_EQ(parse_steal_ns("", 10'000'000), std::nullopt);
  EXPECT_EQ(parse_steal_ns("cpu  1 2 3 4 5 6 7\n", 10'000'000), std::nullopt);
  EXPECT_EQ(parse_steal_ns("cpu0 1 2 3 4 5 6 7 8\n", 10'000'000), std::nullopt);
}

}  // namespace
}  // namespace harness
