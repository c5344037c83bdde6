#include "probes/kernel_rates_body.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "models/arena.hpp"
#include "models/kernels/kernels.hpp"
#include "models/kv_cache.hpp"
#include "models/padded.hpp"
#include "probes/kernel_rates_draw.hpp"

namespace probes {
namespace {

using models::Kernels;
using models::Padded;
using models::padded16;

constexpr int64_t line_bytes = 64;

int64_t whole_lines(int64_t bytes) {
  return (bytes + line_bytes - 1) / line_bytes * line_bytes;
}

/// A matrix packed for a table and for the plain one.
struct Product {
  const Kernels& kernels;
  std::string format;
  int rows, cols;
  std::vector<std::byte> packed, plain;  ///< with room to align
  Padded<float> scales, y, expected;
  Padded<int8_t> x;
  int64_t packed_bytes;

  Product(const Kernels& table, std::string of, int height, int width, uint64_t seed)
      : kernels(table),
        format(std::move(of)),
        rows(height),
        cols(width),
        scales(height),
        y(height),
        expected(height),
        x(width),
        packed_bytes(whole_lines(bytes_of(table))) {
    Draw draw(seed);
    const int high = format == "ternary" ? 1 : format == "group3" ? 3 : format == "group4" ? 7 : 127;
    std::vector<int8_t> codes(static_cast<size_t>(rows) * static_cast<size_t>(cols));
    for (int8_t& code : codes) code = static_cast<int8_t>(draw.code(-high, high));
    for (int i = 0; i < cols; ++i) x.data()[i] = static_cast<int8_t>(draw.code(-127, 127));
    for (int i = 0; i < rows; ++i) scales.data()[i] = 0.01f;
    const Kernels scalar;
    pack(table, codes, packed, packed_bytes);
    pack(scalar, codes, plain, whole_lines(bytes_of(scalar)));
    multiply(scalar, aligned(plain), scales.data(), expected.data());
  }

  static std::byte* aligned(std::vector<std::byte>& room) {
    const auto at = reinterpret_cast<uintptr_t>(room.data());
    return room.data() + (line_bytes - at % line_bytes) % line_bytes;
  }
  [[nodiscard]] int64_t bytes_of(const Kernels& table) const {
    return static_cast<int64_t>(format == "ternary"  ? table.ternary_packed_bytes(rows, cols)
                                : format == "group3" ? table.group3_packed_bytes(rows, cols)
                                : format == "group4" ? table.group4_packed_bytes(rows, cols)
                                                     : table.packed_bytes(rows, cols));
  }
  void pack(const Kernels& table, const std::vector<int8_t>& codes, std::vector<std::byte>& room,
            int64_t bytes) const {
    room.assign(static_cast<size_t>(bytes + line_bytes), std::byte{0});
    auto* to = reinterpret_cast<uint8_t*>(aligned(room));
    const std::vector<uint16_t> halves(codes.size() / models::group_cols + 1, 0x2000);  // 2^−7 in fp16
    if (format == "ternary") {
      table.ternary_pack(codes.data(), rows, cols, to);
    } else if (format == "group3") {
      table.group3_pack(codes.data(), halves.data(), rows, cols, to);
    } else if (format == "group4") {
      table.group4_pack(codes.data(), halves.data(), rows, cols, to);
    } else {
      table.pack(codes.data(), rows, cols, reinterpret_cast<int8_t*>(to));
    }
  }
  void multiply(const Kernels& table, const std::byte* from, const float* of_rows, float* out) const {
    const auto* bits = reinterpret_cast<const uint8_t*>(from);
    constexpr float x_scale = 0.01f;
    if (format == "ternary") {
      table.ternary_gemv(bits, *of_rows, rows, cols, x.data(), x_scale, out);
    } else if (format == "group3") {
      table.group3_gemv(bits, rows, cols, x.data(), x_scale, out);
    } else if (format == "group4") {
      table.group4_gemv(bits, rows, cols, x.data(), x_scale, out);
    } else {
      table.gemv(reinterpret_cast<const int8_t*>(from), of_rows, rows, cols, x.data(), x_scale, out);
    }
  }
  /// Codes, then the scales of int8 rows or the one of a ternary matrix: read as a decoder reads them.
  [[nodiscard]] int64_t memory_bytes() const {
    const int64_t scale_count = format == "int8" ? padded16(rows) : format == "ternary" ? 1 : 0;
    return packed_bytes + whole_lines(scale_count * 4);
  }
  void fill(std::byte* data) {
    std::memcpy(data, aligned(packed), static_cast<size_t>(packed_bytes));
    std::memcpy(data + packed_bytes, scales.data(), static_cast<size_t>(memory_bytes() - packed_bytes));
  }
  void call(const std::byte* data) const {
    multiply(kernels, data, reinterpret_cast<const float*>(data + packed_bytes), y.data());
  }
  [[nodiscard]] bool right() const {
    return std::memcmp(y.data(), expected.data(), static_cast<size_t>(rows) * sizeof(float)) == 0;
  }
};

models::Format format_of(const std::string& kernel) {
  return kernel == "ternary"  ? models::Format::ternary
         : kernel == "group3" ? models::Format::group3
         : kernel == "group4" ? models::Format::group4
                              : models::Format::int8;
}

/// By extent; null where there is none.
KernelBody body_of(const std::array<std::shared_ptr<Product>, 3>& products) {
  KernelBody body;
  for (size_t i = 0; i < products.size(); ++i) {
    if (const auto& one = products[i])
      body.sizes[i] = {std::llround(models::matrix_bytes(format_of(one->format), one->rows, one->cols)),
                       one->memory_bytes()};
  }
  const auto of = [products](Extent extent) { return products[static_cast<size_t>(extent)]; };
  body.fill = [=](std::byte* data, Extent extent) { of(extent)->fill(data); };
  body.call = [=](std::byte* data, Extent extent) { of(extent)->call(data); };
  body.right = [=](Extent extent) { return of(extent)->right(); };
  return body;
}

KernelBody product_body(const models::KernelUse& use, const Kernels& kernels, int64_t most_bytes,
                        uint64_t seed) {
  constexpr int most_rows = 256, least_rows = 64;
  const auto fitting = static_cast<int>(static_cast<double>(most_bytes) /
                                        models::matrix_bytes(format_of(use.kernel), 1, use.cols));
  const int rows = std::clamp(fitting / least_rows * least_rows, least_rows, most_rows);
  return body_of({std::make_shared<Product>(kernels, use.kernel, rows / 4, use.cols, seed + 1),
                  std::make_shared<Product>(kernels, use.kernel, rows, use.cols, seed),
                  std::make_shared<Product>(kernels, use.kernel, 4 * rows, use.cols, seed + 2)});
}

/// K and V of the last position stored, then scores, softmax and values of the heads that share K and V.
struct Attending {
  const Kernels& kernels;
  int heads, head_dim, positions, stride;
  std::vector<int8_t> codes;  ///< keys, then values
  Padded<int8_t> q;
  Padded<float> q_scales, weights, out, expected, key, value;

  Attending(const Kernels& table, int sharing, int width, int reach, uint64_t seed)
      : kernels(table),
        heads(sharing),
        head_dim(width),
        positions(reach),
        stride(padded16(width)),
        codes(static_cast<size_t>(2 * reach) * static_cast<size_t>(width)),
        q(sharing * padded16(width)),
        q_scales(sharing),
        weights(sharing * reach),
        out(sharing * width),
        expected(sharing * width),
        key(width),
        value(width) {
    Draw draw(seed);
    for (int i = 0; i < width; ++i) {
      key.data()[i] = draw.value();
      value.data()[i] = draw.value();
    }
    for (int8_t& code : codes) code = static_cast<int8_t>(draw.code(-127, 127));
    for (int i = 0; i < heads; ++i) {
      for (int j = 0; j < head_dim; ++j) q.data()[i * stride + j] = static_cast<int8_t>(draw.code(-127, 127));
      q_scales.data()[i] = 0.01f;
    }
    std::vector<std::byte> room(static_cast<size_t>(memory_bytes() + line_bytes));
    std::byte* data = Product::aligned(room);
    fill(data);
    attend(Kernels{}, data, expected.data());
  }

  [[nodiscard]] int64_t code_bytes() const { return static_cast<int64_t>(codes.size()); }
  [[nodiscard]] int64_t memory_bytes() const {
    models::Arena counts(nullptr);
    models::KvCache(1, head_dim, positions, counts);
    return static_cast<int64_t>(counts.used());
  }
  [[nodiscard]] models::KvCache cache_at(std::byte* data) const {
    models::Arena arena(data);
    return {1, head_dim, positions, arena};
  }
  void fill(std::byte* data) const {
    const models::KvHead to = cache_at(data).head(0);
    std::memcpy(to.keys, codes.data(), codes.size() / 2);
    std::memcpy(to.values, codes.data() + codes.size() / 2, codes.size() / 2);
    std::fill_n(to.key_scales, positions, 0.01f);
    std::fill_n(to.value_scales, positions, 0.01f);
  }
  void attend(const Kernels& table, std::byte* data, float* to) const {
    models::KvCache cache = cache_at(data);
    cache.store(0, positions - 1, key.data(), value.data());
    const models::KvHead kv = cache.head(0);
    models::AttentionGroup group{};
    group.keys = kv.keys;
    group.values = kv.values;
    group.key_scales = kv.key_scales;
    group.value_scales = kv.value_scales;
    group.q = q.data();
    group.q_scales = q_scales.data();
    group.heads = heads;
    group.head_dim = head_dim;
    group.q_stride = stride;
    group.positions = positions;
    group.inverse_sqrt_head_dim = 1.0f / std::sqrt(static_cast<float>(head_dim));
    group.weights = weights.data();
    group.weights_stride = positions;
    group.out = to;
    table.attention_scores(&group);
    for (int i = 0; i < heads; ++i)
      table.softmax(group.weights + i * positions, group.value_scales, positions);
    table.attention_values(&group);
  }
  [[nodiscard]] bool right() const {
    return std::memcmp(out.data(), expected.data(), sizeof(float) * static_cast<size_t>(heads * head_dim)) ==
           0;
  }
};

KernelBody attention_body(const models::KernelUse& use, const Kernels& kernels, uint64_t seed) {
  constexpr int far = 512, near = 128;  // multiples of a tile
  auto whole = std::make_shared<Attending>(kernels, use.heads, use.cols, far, seed);
  auto quarter = std::make_shared<Attending>(kernels, use.heads, use.cols, near, seed + 1);
  KernelBody body;
  body.sizes = {KernelBody::Size{quarter->code_bytes(), quarter->memory_bytes()},
                {whole->code_bytes(), whole->memory_bytes()},
                {}};
  const auto of = [=](Extent extent) { return extent == Extent::brief ? quarter : whole; };
  body.fill = [=](std::byte* data, Extent extent) { of(extent)->fill(data); };
  body.call = [=](std::byte* data, Extent extent) {
    const Attending& one = *of(extent);
    one.attend(one.kernels, data, one.out.data());
  };
  body.right = [=](Extent extent) { return of(extent)->right(); };
  return body;
}

}  // namespace

KernelBody make_matrix_body(models::Format format, int rows, int cols, const Kernels& kernels,
                            uint64_t seed) {
  return body_of(
      {nullptr, std::make_shared<Product>(kernels, models::kernel_name(format), rows, cols, seed), nullptr});
}

KernelBody make_kernel_body(const models::KernelUse& use, const Kernels& kernels, int64_t most_bytes,
                            uint64_t seed) {
  switch (use.reads) {
    case models::Reads::kv:
      return attention_body(use, kernels, seed);
    case models::Reads::nothing:
      return make_steps_body(use, kernels, seed);
    default:
      return product_body(use, kernels, most_bytes, seed);
  }
}

}  // namespace probes
