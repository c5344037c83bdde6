// What the CPU can execute, as a value that tests can invent.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace harness {

/// Instruction sets usable here: reported by CPUID *and* enabled by the operating system (XGETBV).
/// Source: Intel SDM vol. 2A CPUID, leaves 1, 7.0, 7.1, 0xD; AMD APM vol. 3 appendix E.
struct CpuFeatures {
  std::string arch;    ///< "x86_64", "aarch64", …
  std::string vendor;  ///< "GenuineIntel", "AuthenticAMD", …; "" when unknown
  std::string brand;   ///< as CPUID 0x80000002… prints it, trimmed
  int family = 0, model = 0, stepping = 0;
  bool avx2 = false, fma = false;
  bool avx512f = false, avx512bw = false, avx512vl = false, avx512dq = false, avx512_vnni = false;
  bool avx_vnni = false;
  bool clflush = false, clflushopt = false;
  bool hypervisor = false;
  std::string hypervisor_vendor;  ///< e.g. "KVMKVMKVM"; "" when none

  bool operator==(const CpuFeatures&) const = default;
};

/// Reads this machine's features. On other architectures only `arch` is set.
CpuFeatures read_cpu_features();

/// Names the sets present, in the order of this struct, e.g. {"avx2", "fma", "avx512f"}.
std::vector<std::string> isa_names(const CpuFeatures& features);

}  // namespace harness
