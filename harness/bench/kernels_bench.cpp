// The matrix-vector products, at every matrix shape of the built-in models.
#include <fmt/format.h>

#include <cstring>

#include "harness/bench/counted.hpp"
#include "harness/bench/inputs.hpp"
#include "harness/bench/register.hpp"
#include "harness/buffer.hpp"

namespace bench {
namespace {

constexpr float weight_scale = 0.01F, input_scale = 0.02F;

int64_t weights_of(const MatrixShape& shape) {
  return int64_t{shape.first} * shape.second;
}

/// Codes, one scale per row, and what the product leaves.
Work gemv_work(const MatrixShape& shape) {
  return {weights_of(shape) + 4 * int64_t{shape.first}, weights_of(shape), weights_of(shape)};
}

struct Gemv {
  const models::Kernels& kernels;
  MatrixShape shape;
  models::Padded<int8_t> x;
  models::Padded<float> scales, y;
  harness::Buffer packed;

  Gemv(const models::Kernels& table, const MatrixShape& of)
      : kernels(table),
        shape(of),
        x(random_codes(of.second, 2)),
        scales(constant_floats(of.first, weight_scale)),
        y(of.first),
        packed(table.packed_bytes(of.first, of.second), harness::Pages::huge) {
    const models::Padded<int8_t> codes = random_codes(static_cast<int>(weights_of(shape)), 1);
    kernels.pack(codes.data(), shape.first, shape.second, reinterpret_cast<int8_t*>(packed.data()));
  }
  void call() const {
    kernels.gemv(reinterpret_cast<const int8_t*>(packed.data()), scales.data(), shape.first, shape.second,
                 x.data(), input_scale, y.data());
  }
  [[nodiscard]] std::string result() const { return bytes_of(y.data(), shape.first); }
  [[nodiscard]] Work work() const { return gemv_work(shape); }
};

struct GemvFloat {
  const models::Kernels& kernels;
  MatrixShape shape;
  models::Padded<float> x, scales, y;
  harness::Buffer codes;

  GemvFloat(const models::Kernels& table, const MatrixShape& of)
      : kernels(table),
        shape(of),
        x(random_floats(of.second, 2)),
        scales(constant_floats(of.first, weight_scale)),
        y(of.first),
        codes(static_cast<size_t>(of.first) * static_cast<size_t>(models::padded16(of.second)),
              harness::Pages::huge) {
    const auto stride = static_cast<size_t>(models::padded16(shape.second));
    const models::Padded<int8_t> row_major = random_codes(static_cast<int>(weights_of(shape)), 1);
    std::memset(codes.data(), 0, codes.bytes());
    for (int row = 0; row < shape.first; ++row) {
      std::memcpy(codes.data() + static_cast<size_t>(row) * stride,
                  row_major.data() + static_cast<size_t>(row) * static_cast<size_t>(shape.second),
                  static_cast<size_t>(shape.second));
    }
  }
  void call() const {
    kernels.gemv_float(reinterpret_cast<const int8_t*>(codes.data()), scales.data(), shape.first,
                       shape.second, x.data(), y.data());
  }
  [[nodiscard]] std::string result() const { return bytes_of(y.data(), shape.first); }
  [[nodiscard]] Work work() const { return gemv_work(shape); }
};

}  // namespace

void register_gemv(const models::Kernels& kernels) {
  for (const MatrixShape& shape : matrix_shapes()) {
    const std::string name = fmt::format("{}x{}", shape.first, shape.second);
    register_operation("gemv_i8", kernels, name,
                       [shape](const models::Kernels& table) { return Gemv(table, shape); });
    register_operation("gemv_float", kernels, name,
                       [shape](const models::Kernels& table) { return GemvFloat(table, shape); });
  }
}

void register_kernels(const harness::CpuFeatures& features) {
  for (const models::Kernels* kernels : models::kernel_tables()) {
    if (!models::missing_feature(*kernels, features).empty()) continue;
    register_gemv(*kernels);
    register_low_bit(*kernels);
    register_vectors(*kernels);
    register_attention(*kernels);
    register_decode(*kernels);
  }
}

}  // namespace bench
