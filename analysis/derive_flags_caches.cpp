// Quality flags about what the caches held: evictions, counters, capacities, half-lives.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "analysis/derive_parts.hpp"
#include "analysis/eviction.hpp"
#include "harness/eviction_evidence.hpp"
#include "harness/residency.hpp"
#include "harness/retention.hpp"

namespace analysis {

using harness::Flag;
using harness::Submission;

namespace {

void flag_not_evicted(const Submission& submission, std::vector<Flag>& flags) {
  int arms = 0;
  std::string first;
  for (const auto& launch : submission.launches) {
    for (const auto& series : launch.series) {
      const std::string reason = not_evicted_reason(series);
      if (reason.empty()) continue;
      ++arms;
      if (first.empty())
        first = fmt::format("{}: {}", series.arm,
                            reason.rfind("not_evicted: ", 0) == 0 ? reason.substr(13) : reason);
    }
  }
  if (arms == 0) return;
  flags.push_back({"not_evicted",
                   fmt::format("weights were left in a cache in {} launches, which have no speed; the first: "
                               "{:.160}. Free memory "
                               "for longer streams, or compare evict_flush",
                               arms, first),
                   static_cast<double>(arms)});
}

/// Returns by how many points a counter contradicts the timed lines of a series; nothing where they agree, or
/// where either is missing.
std::optional<double> counter_disagreement_points(const harness::Series& series) {
  const auto misses = series.params.find("check_counted_misses");
  const auto lines = series.params.find("check_counted_lines");
  const auto evidence = harness::read_evidence(series.params);
  if (misses == series.params.end() || lines == series.params.end() || !available(evidence))
    return std::nullopt;
  const auto* counted = std::get_if<int64_t>(&misses->second);
  const auto* read = std::get_if<int64_t>(&lines->second);
  const auto verdict = harness::judge_eviction(std::get<harness::EvictionEvidence>(evidence));
  if (counted == nullptr || read == nullptr || !available(verdict)) return std::nullopt;
  const auto& resident = std::get<harness::EvictionVerdict>(verdict).resident;
  if (!available(resident)) return std::nullopt;
  const auto points =
      harness::residency_disagreement_points(*counted, *read, std::get<harness::Interval>(resident));
  if (!available(points) || std::get<double>(points) <= harness::disagreement_limit_points)
    return std::nullopt;
  return std::get<double>(points);
}

/// Where the machine counts misses, they must tell of the first laps what timing tells.
void flag_counters(const Submission& submission, std::vector<Flag>& flags) {
  for (const auto& launch : submission.launches) {
    for (const auto& series : launch.series) {
      const auto points = counter_disagreement_points(series);
      if (!points) continue;
      flags.push_back(
          {"counters_disagree",
           fmt::format("{}: counted misses and timed loads tell shares of cached lines that lie {:.0f} "
                       "points apart. One of the two is wrong",
                       series.arm, *points),
           *points});
      return;  // once is enough
    }
  }
}

/// Returns the estimate that says how long weights of that size last: of the smallest set that is no smaller,
/// else of the largest; the first method that tells.
const harness::RetentionEstimate* retention_at(const std::vector<harness::RetentionEstimate>& all,
                                               int64_t bytes) {
  const harness::RetentionEstimate* best = nullptr;
  for (const auto& estimate : all) {
    if (!available(estimate.half_life_ns) && !estimate.longer_than_ns) continue;
    const bool fits = estimate.set_bytes >= bytes;
    const bool best_fits = best != nullptr && best->set_bytes >= bytes;
    if (best == nullptr || (fits && !best_fits) ||
        (fits == best_fits &&
         (fits ? estimate.set_bytes < best->set_bytes : estimate.set_bytes > best->set_bytes)))
      best = &estimate;
  }
  return best;
}

}  // namespace

void flag_capacities(const std::vector<harness::CacheEstimate>& caches, std::vector<Flag>& flags) {
  for (size_t i = 0; i + 1 < caches.size(); ++i) {
    const auto& first = caches[i];
    const auto& second = caches[i + 1];
    const auto* left = std::get_if<harness::Interval>(&first.effective_bytes);
    const auto* right = std::get_if<harness::Interval>(&second.effective_bytes);
    if (first.level != second.level || left == nullptr || right == nullptr) continue;
    if (left->low <= right->high && right->low <= left->high) continue;
    flags.push_back(
        {"capacities_disagree",
         fmt::format("{} holds {:.0f} bytes [{:.0f}, {:.0f}] by {}, {:.0f} [{:.0f}, {:.0f}] by {}. What it "
                     "holds depends on how soon a line is read again",
                     first.level, left->median, left->low, left->high, first.retouch, right->median,
                     right->low, right->high, second.retouch),
         right->median / left->median});
  }
}

void flag_retouch(const std::vector<harness::RetentionEstimate>& retention,
                  const std::vector<harness::DecodeResult>& decode, std::vector<Flag>& flags) {
  for (const auto& result : decode) {
    if (result.arm != "warm") continue;
    const auto* estimate = retention_at(retention, result.weight_bytes_per_token);
    if (estimate == nullptr) continue;
    const auto warm =
        harness::stays_warm(static_cast<double>(result.weight_bytes_per_token), result.weight_bytes_per_s,
                            {estimate->half_life_ns, estimate->longer_than_ns});
    if (!available(warm) || std::get<std::optional<bool>>(warm).value_or(true)) continue;
    const double lap_ns = 1e9 / result.tokens_per_s.median;
    const double half_life_ns = std::get<harness::Interval>(estimate->half_life_ns).median;
    flags.push_back(
        {"retouch_too_slow",
         fmt::format("{} ({}) reads its weights again every {:.2f} ms, and {} loses half of what is left "
                     "alone in {:.2f} ms: its warm arm is not all warm",
                     result.key.model, result.key.isa, lap_ns / 1e6, estimate->level, half_life_ns / 1e6),
         lap_ns / half_life_ns});
  }
}

void flag_evictions(const Submission& submission, std::vector<Flag>& flags) {
  flag_not_evicted(submission, flags);
  flag_counters(submission, flags);
}

}  // namespace analysis
