#include <fmt/format.h>

#include <set>

#include "analysis/derive.hpp"
#include "analysis/probe_series.hpp"

namespace analysis {

using harness::Curve;
using harness::Interval;
using harness::Reading;
using harness::Unavailable;

namespace {

/// Reads a curve at a roof's size; beyond its ends there is nothing measured to call a roof.
Reading<Interval> read_inside(const Reading<Curve>& curve, int64_t size_bytes) {
  if (const auto* why = std::get_if<Unavailable>(&curve)) return *why;
  const auto& sizes = std::get<Curve>(curve).sizes_bytes;
  const auto point = harness::read_at(std::get<Curve>(curve), static_cast<double>(size_bytes));
  if (!point.clamped) return point.value;
  return Unavailable{fmt::format("the curve covers {} to {} bytes, this roof is read at {}", sizes.front(),
                                 sizes.back(), size_bytes)};
}

Reading<Interval> at_largest(const Reading<Curve>& curve) {
  if (const auto* why = std::get_if<Unavailable>(&curve)) return *why;
  const auto& made = std::get<Curve>(curve);
  return Interval{made.values.back(), made.low.back(), made.high.back()};
}

Reading<Interval> dram_latency(const Reading<Curve>& curve, const harness::Machine& machine) {
  if (!available(curve)) return std::get<Unavailable>(curve);
  const int64_t largest = std::get<Curve>(curve).sizes_bytes.back();
  const auto* llc = last_level_cache(machine);
  if (llc && largest < 2 * static_cast<int64_t>(llc->bytes)) {
    return Unavailable{fmt::format("the chase ends at {} bytes, less than twice the last-level cache of {}",
                                   largest, llc->bytes)};
  }
  return at_largest(curve);
}

int64_t roof_page_bytes(const harness::Submission& submission, const std::string& purpose,
                        const std::string& probe, int threads = 1) {
  const auto series = find_series(submission, purpose, probe, threads);
  if (!available(series)) return submission.machine.page_bytes;
  return series_page_bytes(*std::get<const harness::Series*>(series), submission.machine.page_bytes);
}

harness::Roof dram_roof(const harness::Submission& submission, const std::string& purpose, int threads) {
  const auto dram = find_curve(submission, purpose, "dram_stream", harness::Spread::of_median_95, threads);
  harness::Roof roof;
  roof.level = "dram";
  roof.core_kind = measured_core_kind(submission.machine);
  roof.threads = threads;
  roof.page_bytes = roof_page_bytes(submission, purpose, "dram_stream", threads);
  roof.size_bytes = available(dram) ? std::get<Curve>(dram).sizes_bytes.back() : 0;
  roof.read_bytes_per_s = at_largest(dram);
  roof.load_latency_ns = Unavailable{"latency is measured on one thread"};
  return roof;
}

/// Returns the numbers of threads, beyond one, that read memory together.
std::set<int> team_sizes(const harness::Submission& submission, const std::string& purpose) {
  constexpr int64_t most_threads = 1'000'000;  // what the schema of a roof allows
  std::set<int> sizes;
  for (const auto& launch : submission.launches) {
    if (launch.purpose != purpose) continue;
    for (const auto& series : launch.series) {
      if (series.probe != "dram_stream" || series.status != harness::Status::ok) continue;
      const int64_t threads = integer_param(series, "threads", 1);
      if (threads > 1 && threads <= most_threads &&
          available(find_series(submission, purpose, "dram_stream", static_cast<int>(threads))))
        sizes.insert(static_cast<int>(threads));
    }
  }
  return sizes;
}

}  // namespace

std::vector<harness::Roof> derive_roofs(const harness::Submission& submission, const std::string& purpose) {
  constexpr auto spread = harness::Spread::of_median_95;
  const auto bandwidth = find_curve(submission, purpose, "load_bandwidth", spread);
  const auto latency = find_curve(submission, purpose, "load_latency", spread);
  std::vector<harness::Roof> roofs;
  for (int level = 1; level <= 3; ++level) {
    harness::Roof roof;
    roof.level = level_name(level);
    roof.core_kind = measured_core_kind(submission.machine);
    roof.page_bytes = roof_page_bytes(submission, purpose, "load_bandwidth");
    roof.size_bytes = roof_size_bytes(submission.machine, level);
    if (roof.size_bytes > 0) {
      roof.read_bytes_per_s = read_inside(bandwidth, roof.size_bytes);
      roof.load_latency_ns = read_inside(latency, roof.size_bytes);
    } else {
      roof.read_bytes_per_s = Unavailable{fmt::format("this machine reports no L{} data cache", level)};
      roof.load_latency_ns = roof.read_bytes_per_s;
    }
    roofs.push_back(roof);
  }
  harness::Roof roof = dram_roof(submission, purpose, 1);
  roof.load_latency_ns = dram_latency(latency, submission.machine);
  roofs.push_back(roof);
  for (const int threads : team_sizes(submission, purpose))
    roofs.push_back(dram_roof(submission, purpose, threads));
  return roofs;
}

}  // namespace analysis
