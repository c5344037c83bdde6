#include "harness/cli/partial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>

#include "harness/error.hpp"

namespace cli {
namespace {

harness::PartialRun kept() {
  harness::PartialRun partial;
  partial.measured.suite.binary_sha256 = "binary";
  partial.measured.suite.isa = "avx2";
  partial.measured.machine.machine_key = "machine";
  partial.measured.conditions.pinned_pu = 1;
  partial.measured.conditions.governor = std::string("performance");
  partial.measured.conditions.turbo = harness::Unavailable{"no switch"};
  partial.measured.conditions.clock_source = "clock";
  partial.resume.emplace();
  partial.resume->boot_id = "boot";
  return partial;
}

RunPlace same_place() {
  RunPlace place{"binary", "machine", "boot", "avx2", kept().measured.conditions};
  place.conditions.load1 = 3.0;  // fluctuates and is not compared
  return place;
}

std::string moved(const std::function<void(RunPlace&)>& change) {
  RunPlace place = same_place();
  change(place);
  return moved_since(kept(), place);
}

TEST(partial, a_run_goes_on_where_everything_is_as_it_was) {
  EXPECT_EQ(moved_since(kept(), same_place()), "");
}

TEST(partial, whatever_moved_is_named) {
  const auto names = [](const std::string& clause, const std::string& word) {
    return clause.find(word) != std::string::npos;
  };
  EXPECT_TRUE(names(moved([](RunPlace& here) { here.binary_sha256 = "x"; }), "another build"));
  EXPECT_TRUE(names(moved([](RunPlace& here) { here.machine_key = "x"; }), "another machine"));
  EXPECT_TRUE(names(moved([](RunPlace& here) { here.boot_id = "x"; }), "started again"));
  EXPECT_TRUE(
      names(moved([](RunPlace& here) { here.isa = "scalar"; }), "kernels avx2, now they would be scalar"));
  EXPECT_TRUE(names(moved([](RunPlace& here) { here.conditions.pinned_pu = 0; }), "PU was 1, now it is 0"));
  EXPECT_TRUE(names(moved([](RunPlace& here) { here.conditions.governor = std::string("powersave"); }),
                    "governor was performance, now it is powersave"));
  EXPECT_TRUE(
      names(moved([](RunPlace& here) { here.conditions.turbo = true; }), "turbo was unknown, now it is on"));
  EXPECT_TRUE(names(moved([](RunPlace& here) { here.conditions.clock_source = "x"; }), "clock"));
}

TEST(partial, a_file_that_somebody_edited_is_refused_with_what_is_wrong) {
  const std::string path = testing::TempDir() + "/partial_test.json";
  const auto refusal = [&](const std::function<void(harness::PartialRun&)>& edit) -> std::string {
    harness::PartialRun partial = kept();
    partial.measured.nonce = "0123456789abcdef0123456789abcdef";
    edit(partial);
    std::ofstream(path) << harness::partial_to_json(partial);
    try {
      load_partial(path);
    } catch (const harness::Error& error) {
      EXPECT_EQ(error.code(), harness::ExitCode::invalid_input);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal([](harness::PartialRun&) {}), "");
  EXPECT_NE(refusal([](harness::PartialRun& partial) {
              partial.measured.nonce = "wxyz";
            }).find("its nonce is not 32 hexadecimal digits"),
            std::string::npos);
  EXPECT_NE(refusal([](harness::PartialRun& partial) {
              partial.measured.launches.resize(1);
              partial.measured.launches[0].plan = 3;
            }).find("a launch names plan 3 of 0"),
            std::string::npos);
  std::filesystem::remove(path);
}

TEST(partial, a_system_that_does_not_tell_its_boot_cannot_go_on) {
  auto partial = kept();
  partial.resume->boot_id.clear();
  RunPlace place = same_place();
  place.boot_id.clear();
  EXPECT_NE(moved_since(partial, place), "");
}

TEST(partial, rejoining_puts_the_session_back_on_its_time_line) {
  Session session;
  session.clock = harness::steady_clock();
  session.start_ns = session.clock.now_ns() - 5'000'000'000;
  session.totals_at_start = harness::read_condition_totals(session.clock);
  session.totals_at_start.wall_ns -= 5'000'000'000;
  harness::ResumeState state = resume_state(session);
  state.saved_ns -= 3'000'000'000;  // as if saved three seconds ago
  Session next;
  next.clock = session.clock;
  EXPECT_GE(rejoin(next, state), 3'000'000'000);
  EXPECT_EQ(next.start_ns, session.start_ns);
  const int64_t elapsed_ns = next.clock.now_ns() - next.totals_at_start.wall_ns;
  EXPECT_GE(elapsed_ns, 5'000'000'000);
  EXPECT_LT(elapsed_ns, 8'000'000'000) << "the pause does not count";
}

// flock holds per opened file, so that threads compete as processes do.
TEST(run_lock, is_never_held_twice_though_its_file_comes_and_goes) {
  const std::string path = testing::TempDir() + "run_lock_test.json";
  std::atomic<int> holders = 0, most = 0, taken = 0;
  const auto compete = [&] {
    for (int i = 0; i < 3000; ++i) {
      try {
        const RunLock lock(path);
        most = std::max(most.load(), ++holders);
        ++taken;
        std::this_thread::yield();
        --holders;
      } catch (const harness::Error& error) {
        ASSERT_NE(std::string(error.what()).find("another tokroof works on this run"), std::string::npos);
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(compete);
  }
  EXPECT_EQ(most, 1);
  EXPECT_GT(taken, 0);
  EXPECT_FALSE(std::filesystem::exists(path + ".lock"));
}

}  // namespace
}  // namespace cli
