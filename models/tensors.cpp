#include "models/tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

namespace models {
namespace {

constexpr int64_t f32_bytes = sizeof(float), f16_bytes = sizeof(uint16_t);

/// Numbers the tensors of a shape in file order.
class Listing {
 public:
  explicit Listing(const Shape& shape) : shape_(shape) {}

  std::vector<Tensor> list() {
    const int d = shape_.d;
    add(TensorKind::embedding, shape_.vocab, d, shape_.embedding_format);
    for (const Block kind : shape_.blocks) {
      ++block_;
      add(TensorKind::norm1, d, 1);
      add(TensorKind::norm2, d, 1);
      if (kind == Block::conv) {
        add(TensorKind::depthwise, d, shape_.conv_taps);
        add(TensorKind::gate, d, d, shape_.body_format);
        add(TensorKind::mix, d, d, shape_.body_format);
      } else {
        add(TensorKind::qkv, (shape_.heads + 2 * shape_.kv_heads) * shape_.head_dim, d, shape_.body_format);
        add(TensorKind::out, d, shape_.heads * shape_.head_dim, shape_.body_format);
      }
      add_mlps();
    }
    block_ = -1;
    add(TensorKind::final_norm, d, 1);
    return std::move(all_);
  }

 private:
  void add(TensorKind kind, int rows, int cols, Format format = Format::int8) {
    all_.push_back({kind, block_, expert_, rows, cols, format, static_cast<int>(all_.size())});
  }

  void add_mlp() {
    add(TensorKind::f1, shape_.ff, shape_.d, shape_.body_format);
    add(TensorKind::f2, shape_.ff, shape_.d, shape_.body_format);
    add(TensorKind::f3, shape_.d, shape_.ff, shape_.body_format);
  }

  void add_mlps() {
    if (shape_.experts.count == 0) return add_mlp();
    add(TensorKind::router, shape_.experts.count, shape_.d);
    for (expert_ = 0; expert_ < shape_.experts.count + shape_.experts.shared; ++expert_) add_mlp();
    expert_ = -1;
  }

  const Shape& shape_;
  std::vector<Tensor> all_;
  int block_ = -1, expert_ = -1;
};

}  // namespace

bool is_norm(TensorKind kind) {
  return kind == TensorKind::norm1 || kind == TensorKind::norm2 || kind == TensorKind::final_norm;
}

std::string describe(const Tensor& tensor) {
  static constexpr std::array names = {"the embedding",
                                       "a block's norm",
                                       "a block's norm",
                                       "a depthwise convolution",
                                       "a gate",
                                       "a mix",
                                       "a q|k|v projection",
                                       "an attention output",
                                       "a router",
                                       "an f1",
                                       "an f2",
                                       "an f3",
                                       "the final norm"};
  std::string text = names[static_cast<size_t>(tensor.kind)];
  if (tensor.block >= 0) text += fmt::format(" of block {}", tensor.block);
  if (tensor.expert >= 0) text += fmt::format(", expert {}", tensor.expert);
  return text;
}

std::vector<Tensor> tensors(const Shape& shape) {
  return Listing(shape).list();
}

int64_t code_bytes(const Tensor& tensor) {
  if (is_norm(tensor.kind)) return 0;
  const int64_t count = int64_t{tensor.rows} * tensor.cols;
  const int64_t groups = int64_t{tensor.rows} * ((tensor.cols + group_cols - 1) / group_cols);
  switch (tensor.format) {
    case Format::ternary:
      return (count * 2 + 7) / 8;
    case Format::group3:
      return (count * 3 + 7) / 8 + groups * f16_bytes;
    case Format::group4:
      return (count * 4 + 7) / 8 + groups * f16_bytes;
    case Format::int8:
      break;
  }
  return count;
}

int64_t tensor_bytes(const Tensor& tensor) {
  if (is_norm(tensor.kind)) return tensor.rows * f32_bytes;
  const int64_t codes = code_bytes(tensor);
  if (tensor.format == Format::int8) return codes + tensor.rows * f32_bytes;
  return tensor.format == Format::ternary ? codes + f32_bytes : codes;
}

TensorTable::TensorTable(const Shape& shape) : all_(tensors(shape)) {
  for (const Tensor& tensor : all_) {
    if (tensor.kind == TensorKind::norm1) first_of_block_.push_back(tensor.id);
  }
}

const Tensor& TensorTable::at(TensorKind kind, int block, int expert) const {
  if (kind == TensorKind::embedding) return all_.front();
  if (kind == TensorKind::final_norm) return all_.back();
  auto from = static_cast<size_t>(first_of_block_[static_cast<size_t>(block)]);
  // What belongs to no expert stands first; the three matrices of each expert follow.
  while (all_[from].expert < 0 && expert >= 0) ++from;
  if (expert > 0) from += 3 * static_cast<size_t>(expert);
  while (all_[from].kind != kind) ++from;
  assert(all_[from].block == block && all_[from].expert == expert);
  return all_[from];
}

}  // namespace models
