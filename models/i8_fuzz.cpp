// Feeds parse_i8 with files that nobody would write: whatever the bytes, it returns a model that keeps its
// promises or throws Error(invalid_input). Built by clang's libFuzzer (script/fuzz i8). Random bytes do not
// get past the header, so that half of the mutations write a small file that is good, or spoil one field of
// what is there.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "harness/error.hpp"
#include "models/i8_file.hpp"
#include "models/i8_layout.hpp"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t largest);

namespace models {
namespace {

using Random = std::minstd_rand;

uint32_t below(Random& random, uint32_t limit) {
  return static_cast<uint32_t>(random()) % limit;
}

/// Writes a file of random small dimensions, random codes, and scales and norms of 1.
class SmallFile {
 public:
  explicit SmallFile(Random& random) : random_(random) {
    const uint32_t kv_heads = 1 + below(random, 2), heads = kv_heads * (1 + below(random, 2));
    header_.heads = heads;
    header_.kv_heads = kv_heads;
    header_.d = heads * 2 * (1 + below(random, 2));
    header_.ff = 1 + below(random, 9);
    header_.vocab = 1 + below(random, 9);
    header_.context = 1 + below(random, 9);
    header_.blocks = 1 + below(random, 3);
    header_.softcap = below(random, 2) == 0 ? 30.0F : 0.0F;
  }

  std::vector<uint8_t> write() {
    add_rows(I8Tag::embedding, header_.vocab, header_.d, header_.d);
    for (uint32_t i = 0; i < header_.blocks; ++i) add_block();
    add_floats(I8Tag::final_norm, header_.d, 1);
    if (below(random_, 2) == 0) add_draft_head();
    header_.sections = static_cast<uint32_t>(sections_.size());
    header_.table_bytes = static_cast<uint32_t>(sections_.size() * i8_section_bytes);
    const uint64_t payload_offset = i8_header_bytes + header_.table_bytes;
    for (I8Section& section : sections_) {
      section.data_offset += payload_offset;
      if (section.kind == i8_kind_rows) section.scale_offset += payload_offset;
    }
    std::vector<uint8_t> file(payload_offset);
    std::memcpy(file.data(), &header_, sizeof header_);
    std::memcpy(file.data() + i8_header_bytes, sections_.data(), header_.table_bytes);
    file.insert(file.end(), payload_.begin(), payload_.end());
    return file;
  }

 private:
  void add_block() {
    const uint32_t d = header_.d, ff = header_.ff;
    add_floats(I8Tag::norm1, d, 1);
    add_floats(I8Tag::norm2, d, 1);
    if (below(random_, 2) == 0) {
      ++header_.conv_blocks;
      add_rows(I8Tag::depthwise, d, header_.taps, 1);
      add_rows(I8Tag::gate, d, d, d);
      add_rows(I8Tag::mix, d, d, d);
    } else {
      ++header_.attention_blocks;
      add_rows(I8Tag::qkv, d + 2 * header_.kv_heads * (d / header_.heads), d, d);
      add_rows(I8Tag::out, d, d, d);
    }
    add_rows(I8Tag::f1, ff, d, d);
    add_rows(I8Tag::f2, ff, d, d);
    add_rows(I8Tag::f3, d, ff, ff);
  }

  void add_draft_head() {
    const uint32_t d = header_.d, width = 1 + below(random_, 9);
    add_floats(I8Tag::draft_norm1, d, below(random_, 9));
    add_rows(I8Tag::draft_f1, width, d, d);
    add_rows(I8Tag::draft_f2, width, d, d);
    add_rows(I8Tag::draft_f3, d, width, width);
    add_floats(I8Tag::draft_norm2, d, 1);
  }

  void add_rows(I8Tag tag, uint32_t rows, uint32_t cols, uint32_t stored_cols) {
    const uint64_t data = payload_.size(), scales = data + uint64_t{rows} * cols;
    sections_.push_back({i8_kind_rows, rows, stored_cols, static_cast<uint32_t>(tag), data, scales});
    while (payload_.size() < scales) payload_.push_back(static_cast<uint8_t>(below(random_, 255) - 127));
    add_ones(rows);
  }

  void add_floats(I8Tag tag, uint32_t rows, uint32_t cols) {
    sections_.push_back({i8_kind_floats, rows, cols, static_cast<uint32_t>(tag), payload_.size(), 0});
    add_ones(rows);
  }

  void add_ones(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) payload_.insert(payload_.end(), {0x00, 0x00, 0x80, 0x3F});
  }

  Random& random_;
  I8Header header_{i8_magic, i8_version, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, i8_header_bytes, 0};
  std::vector<I8Section> sections_;  ///< offsets within the payload until write() adds its place
  std::vector<uint8_t> payload_;
};

/// A value at which checks begin to fail, or a neighbour of what was there.
uint64_t spoilt(uint64_t old, uint64_t file_bytes, Random& random) {
  const uint64_t values[] = {
      0,       1,          old + 1,        old - 1,        old * 2,           old ^ 0x80,
      ~0ull,   0xFFFFFFFF, 0x7FFFFFFF,     0x80000000,     uint64_t{1} << 63, file_bytes,
      old + 4, old - 32,   file_bytes - 1, file_bytes - 4, 0x7FC00000,        0x7F800000};
  return values[below(random, std::size(values))];
}

/// Spoils a header field, a field of a section table row, or four bytes of the payload.
void spoil_one(uint8_t* data, size_t size, Random& random) {
  size_t offset = 4 * below(random, sizeof(I8Header) / 4), width = 4;
  const size_t rows = size > i8_header_bytes ? (size - i8_header_bytes) / i8_section_bytes : 0;
  switch (below(random, 4)) {
    case 0:
      break;
    case 1:
      offset = below(random, static_cast<uint32_t>(size));
      break;
    default:
      if (rows == 0) break;
      offset = i8_header_bytes +
               below(random, static_cast<uint32_t>(std::min<size_t>(rows, 64))) * i8_section_bytes;
      width = below(random, 2) == 0 ? 4 : 8;
      offset += width == 4 ? 4 * below(random, 4) : 16 + 8 * below(random, 2);
  }
  if (offset + width > size) return;
  uint64_t value = 0;
  std::memcpy(&value, data + offset, width);
  value = spoilt(value, size, random);
  std::memcpy(data + offset, &value, width);
}

void require(bool kept) {
  if (!kept) std::abort();
}

void check(const Matrix& matrix) {
  require(matrix.rows > 0 && matrix.cols > 0);
  require(matrix.codes.size() == static_cast<size_t>(matrix.rows) * static_cast<size_t>(matrix.cols));
  require(matrix.scales.size() == static_cast<size_t>(matrix.rows));
  require(std::find(matrix.codes.begin(), matrix.codes.end(), int8_t{-128}) == matrix.codes.end());
  require(std::all_of(matrix.scales.begin(), matrix.scales.end(),
                      [](float s) { return s >= 0 && s <= std::numeric_limits<float>::max(); }));
}

/// What a decoder relies on.
void check(const I8Model& model) {
  const Shape& shape = model.shape;
  require(shape.blocks.size() == model.weights.blocks.size() && !shape.blocks.empty());
  require(shape.d == shape.heads * shape.head_dim && shape.heads % shape.kv_heads == 0 && shape.context > 0);
  check(model.weights.embedding);
  for (size_t i = 0; i < shape.blocks.size(); ++i) {
    const BlockWeights& block = model.weights.blocks[i];
    require(block.norm1.size() == static_cast<size_t>(shape.d) && block.norm2.size() == block.norm1.size());
    if (shape.blocks[i] == Block::conv) {
      for (const Matrix* matrix : {&block.depthwise, &block.gate, &block.mix}) check(*matrix);
    } else {
      for (const Matrix* matrix : {&block.qkv, &block.out}) check(*matrix);
    }
    for (const Matrix* matrix : {&block.f1, &block.f2, &block.f3}) check(*matrix);
  }
}

}  // namespace
}  // namespace models

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    models::check(models::parse_i8({reinterpret_cast<const std::byte*>(data), size}, "FUZZ"));
  } catch (const harness::Error& error) {
    models::require(error.code() == harness::ExitCode::invalid_input);
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t largest, unsigned seed) {
  models::Random random(seed);
  const uint32_t choice = models::below(random, 8);
  if (choice == 0) {
    const std::vector<uint8_t> file = models::SmallFile(random).write();
    if (file.size() > largest) return size;
    std::memcpy(data, file.data(), file.size());
    return file.size();
  }
  if (choice <= 4 && size >= sizeof(models::I8Header)) {
    models::spoil_one(data, size, random);
    return size;
  }
  return LLVMFuzzerMutate(data, size, largest);
}
