#include "analysis/probe_series.hpp"

#include <fmt/format.h>

#include <cmath>

namespace analysis {

using harness::Cache;
using harness::Curve;
using harness::Machine;
using harness::Quantity;
using harness::Reading;
using harness::Series;
using harness::Submission;
using harness::Unavailable;

namespace {

// Transparent huge pages of x86-64 and of 4 KiB arm64 kernels (Linux admin guide, transhuge).
constexpr int64_t huge_page_bytes = int64_t{2} << 20;
// A few small pages at the ends of a mapping do not make its translations small.
constexpr double huge_share = 0.9;

std::string text_param(const Series& series, const std::string& name, const std::string& otherwise) {
  const auto found = series.params.find(name);
  if (found == series.params.end()) return otherwise;
  const auto* text = std::get_if<std::string>(&found->second);
  return text ? *text : otherwise;
}

/// Reads, not confined to windows: what forecasts and roofs are about.
bool is_main_series(const Series& series, int threads) {
  return text_param(series, "operation", "read") == "read" &&
         integer_param(series, "threads", 1) == threads && integer_param(series, "window_bytes", 0) == 0;
}

}  // namespace

int64_t integer_param(const Series& series, const std::string& name, int64_t otherwise) {
  const auto found = series.params.find(name);
  if (found == series.params.end()) return otherwise;
  const auto* value = std::get_if<int64_t>(&found->second);
  return value ? *value : otherwise;
}

int64_t series_page_bytes(const Series& series, int64_t otherwise) {
  const int64_t granted = integer_param(series, "huge_bytes_granted", 0);
  const int64_t buffer = integer_param(series, "buffer_bytes", 0);
  const bool huge = granted > 0 && static_cast<double>(granted) >= huge_share * static_cast<double>(buffer);
  return integer_param(series, "page_bytes", huge ? huge_page_bytes : otherwise);
}

namespace {

/// The best series of a probe so far: the read on the largest pages; or why there is none.
struct Candidate {
  const Series* best;
  std::string reason;
};

void consider(const harness::Launch& launch, const std::string& probe, int threads, Candidate& candidate) {
  for (const auto& series : launch.series) {
    if (series.probe != probe || !is_main_series(series, threads)) continue;
    if (series.status != harness::Status::ok) {
      candidate.reason = fmt::format("{}: {}", probe, series.reason.empty() ? "failed" : series.reason);
    } else if (!candidate.best || series_page_bytes(series, 0) > series_page_bytes(*candidate.best, 0)) {
      candidate.best = &series;
    }
  }
}

Reading<Curve> curve_of(const Series& series, const std::string& probe, harness::Spread spread) {
  if (series.work_unit != "bytes" && series.work_unit != "cycles" && series.work_unit != "loads") {
    return Unavailable{
        fmt::format("{} counts \"{}\", which is no known unit of work", probe, series.work_unit)};
  }
  const auto quantity = series.work_unit == "loads" ? Quantity::ns_per_unit : Quantity::per_second;
  auto curve = harness::make_curve(series.sizes_bytes, series.work_per_sample, series.samples_by_size,
                                   quantity, spread);
  if (const auto* why = std::get_if<Unavailable>(&curve)) return Unavailable{probe + ": " + why->reason};
  return curve;
}

}  // namespace

Reading<const Series*> find_series(const Submission& submission, const std::string& purpose,
                                   const std::string& probe, int threads) {
  Candidate candidate{nullptr, probe + " has not run"};
  for (const auto& launch : submission.launches) {
    if (launch.purpose == purpose) consider(launch, probe, threads, candidate);
  }
  if (!candidate.best) return Unavailable{candidate.reason};
  return candidate.best;
}

Reading<Curve> find_curve(const Submission& submission, const std::string& purpose, const std::string& probe,
                          harness::Spread spread, int threads) {
  const auto found = find_series(submission, purpose, probe, threads);
  if (const auto* why = std::get_if<Unavailable>(&found)) return *why;
  return curve_of(*std::get<const Series*>(found), probe, spread);
}

std::vector<Curve> repeated_curves(const Submission& submission, const std::string& probe,
                                   harness::Spread spread) {
  std::vector<Curve> curves;
  for (const auto& launch : submission.launches) {
    if (launch.purpose != "roofs_resumed" && launch.purpose != "roofs_after") continue;
    Candidate candidate{nullptr, ""};
    consider(launch, probe, 1, candidate);
    if (!candidate.best) continue;
    const auto curve = curve_of(*candidate.best, probe, spread);
    if (available(curve)) curves.push_back(std::get<Curve>(curve));
  }
  return curves;
}

const Cache* level_cache(const Machine& machine, int level) {
  for (const auto& cache : machine.caches) {
    if (cache.level == level && cache.type != "instruction" && cache.memory_side.empty() && cache.bytes > 0) {
      return &cache;
    }
  }
  return nullptr;
}

const Cache* last_level_cache(const Machine& machine) {
  const Cache* last = nullptr;
  for (const auto& cache : machine.caches) {
    const Cache* at_level = level_cache(machine, cache.level);
    if (at_level && (!last || at_level->level > last->level)) last = at_level;
  }
  return last;
}

int64_t roof_size_bytes(const Machine& machine, int level) {
  const Cache* own = level_cache(machine, level);
  if (!own) return 0;
  const Cache* previous = level > 1 ? level_cache(machine, level - 1) : nullptr;
  // Without a smaller cache below it, half of its size is all that is known to be inside.
  if (!previous || previous->bytes >= own->bytes) return static_cast<int64_t>(own->bytes / 2);
  return std::llround(std::sqrt(static_cast<double>(own->bytes) * static_cast<double>(previous->bytes)));
}

std::string level_name(int level) {
  return fmt::format("l{}", level);
}

int holding_cache_level(const Machine& machine, int64_t bytes) {
  for (int level = 1; level <= 3; ++level) {
    const harness::Cache* cache = level_cache(machine, level);
    if (cache != nullptr && static_cast<int64_t>(cache->bytes) >= bytes) return level;
  }
  return 0;
}

std::string level_of_size(const Machine& machine, int64_t bytes) {
  const int level = holding_cache_level(machine, bytes);
  return level == 0 ? "dram" : level_name(level);
}

std::string measured_core_kind(const Machine& machine) {
  return machine.core_kinds.empty() ? "uniform" : machine.core_kinds.front().name;
}

}  // namespace analysis
