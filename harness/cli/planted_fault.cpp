// What `tokroof compare` is tried on: an executable that is slower than the product by a known share, or one
// with a single wrong rounding in one kernel table. Linked with --wrap (CMakeLists.txt), so that the
// product's own sources know nothing of it; never installed.
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/clock.hpp"
#include "models/decoder.hpp"
#include "models/kernels/select.hpp"

#ifdef PLANTED_SLOWDOWN_PERCENT
std::span<const float> real_step(models::Decoder*, uint32_t) __asm__("__real__ZN6models7Decoder4stepEj");
std::span<const float> slower_step(models::Decoder*, uint32_t) __asm__("__wrap__ZN6models7Decoder4stepEj");

std::span<const float> slower_step(models::Decoder* decoder, uint32_t token) {
  static const harness::Clock clock = harness::steady_clock();
  const int64_t start_ns = clock.now_ns();
  const std::span<const float> logits = real_step(decoder, token);
  const int64_t took_ns = clock.now_ns() - start_ns;
  const int64_t until_ns = start_ns + took_ns + took_ns * PLANTED_SLOWDOWN_PERCENT / 100;
  while (clock.now_ns() < until_ns) {
  }
  return logits;
}
#endif

#ifdef PLANTED_ROUNDING_ISA
std::span<const models::Kernels* const> real_tables() __asm__("__real__ZN6models13kernel_tablesEv");
std::span<const models::Kernels* const> wrong_tables() __asm__("__wrap__ZN6models13kernel_tablesEv");

namespace {

float (*right_quantise)(const float* x, int n, int8_t* codes) = nullptr;

/// The first code is rounded to the other side.
float wrong_quantise(const float* x, int n, int8_t* codes) {
  const float scale = right_quantise(x, n, codes);
  if (n > 0 && codes[0] < 127) ++codes[0];
  return scale;
}

}  // namespace

std::span<const models::Kernels* const> wrong_tables() {
  static models::Kernels wrong;
  static const std::vector<const models::Kernels*> tables = [] {
    std::vector<const models::Kernels*> made;
    for (const models::Kernels* table : real_tables()) {
      if (std::string_view(table->isa) == PLANTED_ROUNDING_ISA) {
        wrong = *table;
        right_quantise = wrong.quantise;
        wrong.quantise = wrong_quantise;
        table = &wrong;
      }
      made.push_back(table);
    }
    return made;
  }();
  return tables;
}
#endif
