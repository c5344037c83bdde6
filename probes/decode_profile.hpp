// Where a token's time goes, and how it grows with the position.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "harness/clock.hpp"
#include "harness/cpu_features.hpp"
#include "models/decoder.hpp"

namespace probes {

/// A range of positions, inclusive, and what a token took there, in ns per decoder step: medians over passes.
struct RangeProfile {
  int position_first = 0, position_last = 0;
  std::array<double, models::op_count> op_ns{};  ///< indexed by models::Op, profiled
  double profiled_ns = 0;    ///< the same steps as a whole, with the profile's own clock reads
  double unprofiled_ns = 0;  ///< the steps of the passes between, without them
};

struct PositionStep {
  int position_first = 0, position_last = 0;
  double token_ns = 0;  ///< unprofiled: median over passes
};

struct DecodeProfile {
  int passes = 0;            ///< of either kind
  double clock_pair_ns = 0;  ///< cost of an empty pair of clock reads
  std::vector<RangeProfile> ranges;
  std::vector<PositionStep> steps;
};

inline constexpr int profile_step_positions = 64;

/// Decodes the whole context of `shape` with seeded tokens, once untimed and then `passes` times profiled and
/// as often not, alternately and every other time in the other order. The ranges are positions 65–128 and
/// 896–1,023 as far as the context goes, or all of a shorter one. `progress` gets the fraction done and may
/// throw. Throws Error(wrong_result) when a pass chooses other tokens than the first.
DecodeProfile profile_decode(models::Decoder& decoder, const models::Shape& shape,
                             const harness::Clock& clock, int passes,
                             const std::function<void(double)>& progress = {});

/// Returns what the widest read stream of this CPU reads of a set of this size on huge pages, in bytes per
/// second, as samples: the roof that ops are held against. Throws Error(wrong_result) for a wrong checksum.
std::vector<double> read_rates(const harness::CpuFeatures& features, const harness::Clock& clock,
                               int64_t size_bytes);

}  // namespace probes
