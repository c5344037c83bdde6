#include "harness/cpu_features.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace harness {
namespace {

// What a Sapphire Rapids guest under KVM answers (family 6, model 143, stepping 8), all states enabled.
CpuidLeaves server_cpu() {
  CpuidLeaves leaves;
  leaves.vendor = {0x20, 0x756e6547, 0x6c65746e, 0x49656e69};  // "Genu" "ntel" "ineI"
  leaves.version = {0x000806f8, 0x00020800, 1u << 12 | 1u << 27 | 1u << 28 | 1u << 29 | 1u << 31, 1u << 19};
  leaves.features = {2, 1u << 5 | 1u << 16 | 1u << 17 | 1u << 23 | 1u << 30 | 1u << 31, 1u << 11, 0};
  leaves.features_1 = {1u << 4, 0, 0, 0};
  leaves.hypervisor = {0x40000001, 0x4b4d564b, 0x564b4d56, 0x0000004d};
  leaves.brand[0] = {0x20202020, 0x65746e49, 0x2952286c, 0x6f655820};  // "    Intel(R) Xeo"
  leaves.brand[1] = {0x2952286e, 0x00000000, 0x41414141, 0x00000000};  // "n(R)" NUL, then rubbish
  leaves.xcr0 = 0xE7;
  return leaves;
}

TEST(cpu_features, a_recorded_cpu_is_decoded_in_full) {
  CpuFeatures expected;
  expected.arch = "x86_64";
  expected.vendor = "GenuineIntel";
  expected.brand = "Intel(R) Xeon(R)";
  expected.family = 6;
  expected.model = 143;
  expected.stepping = 8;
  expected.avx2 = expected.fma = expected.f16c = expected.avx_vnni = true;
  expected.avx512f = expected.avx512bw = expected.avx512vl = expected.avx512dq = expected.avx512_vnni = true;
  expected.clflush = expected.clflushopt = expected.hypervisor = true;
  expected.hypervisor_vendor = "KVMKVMKVM";
  expected.clflush_line_bytes = 64;
  EXPECT_EQ(decode_cpu_features(server_cpu()), expected);
}

TEST(cpu_features, avx512_is_off_when_the_system_does_not_save_its_state) {
  CpuidLeaves leaves = server_cpu();
  leaves.xcr0 = 0x07;  // SSE and AVX state only
  const CpuFeatures features = decode_cpu_features(leaves);
  EXPECT_TRUE(features.avx2);
  EXPECT_TRUE(features.avx_vnni);
  EXPECT_FALSE(features.avx512f || features.avx512bw || features.avx512vl || features.avx512dq);
  EXPECT_FALSE(features.avx512_vnni);
}

TEST(cpu_features, no_vector_set_is_usable_when_the_system_does_not_save_ymm_state) {
  CpuidLeaves leaves = server_cpu();
  leaves.xcr0 = 0x03;
  EXPECT_EQ(isa_names(decode_cpu_features(leaves)), (std::vector<std::string>{"clflush", "clflushopt"}));
  leaves = server_cpu();
  leaves.version.ecx &= ~(1u << 27);  // OSXSAVE off: whatever stands in xcr0 was never read
  EXPECT_FALSE(decode_cpu_features(leaves).avx2);
  EXPECT_FALSE(decode_cpu_features(leaves).fma || decode_cpu_features(leaves).f16c);
}

TEST(cpu_features, parts_of_avx512_do_not_count_without_its_foundation) {
  CpuidLeaves leaves = server_cpu();
  leaves.features.ebx &= ~(1u << 16);
  EXPECT_FALSE(decode_cpu_features(leaves).avx512_vnni);
  EXPECT_FALSE(decode_cpu_features(leaves).avx512bw);
}

TEST(cpu_features, without_a_hypervisor_bit_there_is_no_hypervisor_vendor) {
  CpuidLeaves leaves = server_cpu();
  leaves.version.ecx &= ~(1u << 31);
  EXPECT_FALSE(decode_cpu_features(leaves).hypervisor);
  EXPECT_EQ(decode_cpu_features(leaves).hypervisor_vendor, "");
}

TEST(cpu_features, families_beyond_fifteen_add_the_extended_family) {
  CpuidLeaves leaves;
  leaves.version.eax = 0x00b00f21;  // an EPYC of family 26, model 2, stepping 1
  const CpuFeatures features = decode_cpu_features(leaves);
  EXPECT_EQ(features.family, 26);
  EXPECT_EQ(features.model, 2);
  EXPECT_EQ(features.stepping, 1);
}

TEST(cpu_features, a_cpu_that_says_nothing_has_nothing) {
  CpuFeatures nothing;
  nothing.arch = "x86_64";
  EXPECT_EQ(decode_cpu_features({}), nothing);
  EXPECT_TRUE(isa_names(nothing).empty());
}

TEST(cpu_features, isa_names_come_in_the_documented_order) {
  EXPECT_EQ(isa_names(decode_cpu_features(server_cpu())),
            (std::vector<std::string>{"avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512vl", "avx512dq",
                                      "avx512_vnni", "avx_vnni", "clflush", "clflushopt"}));
}

// The kernel decodes CPUID on its own: its flags are the independent answer.
TEST(cpu_features, the_host_agrees_with_proc_cpuinfo) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line) && line.rfind("flags", 0) != 0) {
  }
  if (line.rfind("flags", 0) != 0) GTEST_SKIP() << "no x86 flags in /proc/cpuinfo";
  std::istringstream words(line);
  std::set<std::string> flags;
  for (std::string word; words >> word;) flags.insert(word);
  const std::vector<std::string> names = isa_names(read_cpu_features());
  for (const char* name : {"avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512vl", "avx512dq",
                           "avx512_vnni", "avx_vnni", "clflush", "clflushopt"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), flags.count(name)) << name;
  }
  EXPECT_EQ(read_cpu_features().hypervisor, flags.count("hypervisor") == 1);
}

}  // namespace
}  // namespace harness
