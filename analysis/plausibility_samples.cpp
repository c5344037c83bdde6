#include "analysis/plausibility_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>

namespace analysis {

using harness::Interval;
using harness::Launch;
using harness::Series;
using harness::Submission;

namespace {

constexpr size_t least_samples = 8;          // fewer may agree by chance
constexpr double flush_margin_ratio = 1.03;  // two arms of the same speed differ by noise
constexpr double level_margin_ratio = 2;     // a neighbour in the shared cache costs less

/// Returns how long all samples of a series lasted; of such that no clock could have, the largest number.
int64_t sampled_ns(const Series& series) {
  double sum = 0;
  for (const int64_t sample : series.samples) sum += static_cast<double>(sample);
  for (const auto& samples : series.samples_by_size)
    for (const int64_t sample : samples) sum += static_cast<double>(sample);
  return static_cast<int64_t>(std::min(sum, 0x1p62));
}

bool decodes(const Series& series) {
  return series.probe == "decode" && series.status == harness::Status::ok;
}

bool all_the_same(const Series& series, int64_t clock_resolution_ns) {
  const auto& samples = series.samples;
  if (samples.size() < least_samples || samples.front() < 100 * clock_resolution_ns) return false;
  return std::all_of(samples.begin(), samples.end(), [&](int64_t each) { return each == samples.front(); });
}

/// One figure of two levels: which is the larger of them that contradicts, or "".
void check_levels(const harness::Roof& smaller, const harness::Roof& larger, size_t larger_index,
                  std::vector<Finding>& findings) {
  const auto* fast = std::get_if<Interval>(&smaller.read_bytes_per_s);
  const auto* slow = std::get_if<Interval>(&larger.read_bytes_per_s);
  if (fast != nullptr && slow != nullptr && slow->low > level_margin_ratio * fast->high) {
    findings.push_back({"P04", Severity::quarantine,
                        fmt::format("/derived/roofs/{}/read_bytes_per_s", larger_index),
                        fmt::format("{} is read at {:.4g} bytes/s, more than {:.0f} × the {:.4g} of {}",
                                    larger.level, slow->low, level_margin_ratio, fast->high, smaller.level)});
  }
  const auto* near = std::get_if<Interval>(&smaller.load_latency_ns);
  const auto* far = std::get_if<Interval>(&larger.load_latency_ns);
  if (near != nullptr && far != nullptr && level_margin_ratio * far->high < near->low) {
    findings.push_back({"P04", Severity::quarantine,
                        fmt::format("/derived/roofs/{}/load_latency_ns", larger_index),
                        fmt::format("a load from {} takes {:.4g} ns, less than half of the {:.4g} from {}",
                                    larger.level, far->high, near->low, smaller.level)});
  }
}

bool same_conditions(const harness::Roof& a, const harness::Roof& b) {
  return a.core_kind == b.core_kind && a.threads == b.threads && a.page_bytes == b.page_bytes;
}

/// Whether one list is the other times one factor, but for rounding.
bool scaled(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  if (a.size() != b.size() || a.size() < least_samples) return false;
  const double sum_a = std::accumulate(a.begin(), a.end(), 0.0),
               sum_b = std::accumulate(b.begin(), b.end(), 0.0);
  if (sum_a <= 0 || sum_b <= 0) return false;
  const double factor = sum_b / sum_a;
  bool varies = false;
  for (size_t i = 0; i < a.size(); ++i) {
    // Both were rounded: the first's half nanosecond is scaled, too.
    if (std::abs(static_cast<double>(b[i]) - factor * static_cast<double>(a[i])) > 1 + factor) return false;
    varies = varies || std::abs(static_cast<double>(a[i] - a[0])) > 100;
  }
  return varies;  // samples that all last the same are every other such list times a factor
}

}  // namespace

void check_samples(const Submission& submission, std::vector<Finding>& findings) {
  for (size_t i = 0; i < submission.launches.size(); ++i) {
    const Launch& launch = submission.launches[i];
    int64_t all_ns = 0;
    for (size_t j = 0; j < launch.series.size(); ++j) {
      const Series& series = launch.series[j];
      const int64_t one_ns = sampled_ns(series);
      all_ns = one_ns > std::numeric_limits<int64_t>::max() - all_ns ? one_ns : all_ns + one_ns;
      if (decodes(series) && all_the_same(series, submission.conditions.clock_resolution_ns))
        findings.push_back(
            {"P09", Severity::quarantine, fmt::format("/launches/{}/series/{}/samples", i, j),
             fmt::format("all {} samples last {} ns, though the clock resolves {} ns", series.samples.size(),
                         series.samples.front(), submission.conditions.clock_resolution_ns)});
    }
    if (all_ns > launch.wall_ns)
      findings.push_back({"R05", Severity::reject, fmt::format("/launches/{}/wall_ns", i),
                          fmt::format("its samples last {} ns, the launch {} ns", all_ns, launch.wall_ns)});
  }
}

void check_order(const harness::Derived& recomputed, std::vector<Finding>& findings) {
  for (size_t i = 0; i < recomputed.ratios.size(); ++i) {
    const harness::ArmRatio& ratio = recomputed.ratios[i];
    if (ratio.name != "evict_flush/warm" || ratio.speed_ratio.low <= flush_margin_ratio) continue;
    const auto flushed = std::find_if(
        recomputed.decode.begin(), recomputed.decode.end(), [&](const harness::DecodeResult& each) {
          return each.key == ratio.key && each.evicted_verified == harness::Reading<bool>(true);
        });
    if (flushed == recomputed.decode.end()) continue;
    findings.push_back(
        {"P03", Severity::quarantine, fmt::format("/derived/ratios/{}/speed_ratio", i),
         fmt::format("weights that were verified to be flushed decode {:.3f} to {:.3f} times as "
                     "fast as warm ones, more than {:.2f}",
                     ratio.speed_ratio.low, ratio.speed_ratio.high, flush_margin_ratio)});
  }
  const auto& roofs = recomputed.roofs;  // of a kind of core from the smallest level to the largest
  for (size_t i = 1; i < roofs.size(); ++i) {
    if (roofs[i].level != roofs[i - 1].level && same_conditions(roofs[i], roofs[i - 1]))
      check_levels(roofs[i - 1], roofs[i], i, findings);
  }
}

std::string copied_series(const Submission& submission, const Submission& other) {
  if (submission.nonce == other.nonce) return "";
  std::vector<const Series*> theirs;
  for (const Launch& launch : other.launches) {
    for (const Series& each : launch.series)
      if (decodes(each)) theirs.push_back(&each);
  }
  for (size_t i = 0; i < submission.launches.size(); ++i) {
    const auto& own = submission.launches[i].series;
    for (size_t j = 0; j < own.size(); ++j) {
      const bool copied =
          decodes(own[j]) && std::any_of(theirs.begin(), theirs.end(), [&](const Series* each) {
            return scaled(own[j].samples, each->samples);
          });
      if (copied) return fmt::format("/launches/{}/series/{}/samples", i, j);
    }
  }
  return "";
}

}  // namespace analysis
