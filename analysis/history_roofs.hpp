// Which read roof a series of sittings is a fraction of: one kind for all of them. Pure.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "harness/submission.hpp"

namespace analysis {

/// What makes read roofs comparable from sitting to sitting.
struct RoofKind {
  std::string level, core_kind;
  int threads = 1;
  int64_t page_bytes = 4096;
  friend bool operator<(const RoofKind& a, const RoofKind& b) {
    return std::tie(a.core_kind, a.threads, a.page_bytes, a.level) <
           std::tie(b.core_kind, b.threads, b.page_bytes, b.level);
  }
};

/// Bytes/s of the roofs of one sitting.
using SittingRoofs = std::map<RoofKind, double>;

/// One sitting of a series, in the order of their commits.
struct SpeedOfRoofs {
  double weight_bytes_per_s = 0;
  const SittingRoofs* roofs = nullptr;
};

/// Returns the kind that all sittings of a decode are held against, nothing when none has a roof that may be.
/// Of the decode's own kind of core where there is one, of its threads or of one; kinds that nearly all
/// sittings have (nine tenths as many as the one that most have, the newest among them) before others; of
/// these the decode's own threads and pages; then the level whose fraction scatters least from one sitting
/// to the next, which a change of level does not touch.
std::optional<RoofKind> steadiest_roof(const std::vector<SpeedOfRoofs>& sittings,
                                       const harness::DecodeKey& decode);

}  // namespace analysis
