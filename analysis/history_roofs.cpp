#include "analysis/history_roofs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace analysis {
namespace {

// A kind that so many of the sittings have may be taken; the others are left out.
constexpr double nearly_all = 0.9;

/// Sittings by kind that may serve this decode.
std::map<RoofKind, size_t> counts_of(const std::vector<SpeedOfRoofs>& sittings,
                                     const harness::DecodeKey& decode) {
  std::map<RoofKind, size_t> counts;
  bool own_core = false;
  for (const SpeedOfRoofs& sitting : sittings) {
    for (const auto& [kind, rate] : *sitting.roofs) {
      if (kind.threads != 1 && kind.threads != decode.threads) continue;
      ++counts[kind];
      own_core = own_core || kind.core_kind == decode.core_kind;
    }
  }
  for (auto it = counts.begin(); it != counts.end();)
    it = own_core && it->first.core_kind != decode.core_kind ? counts.erase(it) : std::next(it);
  return counts;
}

/// The sum of steps from one sitting to the next, per step: a level that changes counts once.
double scatter_of(const std::vector<SpeedOfRoofs>& sittings, const RoofKind& kind) {
  std::vector<double> logs;
  for (const SpeedOfRoofs& sitting : sittings) {
    const auto roof = sitting.roofs->find(kind);
    if (roof != sitting.roofs->end()) logs.push_back(std::log(sitting.weight_bytes_per_s / roof->second));
  }
  double sum = 0;
  for (size_t i = 1; i < logs.size(); ++i) sum += std::abs(logs[i] - logs[i - 1]);
  return logs.size() > 1 ? sum / static_cast<double>(logs.size() - 1) : 0;
}

}  // namespace

std::optional<RoofKind> steadiest_roof(const std::vector<SpeedOfRoofs>& sittings,
                                       const harness::DecodeKey& decode) {
  const std::map<RoofKind, size_t> counts = counts_of(sittings, decode);
  size_t most = 0;
  for (const auto& [kind, count] : counts) most = std::max(most, count);
  std::optional<RoofKind> best;
  std::tuple<bool, bool, double> least{true, true, std::numeric_limits<double>::infinity()};
  for (const auto& [kind, count] : counts) {
    const bool newest = sittings.back().roofs->count(kind) > 0;
    if (count < most && (!newest || static_cast<double>(count) < nearly_all * static_cast<double>(most)))
      continue;
    const std::tuple rank{kind.threads != decode.threads, kind.page_bytes != decode.page_bytes,
                          scatter_of(sittings, kind)};
    if (best && rank >= least) continue;
    best = kind;
    least = rank;
  }
  return best;
}

}  // namespace analysis
