#include "analysis/eviction.hpp"

#include "analysis/probe_series.hpp"
#include "harness/cold_size.hpp"
#include "harness/eviction_evidence.hpp"

namespace analysis {

using harness::Series;
using harness::Unavailable;

namespace {

/// Returns an integer param as a number, or 0, which no lap takes.
double ns_param(const Series& series, const std::string& name) {
  const auto found = series.params.find(name);
  const auto* ns = found == series.params.end() ? nullptr : std::get_if<int64_t>(&found->second);
  return ns ? static_cast<double>(*ns) : 0;
}

harness::Interval reference(const Series& series, const std::string& name) {
  return {ns_param(series, name + "_ns"), ns_param(series, name + "_low_ns"),
          ns_param(series, name + "_high_ns")};
}

}  // namespace

harness::Reading<int64_t> bytes_to_stream(const harness::Submission& submission) {
  auto cold = cold_bytes(submission);
  if (!available(cold)) return cold;
  const Series& series = *std::get<const Series*>(find_series(submission, "probes", "eviction"));
  for (const int64_t size : series.sizes_bytes) {
    if (size > std::get<int64_t>(cold)) return size;
  }
  return cold;
}

std::vector<harness::LineCount> seen_lines(const Series& series) {
  std::vector<harness::LineCount> seen;
  for (size_t i = 0; i < series.sizes_bytes.size(); ++i) {
    const auto lines = static_cast<int64_t>(ns_param(series, "lines_" + std::to_string(i)));
    const auto resident = static_cast<int64_t>(ns_param(series, "resident_lines_" + std::to_string(i)));
    // A count that cannot be is none: nothing is proven by it.
    seen.push_back(resident >= 0 && resident <= lines ? harness::LineCount{lines, resident}
                                                      : harness::LineCount{});
  }
  return seen;
}

harness::Reading<int64_t> cold_bytes(const harness::Submission& submission) {
  const auto found = find_series(submission, "probes", "eviction");
  if (const auto* why = std::get_if<Unavailable>(&found)) return *why;
  const Series& series = *std::get<const Series*>(found);
  const harness::LapReferences references{reference(series, "warm_lap"), reference(series, "flushed_lap")};
  const auto calibration = harness::read_calibration(series.params);
  if (!available(calibration))
    return harness::find_cold_bytes(references, series.sizes_bytes, series.samples_by_size);
  return harness::find_cold_bytes(references, series.sizes_bytes, series.samples_by_size,
                                  std::get<harness::ResidencyCalibration>(calibration), seen_lines(series));
}

namespace {

/// Before evidence was taken: the size alone.
harness::Reading<bool> verdict_by_size(const harness::Submission& submission, const harness::Plan& plan,
                                       const std::string& mode) {
  if (mode == "evict_flush") return Unavailable{"a flush is what other evictions are held against"};
  const auto found = find_series(submission, "probes", "eviction");
  if (const auto* why = std::get_if<Unavailable>(&found)) return *why;
  const auto cold = cold_bytes(submission);
  return available(cold) && plan.evict_stream_bytes >= std::get<int64_t>(cold);
}

}  // namespace

harness::Reading<bool> eviction_verdict(const harness::Submission& submission, size_t plan,
                                        const std::string& arm, const std::string& mode) {
  if (mode != "evict_flush" && mode != "evict_stream")
    return Unavailable{mode == "warm" ? "nothing is evicted"
                                      : "a concurrent antagonist evicts nothing that could be verified"};
  bool judged = false;
  for (const auto& launch : submission.launches) {
    if (launch.purpose != "decode" || launch.plan != static_cast<int>(plan)) continue;
    for (const auto& series : launch.series) {
      if (series.arm != arm || series.status != harness::Status::ok) continue;
      const auto evidence = harness::read_evidence(series.params);
      if (!available(evidence)) return verdict_by_size(submission, submission.plans[plan], mode);
      const auto verdict = harness::judge_eviction(std::get<harness::EvictionEvidence>(evidence));
      if (const auto* why = std::get_if<Unavailable>(&verdict)) return *why;
      judged = true;
    }
  }
  // Launches whose numbers say otherwise are none of this arm's (is_not_evicted).
  if (!judged) return verdict_by_size(submission, submission.plans[plan], mode);
  return true;
}

std::string not_evicted_reason(const Series& series) {
  if (series.status == harness::Status::failed && series.reason.rfind("not_evicted", 0) == 0)
    return series.reason;
  if (series.probe != "decode" || series.status != harness::Status::ok) return "";
  const auto evidence = harness::read_evidence(series.params);
  if (!available(evidence)) return "";
  const auto verdict = harness::judge_eviction(std::get<harness::EvictionEvidence>(evidence));
  return available(verdict) ? std::get<harness::EvictionVerdict>(verdict).why : "";
}

bool is_not_evicted(const Series& series) {
  return !not_evicted_reason(series).empty();
}

}  // namespace analysis
