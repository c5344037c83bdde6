// Where packed weights of few bits keep their codes, the same on every ISA: blocks of 16 rows × some columns;
// a vector of 64 bytes holds, in byte 4·row + k, several codes of that row, k being their column modulo 4.
// Four columns are a quad. Ternary: a block is 16 columns, one vector, quad j in bits 2j and 2j+1. Groups: a
// block is the 32 columns that share a scale, 8 quads; quad 2i+s has its 4 bits in vector i from bit 4s on,
// or its low 2 bits in vector i/2 from bit 2·(i mod 2) + 4s on and its high bit in vector 2, bit i + 4s.
// Quads so become nibbles with two shifts at most. The scales follow all codes, so that every vector is
// aligned. Up to 4 row blocks stand side by side, like those of interleaved.hpp. Always inlined, so that no
// symbol is emitted (kernels.hpp).
#pragma once
#include <cstddef>
#include <cstdint>

namespace models::low_bit {

constexpr int block_rows = 16, quad_cols = 4, vector_bytes = 64;
constexpr int ternary_cols = 16;                                   ///< of a block
constexpr int group_cols = 32;                                     ///< of a block: what shares a scale
constexpr int group_quads = 8;                                     ///< of a block
constexpr int scale_bytes = 2 * block_rows;                        ///< of a block
constexpr int group3_bytes = 3 * vector_bytes;                     ///< codes of a block
constexpr int group4_bytes = 4 * vector_bytes;                     ///< codes of a block
constexpr int ternary_bias = 1, group3_bias = 4, group4_bias = 8;  ///< code − value
constexpr int most_blocks = 4;                                     ///< row blocks side by side

#define ALWAYS_INLINE_LOW_BIT static inline __attribute__((always_inline, unused))

ALWAYS_INLINE_LOW_BIT ptrdiff_t row_blocks(int rows) {
  return (rows + block_rows - 1) / block_rows;
}

/// Sets of row blocks that stand side by side; the first `blocks mod sets` of them have one block more.
ALWAYS_INLINE_LOW_BIT ptrdiff_t sets(ptrdiff_t all_blocks) {
  return (all_blocks + most_blocks - 1) / most_blocks;
}

ALWAYS_INLINE_LOW_BIT ptrdiff_t set_blocks(ptrdiff_t all_blocks, ptrdiff_t set) {
  return all_blocks / sets(all_blocks) + (set < all_blocks % sets(all_blocks) ? 1 : 0);
}

/// The blocks stored before block [row_block][col_block] of a matrix with col_blocks blocks a row.
ALWAYS_INLINE_LOW_BIT ptrdiff_t block_index(ptrdiff_t all_blocks, ptrdiff_t col_blocks, ptrdiff_t row_block,
                                            ptrdiff_t col_block) {
  const ptrdiff_t count = sets(all_blocks), larger = all_blocks % count;
  ptrdiff_t size = all_blocks / count + 1, first = 0;
  if (row_block >= larger * size) {
    first = larger * size;
    --size;
  }
  first += (row_block - first) / size * size;
  return first * col_blocks + col_block * size + (row_block - first);
}

/// Calls step(blocks) for each set in memory order; its argument is a constant where it is inlined.
#define FOR_EACH_SET(all_blocks, step)                                                        \
  for (ptrdiff_t all_ = (all_blocks), set_ = 0; set_ < models::low_bit::sets(all_); ++set_) { \
    switch (models::low_bit::set_blocks(all_, set_)) {                                        \
      case 1:                                                                                 \
        step(1);                                                                              \
        break;                                                                                \
      case 2:                                                                                 \
        step(2);                                                                              \
        break;                                                                                \
      case 3:                                                                                 \
        step(3);                                                                              \
        break;                                                                                \
      default:                                                                                \
        step(4);                                                                              \
        break;                                                                                \
    }                                                                                         \
  }

}  // namespace models::low_bit
