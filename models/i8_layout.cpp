#include "models/i8_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "harness/error.hpp"

namespace models {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian and read with memcpy");

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw harness::Error(harness::ExitCode::invalid_input, name + ": " + what);
}

void check_range(const std::string& name, const char* field, uint32_t value, uint32_t low, uint32_t high) {
  if (value < low || value > high) {
    refuse(name, fmt::format("header field {} is {}, expected {} to {}", field, value, low, high));
  }
}

void check_dimensions(const I8Header& header, const std::string& name) {
  check_range(name, "vocab", header.vocab, 1, i8_max_vocab);
  check_range(name, "d", header.d, 1, i8_max_width);
  check_range(name, "dff", header.ff, 1, i8_max_width);
  check_range(name, "heads", header.heads, 1, header.d);
  check_range(name, "kv_heads", header.kv_heads, 1, header.heads);
  check_range(name, "ctx", header.context, 1, i8_max_context);
  check_range(name, "nblocks", header.blocks, 1, i8_max_blocks);
  check_range(name, "nsections", header.sections, 1, i8_max_sections);
  check_range(name, "k (convolution taps)", header.taps, 4, 4);
  if (uint64_t{header.conv_blocks} + header.attention_blocks != header.blocks) {
    refuse(name, fmt::format("header tells of {} convolution and {} attention blocks, but of {} blocks",
                             header.conv_blocks, header.attention_blocks, header.blocks));
  }
  if (header.d % header.heads != 0) {
    refuse(name, fmt::format("a width of {} does not divide into {} heads", header.d, header.heads));
  }
  const uint32_t head_dim = header.d / header.heads;
  if (head_dim % 2 != 0 || head_dim > 256) {
    refuse(name,
           fmt::format("a head is {} wide; rotary positions need an even width of at most 256", head_dim));
  }
  if (header.heads % header.kv_heads != 0) {
    refuse(name, fmt::format("{} heads do not divide into {} groups", header.heads, header.kv_heads));
  }
  if (!std::isfinite(header.softcap)) refuse(name, fmt::format("softcap is {}", header.softcap));
}

}  // namespace

const char* i8_tag_name(I8Tag tag) {
  static constexpr std::array<const char*, 17> names{
      "embedding",   "norm1",    "norm2",    "depthwise", "gate",       "mix",
      "f1",          "f2",       "f3",       "qkv",       "out",        "final_norm",
      "draft_norm1", "draft_f1", "draft_f2", "draft_f3",  "draft_norm2"};
  return names.at(static_cast<size_t>(tag));
}

I8Header parse_i8_header(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.size() < i8_header_bytes) {
    refuse(name,
           fmt::format("{} bytes are no .i8 file: its header alone takes {}", bytes.size(), i8_header_bytes));
  }
  I8Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != i8_magic)
    refuse(name,
           fmt::format("is no .i8 file: it begins with {:#010x}, expected {:#010x}", header.magic, i8_magic));
  if (header.version != i8_version)
    refuse(name, fmt::format("has version {}, expected {}", header.version, i8_version));
  check_dimensions(header, name);
  const uint64_t table = uint64_t{header.sections} * i8_section_bytes;
  if (header.table_bytes != table) {
    refuse(name, fmt::format("the section table is said to take {} bytes, {} sections take {}",
                             header.table_bytes, header.sections, table));
  }
  if (header.sections_offset < sizeof(I8Header) || header.sections_offset + table > bytes.size()) {
    refuse(name, fmt::format("the section table takes {} bytes at byte {} of a file of {}", table,
                             header.sections_offset, bytes.size()));
  }
  return header;
}

Shape i8_shape(const I8Header& header) {
  Shape shape;
  shape.vocab = static_cast<int>(header.vocab);
  shape.d = static_cast<int>(header.d);
  shape.ff = static_cast<int>(header.ff);
  shape.heads = static_cast<int>(header.heads);
  shape.kv_heads = static_cast<int>(header.kv_heads);
  shape.head_dim = shape.d / shape.heads;
  shape.conv_taps = static_cast<int>(header.taps);
  shape.context = static_cast<int>(header.context);
  shape.softcap = header.softcap > 0 ? header.softcap : 0;
  shape.default_position_last = std::min(127, shape.context - 1);
  return shape;
}

}  // namespace models
