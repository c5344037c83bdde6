// Where a matrix interleaved by rows keeps its codes: blocks of some rows × 4 columns, each one vector; up to
// 8 blocks stand side by side for each four columns, so that their accumulators share one broadcast of four
// activations. Groups are of equal size to within one block: none is so small that a chain of additions
// binds. Always inlined, so that no symbol is emitted (kernels.hpp).
#pragma once
#include <cstddef>
#include <cstdint>

namespace models::interleaved {

constexpr int block_cols = 4;
constexpr int most_blocks = 8;  ///< of a group: eight accumulators hide the latency of dot products

#define ALWAYS_INLINE_LAYOUT static inline __attribute__((always_inline, unused))

ALWAYS_INLINE_LAYOUT ptrdiff_t col_groups(int cols) {
  return (cols + block_cols - 1) / block_cols;
}

ALWAYS_INLINE_LAYOUT ptrdiff_t blocks(int rows, const int block_rows) {
  return (rows + block_rows - 1) / block_rows;
}

/// Groups of a matrix with that many blocks; the first `blocks mod groups` of them have one block more.
ALWAYS_INLINE_LAYOUT ptrdiff_t groups(ptrdiff_t all_blocks) {
  return (all_blocks + most_blocks - 1) / most_blocks;
}

ALWAYS_INLINE_LAYOUT size_t bytes(int rows, int cols, const int block_rows) {
  return static_cast<size_t>(blocks(rows, block_rows) * col_groups(cols) * block_rows * block_cols);
}

ALWAYS_INLINE_LAYOUT ptrdiff_t offset(int rows, int cols, int row, int col, const int block_rows) {
  ptrdiff_t all = blocks(rows, block_rows), count = groups(all), small = all / count, larger = all % count;
  ptrdiff_t block = row / block_rows, first = 0, size = small + 1;
  if (block < larger * size) {
    first = block / size * size;
  } else {
    size = small;
    first = larger * (small + 1) + (block - larger * (small + 1)) / small * small;
  }
  ptrdiff_t vector = first * col_groups(cols) + col / block_cols * size + (block - first);
  return (vector * block_rows + row % block_rows) * block_cols + col % block_cols;
}

/// `flip` is XORed into each code: 0x80 stores code + 128 as an unsigned byte, 0 leaves it. Padding is code
/// 0.
ALWAYS_INLINE_LAYOUT void pack(const int8_t* codes, int rows, int cols, int8_t* packed, const int block_rows,
                               const int flip) {
  __builtin_memset(packed, flip, bytes(rows, cols, block_rows));
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      packed[offset(rows, cols, row, col, block_rows)] =
          static_cast<int8_t>(codes[ptrdiff_t{row} * cols + col] ^ flip);
    }
  }
}

ALWAYS_INLINE_LAYOUT void unpack_row(const int8_t* packed, int rows, int cols, int row, int8_t* codes,
                                     const int block_rows, const int flip) {
  for (int col = 0; col < cols; ++col)
    codes[col] = static_cast<int8_t>(packed[offset(rows, cols, row, col, block_rows)] ^ flip);
}

/// Calls group(blocks) for each group in memory order; its argument is a constant where it is inlined.
#define FOR_EACH_GROUP(all_blocks, group)                                                              \
  for (ptrdiff_t all_ = (all_blocks), count_ = interleaved::groups(all_), i_ = 0; i_ < count_; ++i_) { \
    switch (all_ / count_ + (i_ < all_ % count_ ? 1 : 0)) {                                            \
      case 1:                                                                                          \
        group(1);                                                                                      \
        break;                                                                                         \
      case 2:                                                                                          \
        group(2);                                                                                      \
        break;                                                                                         \
      case 3:                                                                                          \
        group(3);                                                                                      \
        break;                                                                                         \
      case 4:                                                                                          \
        group(4);                                                                                      \
        break;                                                                                         \
      case 5:                                                                                          \
        group(5);                                                                                      \
        break;                                                                                         \
      case 6:                                                                                          \
        group(6);                                                                                      \
        break;                                                                                         \
      case 7:                                                                                          \
        group(7);                                                                                      \
        break;                                                                                         \
      default:                                                                                         \
        group(8);                                                                                      \
        break;                                                                                         \
    }                                                                                                  \
  }

}  // namespace models::interleaved
