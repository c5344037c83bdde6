#include "harness/cold_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "harness/line_looks.hpp"

namespace harness {
namespace {

// Medians of a handful of laps of the same kind agree within a few percent.
constexpr double cold_share = 0.9;

double median_ns(const std::vector<int64_t>& laps_ns) {
  return median(std::vector<double>(laps_ns.begin(), laps_ns.end()));
}

bool fit_together(std::span<const int64_t> sizes, std::span<const std::vector<int64_t>> laps) {
  return !sizes.empty() && sizes.size() == laps.size() &&
         std::is_sorted(sizes.begin(), sizes.end(), std::less_equal<>()) &&
         std::none_of(laps.begin(), laps.end(), [](const auto& of_size) { return of_size.empty(); });
}

}  // namespace

LapReferences lap_references(std::span<const std::vector<int64_t>> laps_ns) {
  const auto interval = [](std::span<const std::vector<int64_t>> lists) {
    std::vector<double> all;
    for (const auto& laps : lists) all.insert(all.end(), laps.begin(), laps.end());
    return all.empty() ? Interval{} : sign_interval(all);
  };
  if (laps_ns.size() % 2 != 0) return {};
  return {interval(laps_ns.first(laps_ns.size() / 2)), interval(laps_ns.last(laps_ns.size() / 2))};
}

Reading<double> cold_lap_ns(const LapReferences& references) {
  const double warm_ns = references.warm_ns.median, flushed_ns = references.flushed_ns.median;
  if (!(warm_ns > 0) || !(warm_ns < cold_share * flushed_ns)) {
    return Unavailable{
        fmt::format("a warm lap takes {:.0f} ns and a flushed one {:.0f} ns: they cannot be told apart",
                    warm_ns, flushed_ns)};
  }
  const double as_flushed_ns = std::min(cold_share * flushed_ns, references.flushed_ns.low);
  return std::max(as_flushed_ns, std::sqrt(warm_ns * flushed_ns));
}

Reading<int64_t> find_cold_bytes(const LapReferences& references, std::span<const int64_t> streamed_bytes,
                                 std::span<const std::vector<int64_t>> first_laps_ns) {
  if (!fit_together(streamed_bytes, first_laps_ns))
    return Unavailable{"the curve of first laps is incomplete"};
  const auto cold_ns = cold_lap_ns(references);
  if (!available(cold_ns)) return std::get<Unavailable>(cold_ns);
  size_t first_cold = streamed_bytes.size();
  while (first_cold > 0 && median_ns(first_laps_ns[first_cold - 1]) >= std::get<double>(cold_ns))
    --first_cold;
  if (first_cold == streamed_bytes.size()) {
    return Unavailable{
        fmt::format("after {} streamed bytes a lap takes {:.0f} ns, a cold one {:.0f} ns or more",
                    streamed_bytes.back(), median_ns(first_laps_ns.back()), std::get<double>(cold_ns))};
  }
  return streamed_bytes[first_cold];
}

Reading<int64_t> find_cold_bytes(const LapReferences& references, std::span<const int64_t> streamed_bytes,
                                 std::span<const std::vector<int64_t>> first_laps_ns,
                                 const ResidencyCalibration& calibration,
                                 std::span<const std::vector<LineCount>> looks) {
  auto by_laps = find_cold_bytes(references, streamed_bytes, first_laps_ns);
  if (!available(by_laps) || looks.empty()) return by_laps;
  if (looks.size() != streamed_bytes.size()) return Unavailable{"the counts of lines are incomplete"};
  size_t first_cold = looks.size();
  while (first_cold > 0 && is_cold(calibration, looks[first_cold - 1])) --first_cold;
  if (first_cold == looks.size()) {
    const Interval share = looks.back().size() > 1 ? share_of_looks(calibration, looks.back())
                                                   : resident_fraction(calibration, total_of(looks.back()));
    return Unavailable{
        fmt::format("after {} streamed bytes {:.0f} % [{:.0f}, {:.0f}] of the lines are cached",
                    streamed_bytes.back(), share.median * 100, share.low * 100, share.high * 100)};
  }
  return std::max(std::get<int64_t>(by_laps), streamed_bytes[first_cold]);
}

}  // namespace harness
