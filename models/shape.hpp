// What a model is made of, and what one token of it costs.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace models {

enum class Block { conv, attention };

/// How a matrix keeps its weights. The convolution's taps and the router are int8 in every model.
enum class Format {
  int8,     ///< code · s, s one f32 per row
  ternary,  ///< code · γ, codes −1, 0, 1 in 2 bits, γ one f32 per matrix
  group3,   ///< code · s, codes −4 … 3 in 3 bits, s one f16 per group of 32 columns
  group4,   ///< code · s, codes −8 … 7 in 4 bits, s likewise
};
inline constexpr int group_cols = 32;  ///< columns of a row that share one scale

/// A mixture of experts in place of each block's MLP. Every expert is an MLP of width ff.
struct Experts {
  int count = 0;   ///< routed ones, the router's rows; 0: one plain MLP
  int top_k = 0;   ///< how many of them a token visits
  int shared = 0;  ///< further ones that every token visits
  bool operator==(const Experts&) const = default;
};

/// Blocks of gated short convolutions or GQA, each with an MLP or experts (docs/models.md gives the
/// equations).
struct Shape {
  std::string name;
  int vocab = 0, d = 0, ff = 0;
  std::vector<Block> blocks;
  int heads = 0, kv_heads = 0, head_dim = 0;
  int conv_taps = 4;
  int context = 0;
  float softcap = 0;  ///< 0: none
  Format body_format = Format::int8,
         embedding_format = Format::int8;  ///< of the blocks' matrices; of embedding and head
  Experts experts;
  bool inner_norms = false;  ///< RMSNorms without weights before the attention's out and before f3
  int draft_ff = 0;  ///< width of the draft head stored in the published file; decode never reads it. 0: none
  int default_position_first = 0, default_position_last = 127;  ///< inclusive; what `decode` and `run` time
  bool operator==(const Shape&) const = default;
};

/// What a token costs, derived from the shape alone. docs/models.md, "Byte counts", says what each figure is
/// made of.
struct Cost {
  int64_t parameters = 0;              ///< used in decode: without the draft head
  int64_t code_bytes_per_token = 0;    ///< weight codes read per token, with the scales of groups
  int64_t weight_bytes_per_token = 0;  ///< codes + scales + norms: all weight bytes read per token
  int64_t weight_bytes = 0;            ///< all weights, every expert's too
  int64_t file_bytes = 0;  ///< the published weights file: header, section table, weights, draft head; 0 when
                           ///< that format cannot hold the model
  int64_t kv_bytes = 0;    ///< K and V codes and scales at full context
  int64_t working_set_bytes =
      0;  ///< file (or weights) + KV + convolution state + scratch, as the published model counts it
  int64_t macs_per_token = 0;  ///< weight multiply-adds (attention over positions not counted)
};
Cost cost(const Shape& shape);

/// The models of models/catalogue/, which are compiled in, in a fixed order.
std::span<const Shape> shapes();
/// Returns the built-in model of this name, or the one of the family coreflow_x{N}kib
/// (models/coreflow_family.hpp); null for any other name. The same on every machine.
const Shape* known_shape(std::string_view name);
/// Returns a known model, or one that the user has added (models/catalogue.hpp); the reference stays good.
/// Throws Error(usage) that names the nearest model when there is none of that name.
const Shape& find_shape(std::string_view name);

}  // namespace models
