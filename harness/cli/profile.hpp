// What `decode --profile` shows: each op against its bound, and the time per position.
#pragma once
#include <optional>
#include <string>

#include "harness/cli/terminal.hpp"
#include "models/shape.hpp"
#include "probes/decode_profile.hpp"

namespace cli {

struct Profile {
  models::Shape shape;
  std::string isa, arithmetic, pages = "small";
  int threads = 1;
  probes::DecodeProfile measured;
  int64_t read_size_bytes = 0;  ///< the model's working set
  double read_bytes_per_s = 0;  ///< our read stream over that size, in the same run
};

/// Returns the bytes that an op must read for a token at the mean position of the range: weights of
/// products, K and V of attention; nullopt for the rest, whose vectors stay in the nearest cache, and for
/// waiting.
std::optional<double> bound_bytes(const models::Shape& shape, models::Op op,
                                  const probes::RangeProfile& range);

/// What is farthest from its bound over all ranges.
struct Farthest {
  size_t range = 0;
  models::Op op = models::Op::gemv;
  double time_over_bound = 0;
};
Farthest farthest_from_bound(const Profile& profile);

/// The largest rise of the time per token between neighbouring steps, as a share of the earlier one's; a
/// cliff when it is more than a tenth.
struct Growth {
  double last_over_first = 1;
  double largest_rise_ratio = 0;
  int largest_rise_position = 0;  ///< the first of the later step
  bool cliff = false;
};
Growth growth_of(const probes::DecodeProfile& measured);

std::string profile_text(const Terminal& terminal, const Profile& profile);
std::string profile_json(const Profile& profile);

}  // namespace cli
