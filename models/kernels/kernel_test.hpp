// Operands and the fixture that the tests of every kernel slot share.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "harness/cpu_features.hpp"
#include "models/kernels/select.hpp"
#include "models/padded.hpp"
#include "models/splitmix64.hpp"

namespace models {

/// Aligned, padded with zeros to 16.
template <class T>
struct Operand {
  explicit Operand(int n)
      : length(n), memory(allocate_aligned(static_cast<size_t>(padded16(n) + 16) * sizeof(T))) {}
  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(memory.get()); }
  [[nodiscard]] size_t bytes() const { return static_cast<size_t>(length) * sizeof(T); }
  [[nodiscard]] bool padding_is_zero() const {
    for (int i = length; i < padded16(length); ++i) {
      if (data()[i] != 0) return false;
    }
    return true;
  }
  int length;
  AlignedMemory memory;
};

template <class T>
testing::AssertionResult same_bytes(const Operand<T>& got, const Operand<T>& want) {
  for (int i = 0; i < want.length; ++i) {
    if (std::memcmp(got.data() + i, want.data() + i, sizeof(T)) != 0) {
      return testing::AssertionFailure()
             << "element " << i << " of " << want.length << ": " << testing::PrintToString(got.data()[i])
             << ", scalar has " << testing::PrintToString(want.data()[i]);
    }
  }
  return testing::AssertionSuccess();
}

inline double unit(uint64_t seed, int i) {
  return static_cast<double>(splitmix64(seed, i) >> 11) * 0x1p-53;
}

inline Operand<float> random_floats(int n, uint64_t seed, double span) {
  Operand<float> x(n);
  for (int i = 0; i < n; ++i) x.data()[i] = static_cast<float>((2 * unit(seed, i) - 1) * span);
  return x;
}

inline Operand<int8_t> random_codes(int n, uint64_t seed) {
  Operand<int8_t> codes(n);
  for (int i = 0; i < n; ++i)
    codes.data()[i] = static_cast<int8_t>(static_cast<int>(splitmix64(seed, i) % 255) - 127);
  return codes;
}

/// One instance per ISA file of this binary; skipped, with the reason, where the CPU cannot run it.
class KernelTest : public testing::TestWithParam<const Kernels*> {
 protected:
  void SetUp() override {
    std::string missing = missing_feature(table(), harness::read_cpu_features());
    if (!missing.empty()) GTEST_SKIP() << "this CPU lacks " << missing;
  }
  static const Kernels& table() { return *GetParam(); }
  static constexpr Kernels scalar{};
};

}  // namespace models
