// Quality flags about the machine that moved under a run: its roofs, and the cores it was given.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "analysis/derive_parts.hpp"
#include "analysis/probe_series.hpp"
#include "harness/curve.hpp"

namespace analysis {

using harness::Curve;
using harness::Flag;
using harness::Submission;

namespace {

// A roof that moved by more than this is not the roof the decode ran under; quiet repeats stay within 2 %.
constexpr double drift_limit_ratio = 0.05;
// Repeats between the same cores agree within a tenth; cores with and without a common cache differ by five.
constexpr double moved_limit_ratio = 2;

/// At a cache's own size the rate depends on what else happens to lie there, not on how fast the machine is.
bool at_an_edge(const harness::Machine& machine, int64_t size_bytes) {
  constexpr double edge_ratio =
      1.4;  // repeats are taken at powers of two; half and twice a cache's size are clear of it
  for (int level = 1; level <= 3; ++level) {
    const auto* cache = level_cache(machine, level);
    if (!cache) continue;
    const double of_cache = static_cast<double>(size_bytes) / static_cast<double>(cache->bytes);
    if (of_cache < edge_ratio && of_cache > 1 / edge_ratio) return true;
  }
  return false;
}

/// The size whose rate moved most between the probes and roofs_after, per level.
struct Drift {
  std::optional<double> ratio;
  int64_t size_bytes = 0;
};

void note_drift(Drift& drift, double ratio, int64_t size_bytes) {
  if (drift.ratio && std::abs(std::log(*drift.ratio)) >= std::abs(std::log(ratio))) return;
  drift.ratio = ratio;
  drift.size_bytes = size_bytes;
}

void flag_drift(const Submission& submission, std::vector<Flag>& flags) {
  constexpr std::array<const char*, 4> levels{"l1", "l2", "l3", "dram"};
  std::array<Drift, 4> drifts;
  for (const char* probe : {"load_bandwidth", "dram_stream"}) {
    const auto before = find_curve(submission, "probes", probe, harness::Spread::of_median_95);
    if (!available(before)) continue;
    for (const Curve& repeated : repeated_curves(submission, probe, harness::Spread::of_median_95)) {
      for (size_t i = 0; i < repeated.sizes_bytes.size(); ++i) {
        const int64_t size = repeated.sizes_bytes[i];
        const auto was = harness::read_at(std::get<Curve>(before), static_cast<double>(size));
        if (was.clamped || at_an_edge(submission.machine, size)) continue;
        const auto level = std::find(levels.begin(), levels.end(), level_of_size(submission.machine, size));
        note_drift(drifts[static_cast<size_t>(level - levels.begin())], repeated.values[i] / was.value.median,
                   size);
      }
    }
  }
  for (size_t i = 0; i < levels.size(); ++i) {
    const auto& drift = drifts[i];
    if (!drift.ratio || std::abs(*drift.ratio - 1) <= drift_limit_ratio) continue;
    flags.push_back(
        {"roofs_drifted",
         fmt::format(
             "{} read bandwidth at {} bytes was {:.3f} of its value before decode. Forecasts stand on "
             "roofs that moved; look for neighbours or a clock change (tokroof doctor) and run again",
             levels[i], drift.size_bytes, *drift.ratio),
         *drift.ratio});
  }
}

/// What a barrier of so many threads took with the shortest vector; nullopt where the series tells nothing.
std::optional<double> shortest_barrier_ns(const harness::Series& series) {
  const auto curve = harness::make_curve(series.sizes_bytes, series.work_per_sample, series.samples_by_size,
                                         harness::Quantity::ns_per_unit, harness::Spread::of_median_95);
  if (!available(curve)) return std::nullopt;
  return std::get<Curve>(curve).values.front();
}

void flag_moved_cores(const Submission& submission, std::vector<Flag>& flags) {
  std::map<int64_t, std::vector<double>> looks_ns;  // by threads, in the order of the launches
  for (const harness::Launch& launch : submission.launches) {
    for (const harness::Series& series : launch.series) {
      const int64_t threads = integer_param(series, "threads", 1);
      if (series.probe != "barrier" || series.status != harness::Status::ok || threads < 2) continue;
      if (const auto ns = shortest_barrier_ns(series)) looks_ns[threads].push_back(*ns);
    }
  }
  for (const auto& [threads, all_ns] : looks_ns) {
    const double first_ns = all_ns.front();
    const double other_ns = *std::max_element(all_ns.begin(), all_ns.end(), [&](double a, double b) {
      return std::abs(std::log(a / first_ns)) < std::abs(std::log(b / first_ns));
    });
    const double ratio = other_ns / first_ns;
    if (std::max(ratio, 1 / ratio) <= moved_limit_ratio) continue;
    flags.push_back(
        {"cores_moved",
         fmt::format("{} threads waited {:.0f} ns for each other in the probes and {:.0f} ns later: the host "
                     "moves its virtual CPUs to where they share a cache and to where they do not. Figures "
                     "beside company, of several threads and of the last-level cache may be of either",
                     threads, first_ns, other_ns),
         ratio});
  }
}

}  // namespace

void flag_roofs(const Submission& submission, std::vector<Flag>& flags) {
  flag_drift(submission, flags);
  flag_moved_cores(submission, flags);
}

}  // namespace analysis
