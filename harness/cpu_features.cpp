#include "harness/cpu_features.hpp"

#include <sys/utsname.h>

#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace harness {
namespace {

bool bit(uint32_t word, int index) {
  return (word >> index & 1u) != 0;
}

void append_bytes(std::string& text, std::initializer_list<uint32_t> words) {
  for (uint32_t word : words) {
    char bytes[sizeof word];
    std::memcpy(bytes, &word, sizeof word);
    text.append(bytes, sizeof word);
  }
}

/// Returns a register string up to its first NUL, without blanks at either end or doubled inside.
std::string trimmed(const std::string& raw) {
  std::string text;
  for (char c : raw) {
    if (c == '\0') break;
    const bool printable = c > ' ' && c <= '~';
    if (printable) text += c;
    if (!printable && !text.empty() && text.back() != ' ') text += ' ';
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

// Intel SDM vol. 2A, CPUID leaf 1, "Version information"; the extended model counts from family 6 on (as in
// Linux).
void decode_version(uint32_t eax, CpuFeatures& features) {
  const auto field = [eax](int shift, uint32_t mask) { return static_cast<int>(eax >> shift & mask); };
  const int base_family = field(8, 0xF);
  features.family = base_family == 0xF ? base_family + field(20, 0xFF) : base_family;
  features.model = field(4, 0xF) + (base_family >= 6 ? field(16, 0xF) << 4 : 0);
  features.stepping = field(0, 0xF);
}

void decode_vector_sets(const CpuidLeaves& leaves, CpuFeatures& features) {
  constexpr uint64_t ymm_state = 0x06;  // XCR0: SSE and AVX state
  constexpr uint64_t zmm_state = 0xE6;  // … and opmask, ZMM_Hi256, Hi16_ZMM (Intel SDM vol. 1, 13.3)
  const bool os_saves = bit(leaves.version.ecx, 27);
  if (!os_saves || (leaves.xcr0 & ymm_state) != ymm_state || !bit(leaves.version.ecx, 28)) return;
  features.fma = bit(leaves.version.ecx, 12);
  features.f16c = bit(leaves.version.ecx, 29);
  features.avx2 = bit(leaves.features.ebx, 5);
  features.avx_vnni = bit(leaves.features_1.eax, 4);
  if ((leaves.xcr0 & zmm_state) != zmm_state || !bit(leaves.features.ebx, 16)) return;
  features.avx512f = true;
  features.avx512bw = bit(leaves.features.ebx, 30);
  features.avx512vl = bit(leaves.features.ebx, 31);
  features.avx512dq = bit(leaves.features.ebx, 17);
  features.avx512_vnni = bit(leaves.features.ecx, 11);
}

#if defined(__x86_64__)
CpuidRegisters cpuid(uint32_t leaf, uint32_t subleaf = 0) {
  CpuidRegisters r;
  __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
  return r;
}

uint64_t read_xcr0() {
  uint32_t low = 0;
  uint32_t high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));  // the intrinsic would need -mxsave
  return uint64_t{high} << 32 | low;
}

CpuidLeaves read_cpuid_leaves() {
  CpuidLeaves leaves;
  leaves.vendor = cpuid(0);
  leaves.version = cpuid(1);
  if (leaves.vendor.eax >= 7) {
    leaves.features = cpuid(7, 0);
    if (leaves.features.eax >= 1) leaves.features_1 = cpuid(7, 1);
  }
  if (bit(leaves.version.ecx, 31)) leaves.hypervisor = cpuid(0x40000000);
  if (cpuid(0x80000000).eax >= 0x80000004) {
    for (uint32_t i = 0; i < 3; ++i) leaves.brand[i] = cpuid(0x80000002 + i);
  }
  if (bit(leaves.version.ecx, 27)) leaves.xcr0 = read_xcr0();
  return leaves;
}
#endif

}  // namespace

CpuFeatures decode_cpu_features(const CpuidLeaves& leaves) {
  CpuFeatures features;
  features.arch = "x86_64";
  std::string vendor;
  append_bytes(vendor, {leaves.vendor.ebx, leaves.vendor.edx, leaves.vendor.ecx});
  features.vendor = trimmed(vendor);
  std::string brand;
  for (const CpuidRegisters& part : leaves.brand) {
    append_bytes(brand, {part.eax, part.ebx, part.ecx, part.edx});
  }
  features.brand = trimmed(brand);
  decode_version(leaves.version.eax, features);
  decode_vector_sets(leaves, features);
  features.clflush = bit(leaves.version.edx, 19);
  features.clflushopt = bit(leaves.features.ebx, 23);
  if (features.clflush) features.clflush_line_bytes = static_cast<int>(leaves.version.ebx >> 8 & 0xFF) * 8;
  features.hypervisor = bit(leaves.version.ecx, 31);
  if (features.hypervisor) {
    std::string name;
    append_bytes(name, {leaves.hypervisor.ebx, leaves.hypervisor.ecx, leaves.hypervisor.edx});
    features.hypervisor_vendor = trimmed(name);
  }
  return features;
}

CpuFeatures read_cpu_features() {
#if defined(__x86_64__)
  return decode_cpu_features(read_cpuid_leaves());
#else
  CpuFeatures features;
  utsname system{};
  if (uname(&system) == 0) features.arch = system.machine;
  return features;
#endif
}

std::vector<std::string> isa_names(const CpuFeatures& features) {
  std::vector<std::string> names;
  const auto add = [&names](bool present, const char* name) {
    if (present) names.emplace_back(name);
  };
  add(features.avx2, "avx2");
  add(features.fma, "fma");
  add(features.f16c, "f16c");
  add(features.avx512f, "avx512f");
  add(features.avx512bw, "avx512bw");
  add(features.avx512vl, "avx512vl");
  add(features.avx512dq, "avx512dq");
  add(features.avx512_vnni, "avx512_vnni");
  add(features.avx_vnni, "avx_vnni");
  add(features.clflush, "clflush");
  add(features.clflushopt, "clflushopt");
  return names;
}

}  // namespace harness
