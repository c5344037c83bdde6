// What the CPU can execute, as a value that tests can invent.
#pragma once
#include <array>
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
  bool avx2 = false, fma = false, f16c = false;
  bool avx512f = false, avx512bw = false, avx512vl = false, avx512dq = false, avx512_vnni = false;
  bool avx_vnni = false;
  bool clflush = false, clflushopt = false;
  bool hypervisor = false;
  std::string hypervisor_vendor;  ///< e.g. "KVMKVMKVM"; "" when none
  int clflush_line_bytes = 0;     ///< what one clflush evicts (CPUID 1, EBX[15:8] × 8); 0 without clflush

  bool operator==(const CpuFeatures&) const = default;
};

/// Reads this machine's features. On other architectures only `arch` is set.
CpuFeatures read_cpu_features();

/// Names the sets present, in the order of this struct, spelt as in /proc/cpuinfo, e.g. {"avx2", "fma",
/// "avx512f"}.
std::vector<std::string> isa_names(const CpuFeatures& features);

/// What one CPUID leaf returns.
struct CpuidRegisters {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// Everything that the decoding looks at: tests invent CPUs with it. Leaves that a CPU lacks stay 0.
struct CpuidLeaves {
  CpuidRegisters vendor;                  ///< leaf 0
  CpuidRegisters version;                 ///< leaf 1
  CpuidRegisters features;                ///< leaf 7.0
  CpuidRegisters features_1;              ///< leaf 7.1
  CpuidRegisters hypervisor;              ///< leaf 0x40000000, read only when leaf 1 tells of a hypervisor
  std::array<CpuidRegisters, 3> brand{};  ///< leaves 0x80000002…4
  uint64_t xcr0 = 0;                      ///< XGETBV(0), read only when OSXSAVE is set
};

/// Decodes an x86-64 CPU. Pure.
CpuFeatures decode_cpu_features(const CpuidLeaves& leaves);

}  // namespace harness
