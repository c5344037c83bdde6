// The three steps of attention over one block's heads, at a near and a far position.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "harness/bench/counted.hpp"
#include "harness/bench/inputs.hpp"
#include "harness/bench/register.hpp"

namespace bench {
namespace {

/// The heads of one attention block; those of coreflow_1_9m first.
struct Heads {
  int heads, head_dim, kv_heads;
};
constexpr Heads head_shapes[] = {{8, 18, 1}, {6, 64, 2}};
constexpr int position_counts[] = {128, 1024};

/// Everything that a token's attention reads and writes in one block.
class Attention {
 public:
  Attention(const models::Kernels& kernels, const Heads& heads, int positions)
      : kernels_(kernels),
        shape_(heads),
        positions_(positions),
        codes_per_head_(models::padded16(positions) * heads.head_dim),
        keys_(random_codes(heads.kv_heads * codes_per_head_, 1)),
        values_(random_codes(heads.kv_heads * codes_per_head_, 2)),
        q_(random_codes(heads.heads * models::padded16(heads.head_dim), 3)),
        scales_(constant_floats(positions, 0.01F)),
        q_scales_(constant_floats(heads.heads, 0.01F)),
        weights_(random_floats(heads.heads * models::padded16(positions), 4)),
        out_(heads.heads * heads.head_dim) {
    const int group = heads.heads / heads.kv_heads, q_stride = models::padded16(heads.head_dim);
    // Beyond its dimensions a query is zero.
    for (int head = 0; head < heads.heads; ++head) {
      for (int i = heads.head_dim; i < q_stride; ++i) q_.data()[head * q_stride + i] = 0;
    }
    for (int kv = 0; kv < heads.kv_heads; ++kv) {
      groups_.push_back(
          {keys_.data() + kv * codes_per_head_, scales_.data(), values_.data() + kv * codes_per_head_,
           scales_.data(), q_.data() + kv * group * q_stride, q_scales_.data() + kv * group, group,
           heads.head_dim, q_stride, positions, 1 / std::sqrt(static_cast<float>(heads.head_dim)),
           row(kv * group), models::padded16(positions), out_.data() + kv * group * heads.head_dim});
    }
  }

 protected:
  [[nodiscard]] float* row(int head) const { return weights_.data() + head * models::padded16(positions_); }
  [[nodiscard]] const models::Kernels& kernels() const { return kernels_; }
  [[nodiscard]] const std::vector<models::AttentionGroup>& groups() const { return groups_; }
  [[nodiscard]] int head_count() const { return shape_.heads; }
  [[nodiscard]] int positions() const { return positions_; }
  [[nodiscard]] const float* scales() const { return scales_.data(); }
  /// Scores or weights of all heads, without the padding.
  [[nodiscard]] std::string rows() const {
    std::string bytes;
    for (int head = 0; head < shape_.heads; ++head) bytes += bytes_of(row(head), positions_);
    return bytes;
  }
  [[nodiscard]] std::string out() const { return bytes_of(out_.data(), shape_.heads * shape_.head_dim); }
  /// One of K and V: codes and scales, and the scores or weights of all heads.
  [[nodiscard]] Work half_work() const {
    const int64_t kv = int64_t{shape_.kv_heads} * positions_ * (shape_.head_dim + 4);
    return {kv + rows_bytes(), int64_t{shape_.heads} * positions_ * shape_.head_dim, 0};
  }
  [[nodiscard]] int64_t rows_bytes() const { return int64_t{4} * shape_.heads * positions_; }

 private:
  const models::Kernels& kernels_;
  Heads shape_;
  int positions_, codes_per_head_;
  models::Padded<int8_t> keys_, values_, q_;
  models::Padded<float> scales_, q_scales_, weights_, out_;
  std::vector<models::AttentionGroup> groups_;
};

struct Scores : Attention {
  using Attention::Attention;
  void call() const {
    for (const models::AttentionGroup& group : groups()) kernels().attention_scores(&group);
  }
  [[nodiscard]] std::string result() const { return rows(); }
  [[nodiscard]] Work work() const { return half_work(); }
};

/// In place: each call takes the weights that the one before it left.
struct Softmax : Attention {
  using Attention::Attention;
  void call() const {
    for (int head = 0; head < head_count(); ++head) kernels().softmax(row(head), scales(), positions());
  }
  [[nodiscard]] std::string result() const { return rows(); }
  [[nodiscard]] Work work() const { return {2 * rows_bytes() + 4 * int64_t{positions()}, 0, 0}; }
};

struct Values : Attention {
  using Attention::Attention;
  void call() const {
    for (const models::AttentionGroup& group : groups()) kernels().attention_values(&group);
  }
  [[nodiscard]] std::string result() const { return out(); }
  [[nodiscard]] Work work() const { return half_work(); }
};

template <class Operation>
void register_positions(const char* operation, const models::Kernels& kernels, const Heads& heads,
                        int positions) {
  register_operation(
      operation, kernels, fmt::format("{}x{}kv{}/{}", heads.heads, heads.head_dim, heads.kv_heads, positions),
      [heads, positions](const models::Kernels& table) { return Operation(table, heads, positions); });
}

}  // namespace

void register_attention(const models::Kernels& kernels) {
  for (const Heads& heads : head_shapes) {
    for (const int positions : position_counts) {
      register_positions<Scores>("attention_scores", kernels, heads, positions);
      register_positions<Softmax>("softmax", kernels, heads, positions);
      register_positions<Values>("attention_values", kernels, heads, positions);
    }
  }
}

}  // namespace bench
