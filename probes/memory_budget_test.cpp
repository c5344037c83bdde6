#include "probes/memory_budget.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace probes {
namespace {

constexpr int64_t mib = 1 << 20;

class MemoryBudget : public testing::Test {
 protected:
  MemoryBudget() {
    char name[] = "/tmp/tokroof-budget-XXXXXX";
    root_ = ::mkdtemp(name);
    std::filesystem::create_directories(root_ + "/proc");
    std::filesystem::create_directories(root_ + "/sys/fs/cgroup");
  }
  ~MemoryBudget() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) const { std::ofstream(root_ + path) << text; }
  std::string root_;
};

TEST_F(MemoryBudget, is_a_quarter_of_what_is_available) {
  write("/proc/meminfo", "MemTotal:  8000000 kB\nMemFree:  100 kB\nMemAvailable:    1048576 kB\n");
  EXPECT_EQ(memory_budget_bytes(root_), 256 * mib);
}

TEST_F(MemoryBudget, is_capped_on_large_machines) {
  write("/proc/meminfo", "MemAvailable:    104857600 kB\n");
  EXPECT_EQ(memory_budget_bytes(root_), max_buffer_bytes);
}

TEST_F(MemoryBudget, obeys_the_control_group_that_leaves_less) {
  write("/proc/meminfo", "MemAvailable:    104857600 kB\n");
  write("/sys/fs/cgroup/memory.max", "536870912\n");
  EXPECT_EQ(memory_budget_bytes(root_), 128 * mib);
  write("/sys/fs/cgroup/memory.current", "268435456\n");
  EXPECT_EQ(memory_budget_bytes(root_), 64 * mib);
  write("/sys/fs/cgroup/memory.current", "999999999\n");
  EXPECT_EQ(memory_budget_bytes(root_), 0);
}

TEST_F(MemoryBudget, ignores_a_control_group_without_a_limit) {
  write("/proc/meminfo", "MemAvailable:    1048576 kB\n");
  write("/sys/fs/cgroup/memory.max", "max\n");
  EXPECT_EQ(memory_budget_bytes(root_), 256 * mib);
}

TEST_F(MemoryBudget, is_modest_when_nothing_is_told) {
  EXPECT_EQ(memory_budget_bytes(root_), 256 * mib);
}

}  // namespace
}  // namespace probes
