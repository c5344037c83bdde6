#include "models/token_work.hpp"

#include <algorithm>
#include <cmath>

#include "models/kernels/kernels.hpp"
#include "models/parts.hpp"

namespace models {
namespace {

/// Adds up the work of a token, kernel by kernel: of each matrix the rows of the member that has most.
class Tally {
 public:
  explicit Tally(int members) : members_(members) {}

  [[nodiscard]] int members() const { return members_; }
  [[nodiscard]] int own_rows(int rows) const { return most_rows_of_a_part(rows, members_); }

  void matrix(Format format, int rows, int cols, Reads reads, double calls = 1) {
    add({kernel_name(format), cols, 0, reads, calls, calls * matrix_bytes(format, rows, cols)});
  }
  void vector(const char* step, int length, double calls = 1) {
    add({step, 0, 0, Reads::nothing, calls, calls * 4.0 * length});
  }
  void add(const KernelUse& use) {
    const auto same = std::find_if(uses_.begin(), uses_.end(), [&](const KernelUse& other) {
      return other.kernel == use.kernel && other.cols == use.cols && other.heads == use.heads &&
             other.reads == use.reads;
    });
    if (same == uses_.end()) return uses_.push_back(use);
    same->calls += use.calls;
    same->bytes += use.bytes;
  }
  std::vector<KernelUse> take() { return std::move(uses_); }

 private:
  std::vector<KernelUse> uses_;
  int members_;
};

/// Positions are attended to in whole tiles; returns their mean number.
double mean_tile_positions(int first, int last) {
  int64_t sum = 0;
  for (int position = first; position <= last; ++position) {
    const int tiles = (position + kv_tile_positions) / kv_tile_positions;
    sum += int64_t{tiles} * kv_tile_positions;
  }
  return static_cast<double>(sum) / (last - first + 1);
}

void add_conv(const Shape& shape, Tally& tally) {
  const int own = tally.own_rows(shape.d);
  tally.vector("rms_norm", shape.d);
  for (int i = 0; i < 2; ++i) {  // gate and mix
    tally.vector("quantise", shape.d);
    tally.matrix(shape.body_format, own, shape.d, Reads::dense);
  }
  tally.vector("conv_step", own);
  tally.vector("silu_product", own);
  tally.vector("add", shape.d);
}

void add_attention(const Shape& shape, double positions, Tally& tally) {
  const int width = shape.heads * shape.head_dim, kv_width = shape.kv_heads * shape.head_dim;
  const MostHeads own = most_heads_of_a_part(shape.heads, shape.kv_heads, tally.members());
  // Of a kv head that members share each computes with its own query heads.
  const double share = static_cast<double>(own.heads) / shape.heads;
  tally.vector("rms_norm", shape.d);
  tally.vector("quantise", shape.d);
  tally.matrix(shape.body_format, tally.own_rows(width + 2 * kv_width), shape.d, Reads::dense);
  tally.vector("rotate", shape.head_dim, own.heads + own.kv_heads);
  tally.vector("quantise", shape.head_dim, own.heads + 2 * own.kv_heads);
  tally.add({"attention", shape.head_dim, shape.heads / shape.kv_heads, Reads::kv,
             static_cast<double>(own.kv_heads), 2.0 * kv_width * positions * share});
  if (shape.inner_norms) tally.vector("rms_norm", width);
  tally.vector("quantise", width);
  tally.matrix(shape.body_format, tally.own_rows(shape.d), width, Reads::dense);
  tally.vector("add", shape.d);
}

/// Whether f1 and f2 are one matrix.
bool stacks(const Shape& shape) {
  return shape.body_format != Format::ternary;
}

/// `times` MLPs of one block that read the same input, of which a member has `hidden` rows of the first
/// matrices and `out` of the last.
void add_mlp(const Shape& shape, Reads reads, int times, int hidden, int out, Tally& tally) {
  const bool stacked = stacks(shape);
  tally.matrix(shape.body_format, stacked ? 2 * hidden : hidden, shape.d, reads, stacked ? times : 2 * times);
  tally.vector("silu_product", hidden, times);
  if (shape.inner_norms) tally.vector("rms_norm", shape.ff, times);
  tally.vector("quantise", shape.ff, times);
  tally.matrix(shape.body_format, out, shape.ff, reads, times);
}

void add_mlps(const Shape& shape, Tally& tally) {
  const Experts& experts = shape.experts;
  const int hidden = tally.own_rows(shape.ff), out = tally.own_rows(shape.d);
  tally.vector("rms_norm", shape.d);
  tally.vector("quantise", shape.d);
  if (experts.count == 0) {
    add_mlp(shape, Reads::dense, 1, hidden, out, tally);
    tally.vector("add", shape.d);
    return;
  }
  tally.matrix(Format::int8, tally.own_rows(experts.count), shape.d, Reads::dense);
  tally.vector("route", experts.count);
  if (experts.shared > 0) add_mlp(shape, Reads::dense, experts.shared, hidden, out, tally);
  // Members take turns at whole experts; each adds up what all gave.
  const int turns = (experts.top_k + tally.members() - 1) / tally.members();
  add_mlp(shape, Reads::experts, turns, shape.ff, shape.d, tally);
  tally.vector("add", shape.d, experts.shared + experts.top_k + 1);
}

}  // namespace

const char* kernel_name(Format format) {
  return format == Format::ternary  ? "ternary"
         : format == Format::group3 ? "group3"
         : format == Format::group4 ? "group4"
                                    : "int8";
}

double matrix_bytes(Format format, int rows, int cols) {
  const double bits = format == Format::ternary  ? 2
                      : format == Format::group3 ? 3.5
                      : format == Format::group4 ? 4.5
                                                 : 8;
  return bits / 8 * rows * cols;
}

double expert_bytes(const Shape& shape) {
  return shape.experts.count == 0 ? 0 : 3 * matrix_bytes(shape.body_format, shape.ff, shape.d);
}

double pool_bytes(const Shape& shape) {
  return expert_bytes(shape) * shape.experts.count * static_cast<double>(shape.blocks.size());
}

std::optional<ExpertWork> expert_work(const Shape& shape) {
  if (shape.experts.count == 0) return std::nullopt;
  ExpertWork work;
  work.format = shape.body_format;
  if (stacks(shape)) {
    work.products = {{2 * shape.ff, shape.d}, {shape.d, shape.ff}};
  } else {
    work.products = {{shape.ff, shape.d}, {shape.ff, shape.d}, {shape.d, shape.ff}};
  }
  work.count = shape.experts.count;
  work.blocks = static_cast<int>(shape.blocks.size());
  work.top_k = shape.experts.top_k;
  work.expert_bytes = std::llround(expert_bytes(shape));
  work.between_bytes =
      cost(shape).weight_bytes_per_token - work.expert_bytes * work.top_k * int64_t{work.blocks};
  return work;
}

std::vector<WeightRun> weight_runs(const Shape& shape) {
  if (shape.experts.count == 0) return {};
  const auto blocks = static_cast<double>(shape.blocks.size());
  const double gates = 2 * matrix_bytes(shape.body_format, shape.ff, shape.d),
               down = matrix_bytes(shape.body_format, shape.d, shape.ff), shared = shape.experts.shared;
  double inner = 0;  // of all blocks
  for (const KernelUse& use : token_work(shape, 0, 0)) inner += use.reads == Reads::dense ? use.bytes : 0;
  inner -= matrix_bytes(shape.embedding_format, shape.vocab, shape.d) + blocks * shared * (gates + down);
  const char* kernel = kernel_name(shape.body_format);
  std::vector<WeightRun> runs{{kernel, shape.d, inner / blocks + (shared > 0 ? down : 0), blocks + 1}};
  if (shared > 0) runs.push_back({kernel, shape.d, gates, blocks * shared});
  return runs;
}

std::vector<KernelUse> token_work(const Shape& shape, int position_first, int position_last, int members) {
  const double positions = mean_tile_positions(position_first, position_last);
  Tally tally(members);
  tally.vector("add", shape.d);  // the look-up
  for (const Block block : shape.blocks) {
    if (block == Block::conv) {
      add_conv(shape, tally);
    } else {
      add_attention(shape, positions, tally);
    }
    add_mlps(shape, tally);
  }
  tally.vector("rms_norm", shape.d);
  tally.vector("quantise", shape.d);
  const int own = tally.own_rows(shape.vocab);
  tally.matrix(shape.embedding_format, own, shape.d, Reads::dense);
  if (shape.softcap > 0) tally.vector("softcap", own);
  return tally.take();
}

}  // namespace models
