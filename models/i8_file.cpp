#include "models/i8_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "harness/digest.hpp"
#include "harness/error.hpp"
#include "harness/user_file.hpp"
#include "models/i8_layout.hpp"

namespace models {
namespace {

using harness::Error;
using harness::ExitCode;

/// Reads little-endian, unaligned values at offsets that have been checked.
template <class T>
T load(std::span<const std::byte> bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Walks the section table in the order that the format prescribes, and checks each section against it.
class SectionWalk {
 public:
  SectionWalk(std::span<const std::byte> bytes, const std::string& name, const I8Header& header)
      : bytes_(bytes), name_(name), header_(header) {}

  /// Returns the section that comes `ahead` after the next one; behind the last one all fields are ~0.
  [[nodiscard]] I8Section peek(uint32_t ahead = 0) const {
    if (header_.sections - next_ <= ahead) return {~0u, ~0u, ~0u, ~0u, ~0ull, ~0ull};
    return load<I8Section>(bytes_, entry_offset(next_ + ahead));
  }
  [[nodiscard]] bool next_is(I8Tag tag) const { return peek().tag == static_cast<uint32_t>(tag); }

  /// `stored_cols` is what the table must say where it is not the number of columns (depthwise taps: 1).
  Matrix matrix(I8Tag tag, int rows, int cols, int stored_cols = -1) {
    const I8Section section = take(tag, i8_kind_rows, rows, stored_cols < 0 ? cols : stored_cols);
    Matrix matrix{rows, cols, {}, {}};
    const uint64_t count = static_cast<uint64_t>(rows) * static_cast<uint64_t>(cols);
    const std::span<const std::byte> codes = range(section.data_offset, count, "codes");
    matrix.codes.resize(count);
    std::memcpy(matrix.codes.data(), codes.data(), count);
    const auto worst = std::find(matrix.codes.begin(), matrix.codes.end(), int8_t{-128});
    if (worst != matrix.codes.end()) {
      refuse(fmt::format("code {} is -128; codes lie in [-127, 127]", worst - matrix.codes.begin()));
    }
    matrix.scales = floats(section.scale_offset, static_cast<uint64_t>(rows), "scales");
    for (size_t row = 0; row < matrix.scales.size(); ++row) {
      if (!std::isfinite(matrix.scales[row]) || matrix.scales[row] < 0) {
        refuse(fmt::format("the scale of row {} is {}; scales are finite and not negative", row,
                           matrix.scales[row]));
      }
    }
    return matrix;
  }

  std::vector<float> norm(I8Tag tag, int length, int stored_cols = 1) {
    const I8Section section = take(tag, i8_kind_floats, length, stored_cols);
    if (section.scale_offset != 0) refuse("has scales; f32 sections have none");
    std::vector<float> values = floats(section.data_offset, static_cast<uint64_t>(length), "values");
    for (size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) refuse(fmt::format("value {} is {}; values are finite", i, values[i]));
    }
    return values;
  }

  /// Nothing may be left over, and nothing may lie on top of something else.
  void finish() {
    if (next_ != header_.sections) {
      fail(fmt::format("{} sections are left over after the {} that this shape has", header_.sections - next_,
                       next_));
    }
    std::sort(taken_.begin(), taken_.end());
    for (size_t i = 1; i < taken_.size(); ++i) {
      if (taken_[i].first < taken_[i - 1].second) {
        fail(fmt::format("sections overlap: one ends at byte {}, another begins at byte {}",
                         taken_[i - 1].second, taken_[i].first));
      }
    }
    if (taken_.back().second != bytes_.size()) {
      fail(fmt::format("{} bytes follow the last section", bytes_.size() - taken_.back().second));
    }
  }

 private:
  [[nodiscard]] uint64_t entry_offset(uint32_t index) const {
    return header_.sections_offset + uint64_t{index} * i8_section_bytes;
  }

  I8Section take(I8Tag tag, uint32_t kind, int rows, int cols) {
    if (next_ == header_.sections) {
      fail(fmt::format("ends after {} sections where section '{}' should follow", next_, i8_tag_name(tag)));
    }
    const I8Section section = peek();
    current_ = fmt::format("section {} ({})", next_, i8_tag_name(tag));
    ++next_;
    if (section.tag != static_cast<uint32_t>(tag)) {
      refuse(fmt::format("has tag {}, expected {}", section.tag, static_cast<uint32_t>(tag)));
    }
    if (section.kind != kind) refuse(fmt::format("is of kind {}, expected {}", section.kind, kind));
    if (section.rows != static_cast<uint32_t>(rows) || section.cols != static_cast<uint32_t>(cols)) {
      refuse(fmt::format("is {} x {}, expected {} x {}", section.rows, section.cols, rows, cols));
    }
    return section;
  }

  std::span<const std::byte> range(uint64_t offset, uint64_t count, const char* what) {
    const uint64_t first = header_.sections_offset + uint64_t{header_.sections} * i8_section_bytes;
    if (offset < first || offset > bytes_.size() || count > bytes_.size() - offset) {
      refuse(fmt::format("its {} take {} bytes at byte {}; the payload runs from byte {} to {}", what, count,
                         offset, first, bytes_.size()));
    }
    taken_.emplace_back(offset, offset + count);
    return bytes_.subspan(offset, count);
  }

  std::vector<float> floats(uint64_t offset, uint64_t count, const char* what) {
    const std::span<const std::byte> stored = range(offset, count * sizeof(float), what);
    std::vector<float> values(count);
    std::memcpy(values.data(), stored.data(), stored.size());
    return values;
  }

  [[noreturn]] void refuse(const std::string& what) const { fail(current_ + ": " + what); }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ExitCode::invalid_input, name_ + ": " + what);
  }

  std::span<const std::byte> bytes_;
  std::string name_;
  I8Header header_;
  uint32_t next_ = 0;
  std::string current_;
  std::vector<std::pair<uint64_t, uint64_t>> taken_;  ///< [first byte, one past the last)
};

BlockWeights read_block(SectionWalk& walk, Shape& shape, int taps) {
  BlockWeights block;
  block.norm1 = walk.norm(I8Tag::norm1, shape.d);
  block.norm2 = walk.norm(I8Tag::norm2, shape.d);
  // Only the tag behind the norms tells what kind of block this is.
  if (walk.next_is(I8Tag::depthwise)) {
    shape.blocks.push_back(Block::conv);
    block.depthwise = walk.matrix(I8Tag::depthwise, shape.d, taps, 1);
    block.gate = walk.matrix(I8Tag::gate, shape.d, shape.d);
    block.mix = walk.matrix(I8Tag::mix, shape.d, shape.d);
  } else {
    shape.blocks.push_back(Block::attention);
    block.qkv = walk.matrix(I8Tag::qkv, shape.d + 2 * shape.kv_heads * shape.head_dim, shape.d);
    block.out = walk.matrix(I8Tag::out, shape.d, shape.d);
  }
  block.f1 = walk.matrix(I8Tag::f1, shape.ff, shape.d);
  block.f2 = walk.matrix(I8Tag::f2, shape.ff, shape.d);
  block.f3 = walk.matrix(I8Tag::f3, shape.d, shape.ff);
  return block;
}

/// Checks the draft head, and notes its width: decode reads none of it.
void read_draft_head(SectionWalk& walk, Shape& shape) {
  // The first section has the head's depth as its column count; the rows of the second give its width.
  const uint32_t depth = std::min(walk.peek().cols, i8_max_width);
  const uint32_t width = std::clamp(walk.peek(1).rows, 1u, i8_max_width);
  shape.draft_ff = static_cast<int>(width);
  walk.norm(I8Tag::draft_norm1, shape.d, static_cast<int>(depth));
  walk.matrix(I8Tag::draft_f1, shape.draft_ff, shape.d);
  walk.matrix(I8Tag::draft_f2, shape.draft_ff, shape.d);
  walk.matrix(I8Tag::draft_f3, shape.d, shape.draft_ff);
  walk.norm(I8Tag::draft_norm2, shape.d);
}

/// Gives a shape the name and default positions of the known shape with the same dimensions, if there is one.
void name_shape(Shape& shape) {
  shape.name = "i8_file";
  for (const Shape& known : shapes()) {
    Shape same = known;
    same.name = shape.name;
    same.draft_ff = shape.draft_ff;
    same.default_position_first = shape.default_position_first;
    same.default_position_last = shape.default_position_last;
    if (same != shape) continue;
    shape.name = known.name;
    shape.default_position_first = known.default_position_first;
    shape.default_position_last = known.default_position_last;
    return;
  }
}

std::vector<std::byte> read_bytes(const std::string& path) {
  std::error_code unknown;  // a named pipe would be waited for
  if (std::filesystem::exists(path, unknown)) harness::check_user_file(path);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) {
    throw Error(ExitCode::invalid_input, fmt::format("{}: cannot be read ({})", path, std::strerror(errno)));
  }
  std::vector<std::byte> bytes;
  std::vector<std::byte> chunk(1 << 20);
  while (const size_t got = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
    if (bytes.size() + got > i8_max_file_bytes) {
      throw Error(ExitCode::invalid_input, fmt::format("{}: larger than {} bytes", path, i8_max_file_bytes));
    }
    bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(got));
  }
  if (std::ferror(file.get()) != 0) throw Error(ExitCode::invalid_input, fmt::format("{}: read error", path));
  return bytes;
}

}  // namespace

I8Model parse_i8(std::span<const std::byte> bytes, const std::string& name) {
  const I8Header header = parse_i8_header(bytes, name);
  I8Model model;
  model.shape = i8_shape(header);
  SectionWalk walk(bytes, name, header);
  model.weights.embedding = walk.matrix(I8Tag::embedding, model.shape.vocab, model.shape.d);
  for (uint32_t i = 0; i < header.blocks; ++i) {
    model.weights.blocks.push_back(read_block(walk, model.shape, model.shape.conv_taps));
  }
  const auto convolutions = std::count(model.shape.blocks.begin(), model.shape.blocks.end(), Block::conv);
  if (convolutions != int64_t{header.conv_blocks}) {
    throw Error(ExitCode::invalid_input,
                fmt::format("{}: the header tells of {} convolution blocks, the sections make {}", name,
                            header.conv_blocks, convolutions));
  }
  model.weights.widest_int8_row = i8_widest_int8_row;
  model.weights.final_norm = walk.norm(I8Tag::final_norm, model.shape.d);
  if (walk.next_is(I8Tag::draft_norm1)) read_draft_head(walk, model.shape);
  walk.finish();
  name_shape(model.shape);
  model.sha256 = harness::sha256_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return model;
}

I8Model read_i8_file(const std::string& path) {
  return parse_i8(read_bytes(path), path);
}

}  // namespace models
