#include "models/i8_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <vector>

#include "harness/error.hpp"
#include "models/i8_layout.hpp"

namespace models {
namespace {

/// How many blocks the draft head runs: the column count of its first norm. The published file's; no reader
/// derives a size from it.
constexpr uint32_t draft_depth = 3;

/// Collects sections in file order, then lays them out without gaps.
class SectionList {
 public:
  /// `stored_cols` is what the table says where it is not the number of columns (depthwise taps: 1).
  void matrix(I8Tag tag, const Matrix& matrix, int stored_cols = -1) {
    assert(matrix.scales.size() == static_cast<size_t>(matrix.rows));
    const int cols = stored_cols < 0 ? matrix.cols : stored_cols;
    add(tag, i8_kind_rows, matrix.rows, cols, {matrix.codes.data(), matrix.codes.size()},
        {matrix.scales.data(), matrix.scales.size() * sizeof(float)});
  }
  void norm(I8Tag tag, const std::vector<float>& values, uint32_t stored_cols = 1) {
    add(tag, i8_kind_floats, static_cast<int>(values.size()), static_cast<int>(stored_cols),
        {values.data(), values.size() * sizeof(float)}, {nullptr, 0});
  }

  [[nodiscard]] std::string bytes(I8Header header) const {
    const uint64_t table = sections_.size() * i8_section_bytes;
    header.sections = static_cast<uint32_t>(sections_.size());
    header.sections_offset = i8_header_bytes;
    header.table_bytes = static_cast<uint32_t>(table);
    uint64_t end = i8_header_bytes + table;
    for (const Section& section : sections_) end += section.data.bytes + section.scales.bytes;
    if (end > i8_max_file_bytes) {
      throw harness::Error(harness::ExitCode::invalid_input,
                           fmt::format("a weights file of {} bytes would be larger than any reader takes, {}",
                                       end, i8_max_file_bytes));
    }
    std::string file;
    file.reserve(end);
    append(file, {&header, sizeof header});
    file.resize(i8_header_bytes, '\0');
    uint64_t offset = i8_header_bytes + table;
    for (const Section& section : sections_) {
      I8Section row = section.row;
      row.data_offset = offset;
      row.scale_offset = section.scales.bytes == 0 ? 0 : offset + section.data.bytes;
      offset += section.data.bytes + section.scales.bytes;
      append(file, {&row, sizeof row});
    }
    for (const Section& section : sections_) {
      append(file, section.data);
      append(file, section.scales);
    }
    return file;
  }

 private:
  struct Part {
    const void* data;
    size_t bytes;
  };
  struct Section {
    I8Section row;
    Part data, scales;
  };

  void add(I8Tag tag, uint32_t kind, int rows, int cols, Part data, Part scales) {
    const I8Section row{
        kind, static_cast<uint32_t>(rows), static_cast<uint32_t>(cols), static_cast<uint32_t>(tag), 0, 0};
    sections_.push_back({row, data, scales});
  }
  static void append(std::string& file, Part part) {
    if (part.bytes > 0) file.append(static_cast<const char*>(part.data), part.bytes);
  }

  std::vector<Section> sections_;
};

void add_block(SectionList& list, Block kind, const BlockWeights& block) {
  list.norm(I8Tag::norm1, block.norm1);
  list.norm(I8Tag::norm2, block.norm2);
  if (kind == Block::conv) {
    list.matrix(I8Tag::depthwise, block.depthwise, 1);
    list.matrix(I8Tag::gate, block.gate);
    list.matrix(I8Tag::mix, block.mix);
  } else {
    list.matrix(I8Tag::qkv, block.qkv);
    list.matrix(I8Tag::out, block.out);
  }
  list.matrix(I8Tag::f1, block.f1);
  list.matrix(I8Tag::f2, block.f2);
  list.matrix(I8Tag::f3, block.f3);
}

void add_draft(SectionList& list, const DraftWeights& draft, size_t blocks) {
  list.norm(I8Tag::draft_norm1, draft.norm1, std::min(draft_depth, static_cast<uint32_t>(blocks)));
  list.matrix(I8Tag::draft_f1, draft.f1);
  list.matrix(I8Tag::draft_f2, draft.f2);
  list.matrix(I8Tag::draft_f3, draft.f3);
  list.norm(I8Tag::draft_norm2, draft.norm2);
}

I8Header header_of(const Shape& shape) {
  const auto convolutions = std::count(shape.blocks.begin(), shape.blocks.end(), Block::conv);
  I8Header header{};
  header.magic = i8_magic;
  header.version = i8_version;
  header.vocab = static_cast<uint32_t>(shape.vocab);
  header.d = static_cast<uint32_t>(shape.d);
  header.ff = static_cast<uint32_t>(shape.ff);
  header.conv_blocks = static_cast<uint32_t>(convolutions);
  header.blocks = static_cast<uint32_t>(shape.blocks.size());
  header.attention_blocks = header.blocks - header.conv_blocks;
  header.heads = static_cast<uint32_t>(shape.heads);
  header.kv_heads = static_cast<uint32_t>(shape.kv_heads);
  header.context = static_cast<uint32_t>(shape.context);
  header.taps = static_cast<uint32_t>(shape.conv_taps);
  header.softcap = shape.softcap;
  return header;
}

}  // namespace

std::string i8_bytes(const Shape& shape, const Weights& weights, const DraftWeights* draft) {
  if (cost(shape).file_bytes == 0) {
    throw harness::Error(
        harness::ExitCode::invalid_input,
        fmt::format("{}: an .i8 file holds int8 rows and one MLP per block, no experts, no other format",
                    shape.name));
  }
  assert(weights.blocks.size() == shape.blocks.size());
  SectionList list;
  list.matrix(I8Tag::embedding, weights.embedding);
  for (size_t i = 0; i < shape.blocks.size(); ++i) add_block(list, shape.blocks[i], weights.blocks[i]);
  list.norm(I8Tag::final_norm, weights.final_norm);
  if (draft != nullptr) add_draft(list, *draft, shape.blocks.size());
  return list.bytes(header_of(shape));
}

}  // namespace models
