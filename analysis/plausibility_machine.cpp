#include "analysis/plausibility_machine.hpp"

#include <fmt/format.h>

#include <string>

#include "analysis/probe_series.hpp"

namespace analysis {

using harness::Cache;
using harness::Interval;
using harness::Machine;

namespace {

constexpr double capacity_margin_ratio = 2;
constexpr uint64_t least_cache_bytes = 1024;
constexpr int least_line_bytes = 16, most_line_bytes = 1024;

/// Whether a level of the machine serves one core, hardware threads included.
bool is_private(const Machine& machine, const std::string& level) {
  const int per_core = machine.cores > 0 ? machine.threads / machine.cores : 1;
  for (const Cache& cache : machine.caches) {
    if (cache.type != "instruction" && cache.memory_side.empty() && level_name(cache.level) == level)
      return cache.shared_by_pus <= per_core;
  }
  return false;
}

std::string wrong_facts(const Cache& cache, int threads) {
  if (cache.bytes != 0 && cache.bytes < least_cache_bytes)
    return fmt::format("a cache of {} bytes: none has less than {}", cache.bytes, least_cache_bytes);
  const int line = cache.line_bytes;
  if (line != 0 && (line < least_line_bytes || line > most_line_bytes || (line & (line - 1)) != 0))
    return fmt::format("lines of {} bytes: no power of two from {} to {}", line, least_line_bytes,
                       most_line_bytes);
  if (threads > 0 && cache.shared_by_pus > threads)
    return fmt::format("shared by {} PUs of {}", cache.shared_by_pus, threads);
  return "";
}

}  // namespace

void check_capacities(const Machine& machine, const harness::Derived& recomputed,
                      std::vector<Finding>& findings) {
  if (machine.virtualised) return;  // a hypervisor may report what it likes
  for (size_t i = 0; i < recomputed.caches.size(); ++i) {
    const harness::CacheEstimate& cache = recomputed.caches[i];
    const auto* measured = std::get_if<Interval>(&cache.effective_bytes);
    const auto reported = static_cast<double>(cache.reported_bytes);
    if (measured == nullptr || reported <= 0) continue;
    const bool small = is_private(machine, cache.level) && measured->high < reported / capacity_margin_ratio;
    if (!small && measured->low <= capacity_margin_ratio * reported) continue;
    findings.push_back({"P05", Severity::quarantine, fmt::format("/derived/caches/{}/effective_bytes", i),
                        fmt::format("{} holds {:.0f} to {:.0f} bytes, reported are {:.0f}", cache.level,
                                    measured->low, measured->high, reported)});
  }
}

void check_cache_facts(const Machine& machine, std::vector<Finding>& findings) {
  const Cache* before = nullptr;  // the first of each level is that of the measured core
  for (size_t i = 0; i < machine.caches.size(); ++i) {
    const Cache& cache = machine.caches[i];
    const std::string place = fmt::format("/machine/caches/{}", i);
    const std::string wrong = wrong_facts(cache, machine.threads);
    if (!wrong.empty()) findings.push_back({"P06", Severity::quarantine, place, wrong});
    if (cache.type == "instruction" || !cache.memory_side.empty() || cache.bytes == 0) continue;
    if (before != nullptr && cache.level <= before->level) continue;
    if (before != nullptr && cache.bytes < before->bytes)
      findings.push_back({"P06", Severity::quarantine, place + "/bytes",
                          fmt::format("level {} has {} bytes, level {} has {}", cache.level, cache.bytes,
                                      before->level, before->bytes)});
    before = &cache;
  }
}

}  // namespace analysis
