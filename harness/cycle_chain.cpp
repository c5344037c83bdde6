#include "harness/cycle_chain.hpp"

#include <algorithm>

#include "harness/clock.hpp"

namespace harness {

bool multiply_latency_is_known(const CpuFeatures& features) {
  if (features.vendor == "GenuineIntel") return features.family >= 6 && features.family != 15;
  if (features.vendor == "AuthenticAMD" || features.vendor == "HygonGenuine") return features.family >= 0x17;
  return false;
}

#if defined(__x86_64__)
uint32_t multiply_chain(uint32_t value, int64_t multiplies) {
  constexpr int64_t multiplies_per_turn = 16;
  for (int64_t i = multiplies / multiplies_per_turn; i > 0; --i) {
    asm volatile(
        "imul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0\n\t"
        "imul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0\n\t"
        "imul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0\n\t"
        "imul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0"
        : "+r"(value)
        :
        : "cc");
  }
  return value;
}
#else
uint32_t multiply_chain(uint32_t value, int64_t) {
  return value;
}
#endif

double read_core_clock_hz() {
  static const bool is_known = multiply_latency_is_known(read_cpu_features());  // cpuid leaves a guest: once
  if (!is_known) return 0;
  constexpr int64_t multiplies = 4096;
  constexpr int chains = 3;  // an interrupt slows one
  static const Clock clock = steady_clock();
  uint32_t value = 3;
  int64_t best_ns = INT64_MAX;
  for (int i = 0; i < chains; ++i) {
    const int64_t start_ns = clock.now_ns();
    value = multiply_chain(value, multiplies);
    asm volatile("" : : "r"(value) : "memory");
    best_ns = std::min(best_ns, clock.now_ns() - start_ns);
  }
  return best_ns <= 0
             ? 0
             : static_cast<double>(multiplies * cycles_per_multiply) / static_cast<double>(best_ns) * 1e9;
}

}  // namespace harness
