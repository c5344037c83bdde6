// Verifies that what evicts an arm's weights does so: the first lap over them and the residency meter, before
// and after the timed tokens of a pass.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/clock.hpp"
#include "harness/counters.hpp"
#include "harness/eviction_evidence.hpp"
#include "harness/streams/streams.hpp"
#include "probes/residency_meter.hpp"

namespace probes {

/// Why here and not at every timed token: the lap over the weights brings back all that was evicted, and even
/// the few lines of a look would be warm in the token that follows. Evictions at both ends of a pass are the
/// same code on the same memory as those between its tokens; what drifts meanwhile shows at the other end.
class EvictionCheck {
 public:
  /// `weights` are read for laps, at most 16 MiB of them: more would only cost.
  /// `meter` is looked with when there is one; `llc_level` says whose misses are counted.
  EvictionCheck(std::vector<Region> weights, harness::Clock clock, const harness::Streams& streams,
                harness::Reading<ResidencyMeter> meter, int llc_level, uint64_t seed);
  /// Checks once: two warm laps and one after a flush, timed as references (the second warm one); then twice
  /// `use` (a token, as between evictions) and `evict`; a look at 64 lines; the first lap. With hardware
  /// counters the misses of that lap are counted.
  void run(const std::function<void()>& use, const std::function<void()>& evict, harness::Counters& counters);
  /// Returns what all checks so far showed.
  [[nodiscard]] harness::EvictionEvidence evidence() const;
  /// Returns evidence() as params of a series, with counted misses where the machine counts them.
  [[nodiscard]] harness::EvidenceParams params() const;
  /// Returns whether all laps so far read the same data.
  [[nodiscard]] bool laps_agree() const { return laps_agree_; }

 private:
  int64_t lap_ns();

  std::vector<Region> weights_, laps_;
  harness::Clock clock_;
  const harness::Streams* streams_;
  harness::Reading<ResidencyMeter> meter_;
  LineDraw lines_;
  int llc_level_;
  std::vector<harness::CheckLaps> checks_;
  std::vector<harness::LineCount> looks_;
  std::optional<uint64_t> checksum_;
  bool laps_agree_ = true;
  std::optional<int64_t> misses_ = 0;  ///< of all first laps; none where they are not counted
};

}  // namespace probes
