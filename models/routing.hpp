// Which experts each token of a mixture-of-experts model visits: seeded traces of known statistics, or a
// file's.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace models {

/// How experts are chosen. `none` leaves it to the model's own router.
struct Routing {
  enum class Kind { none, uniform, zipf, sticky, file };
  Kind kind = Kind::none;
  double parameter =
      0;             ///< zipf: the exponent s > 0; sticky: the probability rho in [0, 1] that a choice stays
  std::string path;  ///< file
};

/// Parses none, uniform, zipf:S, sticky:RHO or file:PATH. Throws Error(usage) that says what is wrong.
Routing parse_routing(std::string_view text);

/// What a plan says of a routing: its text in canonical form, for a file `file:` and its SHA-256, since a
/// path tells nothing of what it holds. Throws Error(invalid_input) when the file cannot be read.
std::string routing_text(const Routing& routing);

/// What a trace is made for.
struct RoutingShape {
  int experts = 0;  ///< E, of which one token visits top_k in each layer
  int top_k = 0;
  int layers = 0;
  int tokens = 0;
};

/// Expert ids in [0, experts): for each token and layer top_k different ones, ascending.
class RoutingTrace {
 public:
  /// Throws Error(invalid_input) when ids are not those of the shape.
  RoutingTrace(const RoutingShape& shape, std::vector<uint16_t> ids);
  [[nodiscard]] std::span<const uint16_t> at(int token, int layer) const;
  [[nodiscard]] const RoutingShape& shape() const { return shape_; }

 private:
  RoutingShape shape_;
  std::vector<uint16_t> ids_;  ///< [tokens][layers][top_k]
};

/// Draws a trace; layers are independent. SplitMix64 counters, so that every compiler draws the same ids.
/// uniform: top_k different experts, every set as likely. zipf:s: one after another with weights 1/rank^s,
/// those already chosen drawn again; ranks are assigned to experts by a shuffle per layer. sticky:rho: each
/// choice is kept for the next token with probability rho, else drawn uniformly from those not chosen. file:
/// see read_trace. Throws Error(usage) for `none` and Error(invalid_input) for a shape that cannot be routed.
RoutingTrace make_trace(const Routing& routing, const RoutingShape& shape, uint64_t seed);

/// Reads a trace: text, one line per token and layer, the layers of the first token first, each with top_k
/// expert ids between blanks; lines that begin with # are comments. Throws Error(invalid_input) with the line
/// for an id that is no expert, a repeated or missing id, and for fewer tokens than asked for; later ones are
/// left unread.
RoutingTrace read_trace(const std::string& path, const RoutingShape& shape);

}  // namespace models
