// The `.i8` format's fixed part: header and section table. Little-endian, packed, unaligned.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "models/shape.hpp"

namespace models {

inline constexpr uint32_t i8_magic = 0x30465043;  ///< the bytes "CPF0"
inline constexpr uint32_t i8_version = 1;
inline constexpr uint64_t i8_header_bytes = 66;  ///< 64 with a meaning, then two zero bytes
inline constexpr uint64_t i8_section_bytes = 32;
inline constexpr uint32_t i8_kind_rows = 0;    ///< int8 rows, each with one f32 scale
inline constexpr uint32_t i8_kind_floats = 1;  ///< f32
// What a reader takes before it allocates: far above any published model, far below what exhausts memory.
inline constexpr uint32_t i8_max_width = 1 << 16, i8_max_vocab = 1 << 20, i8_max_context = 1 << 17,
                          i8_max_blocks = 1024, i8_max_sections = 1 << 14;
inline constexpr uint64_t i8_max_file_bytes = uint64_t{1} << 31;

/// One row of the section table. Offsets count from the start of the file; scale_offset is 0 for f32.
struct I8Section {
  uint32_t kind, rows, cols, tag;
  uint64_t data_offset, scale_offset;
};
static_assert(sizeof(I8Section) == i8_section_bytes);

enum class I8Tag : uint32_t {
  embedding = 0,
  norm1 = 1,
  norm2 = 2,
  depthwise = 3,
  gate = 4,
  mix = 5,
  f1 = 6,
  f2 = 7,
  f3 = 8,
  qkv = 9,
  out = 10,
  final_norm = 11,
  draft_norm1 = 12,
  draft_f1 = 13,
  draft_f2 = 14,
  draft_f3 = 15,
  draft_norm2 = 16,
};
const char* i8_tag_name(I8Tag tag);

/// The header's fields, in file order.
struct I8Header {
  uint32_t magic, version, vocab, d, ff, conv_blocks, attention_blocks, heads, kv_heads, context, blocks,
      sections, taps;
  float softcap;  ///< ≤ 0: none
  uint32_t sections_offset, table_bytes;
};
static_assert(sizeof(I8Header) == 64);

/// Reads the header and checks that its dimensions are possible and that the section table lies inside the
/// file. Throws Error(invalid_input).
I8Header parse_i8_header(std::span<const std::byte> bytes, const std::string& name);

/// Returns the shape without its blocks, which only the sections tell.
Shape i8_shape(const I8Header& header);

}  // namespace models
