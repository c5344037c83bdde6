#include "harness/autogroup.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace harness {
namespace {

/// A /proc of our own making.
class Autogroup : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "autogroup_test_" +
            testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_ + "/proc/sys/kernel");
    std::filesystem::create_directories(root_ + "/proc/self");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) const { std::ofstream(root_ + path) << text; }
  [[nodiscard]] std::string reason() const { return std::get<Unavailable>(raise_autogroup(root_)).reason; }
  std::string root_;
};

TEST_F(Autogroup, a_kernel_without_groups_says_so) {
  EXPECT_EQ(reason(), "this kernel has no sched_autogroup");
}

TEST_F(Autogroup, a_kernel_that_does_not_group_is_left_alone) {
  write("/proc/sys/kernel/sched_autogroup_enabled", "0\n");
  write("/proc/self/autogroup", "/autogroup-7 nice 0\n");
  EXPECT_NE(reason().find("is off"), std::string::npos);
  std::string told;
  std::getline(std::ifstream(root_ + "/proc/self/autogroup"), told);
  EXPECT_EQ(told, "/autogroup-7 nice 0");
}

TEST_F(Autogroup, a_group_that_cannot_be_written_gives_the_systems_reason) {
  write("/proc/sys/kernel/sched_autogroup_enabled", "1\n");
  std::filesystem::create_directories(root_ + "/proc/self/autogroup");  // opens for nobody, root included
  EXPECT_EQ(reason(), "the group's priority cannot be raised (Is a directory)");
}

TEST_F(Autogroup, what_was_asked_for_is_written_and_what_the_kernel_tells_is_believed) {
  write("/proc/sys/kernel/sched_autogroup_enabled", "1\n");
  write("/proc/self/autogroup", "/autogroup-7 nice -11\n");
  // The file is no kernel: it keeps the first three characters as written and tells the rest as before.
  EXPECT_EQ(std::get<int64_t>(raise_autogroup(root_)), -11);
  std::string told;
  std::getline(std::ifstream(root_ + "/proc/self/autogroup"), told);
  EXPECT_EQ(told, "-20togroup-7 nice -11");
}

}  // namespace
}  // namespace harness
