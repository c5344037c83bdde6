#include "analysis/plausibility_looks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "analysis/calibration.hpp"
#include "analysis/eviction.hpp"
#include "analysis/probe_series.hpp"
#include "harness/eviction_evidence.hpp"

namespace analysis {

using harness::ResidencyCalibration;
using harness::Series;
using harness::Status;
using harness::Submission;

namespace {

// Processes differ, and so do minutes; a threshold that is of this machine calls nearly all loads right.
constexpr double most_wrong_share = 0.25;

std::string numbers(const ResidencyCalibration& found) {
  return fmt::format("{} ticks, {} of {} cached and {} of {} flushed lines wrong", found.threshold_ticks,
                     found.cached_missed, found.cached_lines, found.flushed_missed, found.flushed_lines);
}

/// What is wrong with the calibration that residency states, or "".
std::string misstated(const Series& residency) {
  const auto stated = harness::read_calibration(residency.params);
  if (!available(stated)) return "";
  const auto own = recomputed_calibration(residency);
  const auto& given = std::get<ResidencyCalibration>(stated);
  if (const auto* why = std::get_if<harness::Unavailable>(&own))
    return fmt::format("stated {}, but its loads give none: {}", numbers(given), why->reason);
  const auto& found = std::get<ResidencyCalibration>(own);
  return found == given ? "" : fmt::format("stated {}, its loads give {}", numbers(given), numbers(found));
}

/// What is wrong with the cold size that eviction states, or "".
std::string miscold(const Submission& submission, const Series& eviction) {
  const int64_t stated = integer_param(eviction, "cold_bytes", 0);
  const auto main = find_series(submission, "probes", "eviction");
  if (stated == 0 || !available(main) || std::get<const Series*>(main) != &eviction) return "";
  const auto own = cold_bytes(submission);
  if (const auto* why = std::get_if<harness::Unavailable>(&own))
    return fmt::format("stated {} bytes, but its laps and looks give none: {}", stated, why->reason);
  const int64_t found = std::get<int64_t>(own);
  return found == stated ? "" : fmt::format("stated {} bytes, its laps and looks give {}", stated, found);
}

/// Returns the calibration that a series states for itself.
std::optional<ResidencyCalibration> own_calibration(const Series& series) {
  if (series.probe == "residency" || series.params.count("calibrated_by") != 0) return std::nullopt;
  const auto stated = harness::read_calibration(series.params);
  if (available(stated)) return std::get<ResidencyCalibration>(stated);
  const auto evidence = harness::read_evidence(series.params);
  if (!available(evidence)) return std::nullopt;
  const auto& found = std::get<harness::EvictionEvidence>(evidence).calibration;
  return available(found) ? std::optional(std::get<ResidencyCalibration>(found)) : std::nullopt;
}

/// The larger share of cached or of flushed loads that a threshold calls wrong.
double wrong_share(const Series& residency, int64_t threshold_ticks) {
  const auto share_below = [&](const std::vector<int64_t>& ticks) {
    const auto below =
        std::count_if(ticks.begin(), ticks.end(), [&](int64_t each) { return each < threshold_ticks; });
    return static_cast<double>(below) / static_cast<double>(std::max<size_t>(ticks.size(), 1));
  };
  double wrong = share_below(residency.samples_by_size.back());
  for (size_t i = 0; i + 1 < residency.samples_by_size.size(); ++i)
    wrong = std::max(wrong, 1 - share_below(residency.samples_by_size[i]));
  return wrong;
}

}  // namespace

void check_looks(const Submission& submission, std::vector<Finding>& findings) {
  const auto residency = find_series(submission, "probes", "residency");
  const Series* loads = available(residency) ? std::get<const Series*>(residency) : nullptr;
  if (loads != nullptr && loads->samples_by_size.size() < 2) loads = nullptr;
  for (size_t i = 0; i < submission.launches.size(); ++i) {
    const auto& all = submission.launches[i].series;
    for (size_t j = 0; j < all.size(); ++j) {
      if (all[j].status != Status::ok) continue;
      const std::string pointer = fmt::format("/launches/{}/series/{}/params", i, j);
      const std::string wrong = all[j].probe == "residency"  ? misstated(all[j])
                                : all[j].probe == "eviction" ? miscold(submission, all[j])
                                                             : "";
      if (!wrong.empty()) findings.push_back({"R11", Severity::reject, pointer, wrong});
      const auto own = own_calibration(all[j]);
      if (!own || loads == nullptr) continue;
      const double share = wrong_share(*loads, own->threshold_ticks);
      if (share <= most_wrong_share) continue;
      findings.push_back(
          {"P10", Severity::quarantine, pointer,
           fmt::format(
               "a threshold of {} ticks calls {:.0f} % of the loads in residency wrong, more than {:.0f} %",
               own->threshold_ticks, share * 100, most_wrong_share * 100)});
    }
  }
}

}  // namespace analysis
