// Which kernels a token runs, over how many bytes: from the shape alone.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/shape.hpp"

namespace models {

/// What a kernel reads besides its input vector.
enum class Reads {
  dense,    ///< weights that every token reads, the router's too
  experts,  ///< weights of the experts that a token visits
  kv,       ///< K and V of the positions before
  nothing,  ///< vectors alone, which stay in the nearest cache
};

/// All calls of one kernel with rows of one width that a token makes. `kernel` is a format's name (int8,
/// ternary, group3, group4), attention (scores, softmax and values of the heads that share K and V), or a
/// step over vectors: rms_norm, quantise, silu_product, conv_step, softcap, rotate, route (softmax and choice
/// of experts), add.
struct KernelUse {
  std::string kernel;
  int cols = 0;   ///< of a matrix row; of attention the width of a head; 0: steps over vectors of any length
  int heads = 0;  ///< attention: the query heads of one call
  Reads reads = Reads::nothing;
  double calls = 0;  ///< per token
  double bytes =
      0;  ///< per token: codes with the scales of groups; K and V codes of whole tiles; 4 per value
};

/// Returns what a token at the mean of the positions first … last (inclusive) runs, each kernel, width and
/// kind of reads once. Of several members what the one with the most of each matrix, of the heads and of the
/// chosen experts runs: the others wait for it at the barrier behind.
std::vector<KernelUse> token_work(const Shape& shape, int position_first, int position_last, int members = 1);

/// Barriers of a token behind which a member reads so many bytes that all have written.
struct Handover {
  double bytes = 0, count = 0;
};
/// Returns the barriers of a token of so many members, by bytes, ascending: of each block one behind every
/// vector that they write together, and the beginning and the end of the token (0 bytes). Empty for one.
std::vector<Handover> handovers(const Shape& shape, int members);

/// Bytes of the codes of W[rows, cols], with the scales of groups.
double matrix_bytes(Format format, int rows, int cols);
const char* kernel_name(Format format);

/// A model's experts as a token meets them: any `top_k` of the `count` of each block, each of which is the
/// same few products, one after the other.
struct ExpertWork {
  struct Product {
    int rows = 0, cols = 0;
  };
  Format format = Format::ternary;
  std::vector<Product> products;
  int count = 0, blocks = 0, top_k = 0;
  int64_t expert_bytes = 0;   ///< codes of one, with the scales of groups
  int64_t between_bytes = 0;  ///< weights that a token reads besides
};
/// Nullopt for a model without experts.
std::optional<ExpertWork> expert_work(const Shape& shape);

/// Weights that a token reads without a jump, and how often it begins such a run.
struct WeightRun {
  std::string kernel;  ///< of the matrices that make up most of it
  int cols = 0;
  double bytes = 0, count = 0;
};

/// Returns the runs of a model with experts: what every token reads of a block and of the next one, shared
/// experts' first matrices by themselves, since they lie behind all others. Those of the experts are not
/// among them. Empty without experts: such a token reads one run.
std::vector<WeightRun> weight_runs(const Shape& shape);

/// Bytes of all routed experts of all blocks, and of one expert, codes alone; 0 without experts.
double pool_bytes(const Shape& shape);
double expert_bytes(const Shape& shape);

}  // namespace models
