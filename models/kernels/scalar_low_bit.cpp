// Weights of few bits in plain C++: their packing, which every ISA shares, and their products.
#include <cstring>

#include "models/kernels/kernels.hpp"
#include "models/kernels/low_bit_layout.hpp"

namespace models::scalar {
namespace {

using namespace low_bit;

ptrdiff_t ternary_col_blocks(int cols) {
  return (cols + ternary_cols - 1) / ternary_cols;
}

int32_t sum_of(const int8_t* x, int n) {
  int32_t sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i];
  return sum;
}

/// Adds the bits of one code to a byte of a block that was zero.
void put(uint8_t* byte, int code, int shift) {
  *byte = static_cast<uint8_t>(*byte | code << shift);
}

/// Adds one row's codes of a group to its zeroed block.
void pack_group(const int8_t* values, int row, int bits, uint8_t* block) {
  for (int col = 0; col < group_cols; ++col) {
    const int quad = col / quad_cols, i = quad / 2, s = quad % 2;
    uint8_t* byte = block + row * quad_cols + col % quad_cols;
    if (bits == 4) {
      put(byte + i * vector_bytes, values[col] + group4_bias, 4 * s);
    } else {
      const int code = values[col] + group3_bias;
      put(byte + i / 2 * vector_bytes, code & 3, 2 * (i % 2) + 4 * s);
      put(byte + 2 * vector_bytes, code >> 2, i + 4 * s);
    }
  }
}

/// Writes the 32 values of one row's group.
void unpack_group(const uint8_t* block, int row, int bits, int8_t* values) {
  for (int i = 0; i < group_quads / 2; ++i) {
    for (int k = 0; k < quad_cols; ++k) {
      const uint8_t* byte = block + row * quad_cols + k;
      int both;  // the nibbles of quads 2i and 2i + 1
      if (bits == 4) {
        both = byte[i * vector_bytes];
      } else {
        const int low = byte[i / 2 * vector_bytes] >> 2 * (i % 2), high = byte[2 * vector_bytes] >> i;
        both = (low & 0x33) | (high & 0x11) << 2;
      }
      const int bias = bits == 4 ? group4_bias : group3_bias;
      values[2 * i * quad_cols + k] = static_cast<int8_t>((both & 15) - bias);
      values[(2 * i + 1) * quad_cols + k] = static_cast<int8_t>((both >> 4) - bias);
    }
  }
}

int block_bytes(int bits) {
  return bits == 4 ? group4_bytes : group3_bytes;
}

size_t group_packed_bytes(int rows, int cols, int bits) {
  return static_cast<size_t>(row_blocks(rows) * (cols / group_cols) * (block_bytes(bits) + scale_bytes));
}

/// Where the scales of a packed matrix begin.
ptrdiff_t scales_offset(int rows, int cols, int bits) {
  return row_blocks(rows) * (cols / group_cols) * block_bytes(bits);
}

void group_pack(const int8_t* values, const uint16_t* fp16_scales, int rows, int cols, int bits,
                uint8_t* packed) {
  static constexpr int8_t nothing[group_cols] = {};
  const ptrdiff_t blocks = row_blocks(rows), groups = cols / group_cols;
  std::memset(packed, 0, group_packed_bytes(rows, cols, bits));
  for (ptrdiff_t row = 0; row < blocks * block_rows; ++row) {
    for (ptrdiff_t group = 0; group < groups; ++group) {
      const ptrdiff_t at = block_index(blocks, groups, row / block_rows, group);
      const auto lane = static_cast<int>(row % block_rows);
      const int8_t* of_row = row < rows ? values + row * cols + group * group_cols : nothing;
      pack_group(of_row, lane, bits, packed + at * block_bytes(bits));
      if (row >= rows) continue;
      std::memcpy(packed + scales_offset(rows, cols, bits) + at * scale_bytes + 2 * lane,
                  fp16_scales + row * groups + group, sizeof *fp16_scales);
    }
  }
}

/// Writes a group's 32 values of one row and returns their scale.
float group_at(const uint8_t* packed, int rows, int cols, ptrdiff_t row, ptrdiff_t group, int bits,
               int8_t* values) {
  const ptrdiff_t at = block_index(row_blocks(rows), cols / group_cols, row / block_rows, group);
  const auto lane = static_cast<int>(row % block_rows);
  unpack_group(packed + at * block_bytes(bits), lane, bits, values);
  uint16_t half;
  std::memcpy(&half, packed + scales_offset(rows, cols, bits) + at * scale_bytes + 2 * lane, sizeof half);
  return float_of_half(half);
}

void group_gemv(const uint8_t* packed, int rows, int cols, int bits, const int8_t* x, float x_scale,
                float* y) {
  for (int row = 0; row < rows; ++row) {
    float sum = 0;
    for (int group = 0; group < cols / group_cols; ++group) {
      int8_t values[group_cols];
      const float scale = group_at(packed, rows, cols, row, group, bits, values);
      int32_t dot = 0;
      for (int i = 0; i < group_cols; ++i) dot += values[i] * x[group * group_cols + i];
      sum += static_cast<float>(dot) * scale;
    }
    y[row] = sum * x_scale;
  }
}

}  // namespace

float float_of_half(uint16_t half) {
  const uint32_t exponent = half >> 10 & 0x1Fu, fraction = half & 0x3FFu;
  const uint32_t sign = static_cast<uint32_t>(half >> 15) << 31;
  const float subnormal = static_cast<float>(fraction) * 0x1p-24f;
  uint32_t bits = (exponent + 127 - 15) << 23 | fraction << 13;
  if (exponent == 0) std::memcpy(&bits, &subnormal, sizeof bits);
  bits |= sign;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

size_t ternary_packed_bytes(int rows, int cols) {
  return static_cast<size_t>(row_blocks(rows) * ternary_col_blocks(cols) * vector_bytes);
}

void ternary_pack(const int8_t* codes, int rows, int cols, uint8_t* packed) {
  const ptrdiff_t blocks = row_blocks(rows), col_blocks = ternary_col_blocks(cols);
  std::memset(packed, 0, ternary_packed_bytes(rows, cols));
  for (ptrdiff_t row = 0; row < blocks * block_rows; ++row) {
    for (ptrdiff_t block = 0; block < col_blocks; ++block) {
      const ptrdiff_t at = block_index(blocks, col_blocks, row / block_rows, block);
      uint8_t* bytes = packed + at * vector_bytes + row % block_rows * quad_cols;
      for (int i = 0; i < ternary_cols; ++i) {
        const ptrdiff_t col = block * ternary_cols + i;
        const int value = row < rows && col < cols ? codes[row * cols + col] : 0;
        put(bytes + i % quad_cols, value + ternary_bias, 2 * (i / quad_cols));
      }
    }
  }
}

void ternary_gemv(const uint8_t* packed, float gamma, int rows, int cols, const int8_t* x, float x_scale,
                  float* y) {
  const ptrdiff_t blocks = row_blocks(rows), col_blocks = ternary_col_blocks(cols);
  const int32_t bias = ternary_bias * sum_of(x, cols);
  for (int row = 0; row < rows; ++row) {
    int32_t sum = -bias;
    for (ptrdiff_t block = 0; block < col_blocks; ++block) {
      const ptrdiff_t at = block_index(blocks, col_blocks, row / block_rows, block);
      const uint8_t* bytes = packed + at * vector_bytes + row % block_rows * quad_cols;
      const int8_t* sixteen = x + block * ternary_cols;
      for (int i = 0; i < ternary_cols; ++i)
        sum += (bytes[i % quad_cols] >> 2 * (i / quad_cols) & 3) * sixteen[i];
    }
    y[row] = (static_cast<float>(sum) * gamma) * x_scale;
  }
}

size_t group3_packed_bytes(int rows, int cols) {
  return group_packed_bytes(rows, cols, 3);
}

void group3_pack(const int8_t* values, const uint16_t* fp16_scales, int rows, int cols, uint8_t* packed) {
  group_pack(values, fp16_scales, rows, cols, 3, packed);
}

void group3_gemv(const uint8_t* packed, int rows, int cols, const int8_t* x, float x_scale, float* y) {
  group_gemv(packed, rows, cols, 3, x, x_scale, y);
}

size_t group4_packed_bytes(int rows, int cols) {
  return group_packed_bytes(rows, cols, 4);
}

void group4_pack(const int8_t* values, const uint16_t* fp16_scales, int rows, int cols, uint8_t* packed) {
  group_pack(values, fp16_scales, rows, cols, 4, packed);
}

void group4_gemv(const uint8_t* packed, int rows, int cols, const int8_t* x, float x_scale, float* y) {
  group_gemv(packed, rows, cols, 4, x, x_scale, y);
}

void group4_unpack_row(const uint8_t* packed, int rows, int cols, int row, float* values) {
  for (int group = 0; group < cols / group_cols; ++group) {
    int8_t of_group[group_cols];
    const float scale = group_at(packed, rows, cols, row, group, 4, of_group);
    for (int i = 0; i < group_cols; ++i)
      values[group * group_cols + i] = static_cast<float>(of_group[i]) * scale;
  }
}

}  // namespace models::scalar
