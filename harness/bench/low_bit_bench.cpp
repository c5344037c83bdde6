// Matrix-vector products with weights of few bits, at the shapes of models that have them and at some that
// fill a cache.
#include <fmt/format.h>

#include "harness/bench/counted.hpp"
#include "harness/bench/inputs.hpp"
#include "harness/bench/register.hpp"
#include "harness/buffer.hpp"

namespace bench {
namespace {

constexpr float gamma = 0.02F, input_scale = 0.02F;
constexpr uint16_t half_of_weights = 0x2000;  // fp16 2^-7
constexpr MatrixShape ternary_shapes[] = {{128, 512},  {512, 128},  {512, 512},
                                          {4096, 512}, {8192, 512}, {2048, 4096}};
constexpr MatrixShape group_shapes[] = {{512, 1536}, {1536, 512}, {9216, 512}};

size_t weights_of(const MatrixShape& shape) {
  return static_cast<size_t>(shape.first) * static_cast<size_t>(shape.second);
}

/// Integers in [−2^(bits−1), 2^(bits−1)), ternary for 2 bits.
models::Padded<int8_t> random_values(const MatrixShape& shape, int bits) {
  const auto n = static_cast<int>(weights_of(shape));
  models::Padded<int8_t> values = random_codes(n, 1);
  const int levels = bits == 2 ? 3 : 1 << bits;
  for (int i = 0; i < n; ++i)
    values.data()[i] = static_cast<int8_t>((values.data()[i] + 127) % levels - levels / 2);
  return values;
}

/// `bits` 2 is ternary, 3 and 4 are groups.
struct LowBitGemv {
  const models::Kernels& kernels;
  int bits;
  MatrixShape shape;
  models::Padded<int8_t> x;
  models::Padded<float> y;
  harness::Buffer packed;

  LowBitGemv(const models::Kernels& table, int of_bits, const MatrixShape& of)
      : kernels(table),
        bits(of_bits),
        shape(of),
        x(random_codes(of.second, 2)),
        y(of.first),
        packed(packed_bytes(), harness::Pages::huge) {
    const models::Padded<int8_t> values = random_values(shape, bits);
    auto* bytes = reinterpret_cast<uint8_t*>(packed.data());
    if (bits == 2) {
      kernels.ternary_pack(values.data(), shape.first, shape.second, bytes);
      return;
    }
    const std::vector<uint16_t> scales(weights_of(shape) / 32, half_of_weights);
    const auto pack = bits == 3 ? kernels.group3_pack : kernels.group4_pack;
    pack(values.data(), scales.data(), shape.first, shape.second, bytes);
  }
  [[nodiscard]] size_t packed_bytes() const {
    if (bits == 2) return kernels.ternary_packed_bytes(shape.first, shape.second);
    const auto bytes = bits == 3 ? kernels.group3_packed_bytes : kernels.group4_packed_bytes;
    return bytes(shape.first, shape.second);
  }
  void call() const {
    const auto* bytes = reinterpret_cast<const uint8_t*>(packed.data());
    if (bits == 2) {
      kernels.ternary_gemv(bytes, gamma, shape.first, shape.second, x.data(), input_scale, y.data());
    } else {
      const auto gemv = bits == 3 ? kernels.group3_gemv : kernels.group4_gemv;
      gemv(bytes, shape.first, shape.second, x.data(), input_scale, y.data());
    }
  }
  [[nodiscard]] std::string result() const { return bytes_of(y.data(), shape.first); }
  [[nodiscard]] Work work() const {
    const auto weights = static_cast<int64_t>(weights_of(shape));
    return {static_cast<int64_t>(packed_bytes()), weights, weights};
  }
};

void register_shape(const models::Kernels& kernels, const char* operation, int bits,
                    const MatrixShape& shape) {
  register_operation(operation, kernels, fmt::format("{}x{}", shape.first, shape.second),
                     [bits, shape](const models::Kernels& table) { return LowBitGemv(table, bits, shape); });
}

}  // namespace

void register_low_bit(const models::Kernels& kernels) {
  for (const MatrixShape& shape : ternary_shapes) register_shape(kernels, "gemv_ternary", 2, shape);
  for (const MatrixShape& shape : group_shapes) register_shape(kernels, "gemv_group3", 3, shape);
  for (const MatrixShape& shape : group_shapes) register_shape(kernels, "gemv_group4", 4, shape);
}

}  // namespace bench
