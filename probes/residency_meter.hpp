// Tells which share of some memory lies in the caches, without performance counters: times single loads of
// random lines. Looking warms what it looks at, so it looks at few lines, and never at one twice.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "harness/disturbance.hpp"
#include "harness/residency.hpp"
#include "harness/statistics.hpp"
#include "harness/streams/streams.hpp"
#include "harness/topology.hpp"
#include "probes/load_timer.hpp"

namespace probes {

using Region = std::span<const std::byte>;

/// Draws lines of some regions at random: in one draw at most one per 4 KiB page, so that neither the
/// adjacent line nor a prefetcher that runs within a page brings a line before it is timed; over all draws
/// none twice.
class LineDraw {
 public:
  LineDraw(const std::vector<Region>& regions, uint64_t seed);
  /// Returns up to `lines` lines in random order; fewer when the pages or the lines run out. Allocates: draw
  /// before what is watched or timed begins.
  std::vector<const std::byte*> draw(int lines);
  /// The same for sets that are brought to their place anew before each look: when lines run out, those
  /// looked at before are lines like others again.
  std::vector<const std::byte*> draw_again(int lines);

 private:
  std::vector<const std::byte*> pages_;  ///< starts of the whole pages of all regions
  std::set<const std::byte*> used_;
  harness::SplitMix64 random_;
};

/// The line whose load, untimed, brings the translation of a page into the TLB before another line of that
/// page is timed: half a page away, so that it is no neighbour.
const std::byte* translation_line(const std::byte* line);

/// Ticks of lines whose place is known, in the order in which they were taken.
struct KnownLoads {
  int64_t l2_set_bytes = 0, llc_set_bytes = 0;  ///< 0: no such set (no last-level cache beyond L2 is known)
  std::vector<int64_t> l2_ticks, llc_ticks, flushed_ticks;
  /// What happened while `loads` loads of a place were taken, warming or flushing included.
  struct Watched {
    int place = 0;  ///< 0 L2, 1 last-level cache, 2 flushed
    int from = 0, loads = 0;
    harness::Disturbance during;
  };
  std::vector<Watched> watched;
  bool right = true;  ///< whether what was read to warm the sets was what had been written

  /// Returns what the threshold must call cached.
  [[nodiscard]] std::vector<int64_t> cached_ticks() const;
};

/// Loads `lines` lines each that lie in L2 (half of it, read four times), in the last-level cache (the older
/// half of four times L2, or of three quarters of it, read four times) and in memory (flushed), in rounds so
/// that drift falls on all, each batch of one place watched on `clock`. Unavailable when this CPU has no
/// flush for user programs. Throws Error(unavailable) when there is no memory for the sets.
harness::Reading<KnownLoads> load_known_lines(const LoadTimer& timer, const harness::Topology& topology,
                                              const harness::Streams& streams, const harness::Clock& clock,
                                              int lines, uint64_t seed);

/// The loads that the probe `residency` stored, for the other probes of its process: who receives the
/// document then recomputes their calibration from its samples.
struct SharedLoads {
  std::optional<harness::Reading<KnownLoads>> loads;
};

/// A calibrated threshold and the timer it is for.
class ResidencyMeter {
 public:
  ResidencyMeter(const LoadTimer& timer, const harness::ResidencyCalibration& calibration)
      : timer_(timer), calibration_(calibration) {}
  /// Calibrates on lines whose place is known. Unavailable with the reason: no timer, no flush, or a timer
  /// too coarse to tell them apart.
  static harness::Reading<ResidencyMeter> make(const harness::Reading<LoadTimer>& timer,
                                               const harness::Topology& topology,
                                               const harness::Streams& streams, uint64_t seed = 1);
  /// The same from loads taken before.
  static harness::Reading<ResidencyMeter> make(const harness::Reading<LoadTimer>& timer,
                                               const harness::Reading<KnownLoads>& loads);
  /// Times a load of each line, about 0.3 µs each.
  [[nodiscard]] harness::LineCount look(std::span<const std::byte* const> lines) const;
  [[nodiscard]] const harness::ResidencyCalibration& calibration() const { return calibration_; }

 private:
  LoadTimer timer_;
  harness::ResidencyCalibration calibration_;
};

}  // namespace probes
