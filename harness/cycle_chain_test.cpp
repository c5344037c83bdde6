#include "harness/cycle_chain.hpp"

#include <gtest/gtest.h>

#include <string>

namespace harness {
namespace {

CpuFeatures cpu(const std::string& vendor, int family) {
  CpuFeatures features;
  features.vendor = vendor;
  features.family = family;
  return features;
}

TEST(cycle_chain, is_known_where_the_tables_say_three_cycles) {
  EXPECT_TRUE(multiply_latency_is_known(cpu("GenuineIntel", 6)));
  EXPECT_TRUE(multiply_latency_is_known(cpu("AuthenticAMD", 0x1A)));
  EXPECT_TRUE(multiply_latency_is_known(cpu("HygonGenuine", 0x18)));
  EXPECT_FALSE(multiply_latency_is_known(cpu("GenuineIntel", 15))) << "Pentium 4";
  EXPECT_FALSE(multiply_latency_is_known(cpu("AuthenticAMD", 0x15))) << "Bulldozer: 4 cycles";
  EXPECT_FALSE(multiply_latency_is_known(cpu("", 0)));
}

#if defined(__x86_64__)
/// value^(2^n) mod 2^32, what n squarings leave.
TEST(cycle_chain, really_multiplies_as_often_as_it_is_asked) {
  uint32_t expected = 3;
  for (int i = 0; i < 16; ++i) expected *= expected;
  EXPECT_EQ(multiply_chain(3, 16), expected);
  EXPECT_EQ(multiply_chain(3, 31), expected) << "whole turns of 16";
  EXPECT_EQ(multiply_chain(3, 0), 3U);
  EXPECT_EQ(multiply_chain(multiply_chain(5, 16), 16), multiply_chain(5, 32));
}
#endif

TEST(HardwareCycleChain, a_core_runs_between_a_hundred_megahertz_and_ten_gigahertz) {
  if (!multiply_latency_is_known(read_cpu_features())) GTEST_SKIP() << "no instruction of known latency";
  const double clock_hz = read_core_clock_hz();
  EXPECT_GT(clock_hz, 1e8);
  EXPECT_LT(clock_hz, 1e10);
}

}  // namespace
}  // namespace harness
