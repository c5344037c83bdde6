#include "analysis/eviction.hpp"

#include "analysis/calibration.hpp"
#include "analysis/probe_series.hpp"
#include "harness/cold_size.hpp"
#include "harness/eviction_evidence.hpp"
#include "harness/line_looks.hpp"

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

double page_walk_s(const harness::Submission& submission) {
  constexpr double page_bytes = 4096;
  const auto found = find_series(submission, "probes", "eviction_small_pages");
  const auto cold = cold_bytes(submission);
  if (!available(found) || !available(cold)) return 0;
  const Series& series = *std::get<const Series*>(found);
  const size_t sizes = series.sizes_bytes.size() / 2;
  std::vector<double> flushed_ns, streamed_ns;
  for (size_t i = 0; i < 2 * sizes && i < series.samples_by_size.size(); ++i) {
    if (series.sizes_bytes[i] < std::get<int64_t>(cold)) continue;
    auto& laps_ns = i < sizes ? flushed_ns : streamed_ns;
    laps_ns.insert(laps_ns.end(), series.samples_by_size[i].begin(), series.samples_by_size[i].end());
  }
  if (flushed_ns.empty() || streamed_ns.empty() || series.work_per_sample.empty()) return 0;
  const double longer_ns = harness::median(streamed_ns) - harness::median(flushed_ns),
               pages = static_cast<double>(series.work_per_sample[0]) / page_bytes;
  return longer_ns > 0 && pages > 0 ? longer_ns * 1e-9 / pages : 0;
}

std::vector<std::vector<harness::LineCount>> looks_of(const Series& series) {
  std::vector<std::vector<harness::LineCount>> looks(series.sizes_bytes.size());
  const int64_t lines_per_look = integer_param(series, "lines_per_look", 0);
  for (size_t i = 0; i < looks.size(); ++i) {
    const std::string number = std::to_string(i);
    std::vector<int64_t> resident;
    int64_t lines = lines_per_look;
    const auto digits = series.params.find("looks_" + number);
    if (digits != series.params.end() && std::holds_alternative<std::string>(digits->second)) {
      const auto read = harness::read_look_digits(std::get<std::string>(digits->second));
      if (harness::available(read)) resident = std::get<std::vector<int64_t>>(read);
    } else if (series.params.count("lines_" + number) != 0) {
      lines = integer_param(series, "lines_" + number, 0);
      resident = {integer_param(series, "resident_lines_" + number, 0)};
    }
    for (const int64_t count : resident) {
      // Counts that cannot be are none: nothing is proven by them.
      if (lines <= 0 || count < 0 || count > lines) {
        looks[i].clear();
        break;
      }
      looks[i].push_back({lines, count});
    }
  }
  return looks;
}

harness::LapReferences lap_references_of(const harness::Launch& launch, const Series& series) {
  for (const Series& each : launch.series) {
    if (each.probe == "eviction_references" && each.status == harness::Status::ok)
      return harness::lap_references(each.samples_by_size);
  }
  return {reference(series, "warm_lap"), reference(series, "flushed_lap")};
}

harness::Reading<int64_t> cold_bytes(const harness::Submission& submission) {
  const auto found = find_series(submission, "probes", "eviction");
  if (const auto* why = std::get_if<Unavailable>(&found)) return *why;
  const Series& series = *std::get<const Series*>(found);
  const harness::Launch& launch = *launch_of(submission, series);
  const harness::LapReferences references = lap_references_of(launch, series);
  const auto calibration = calibration_of(launch, series);
  if (!available(calibration))
    return harness::find_cold_bytes(references, series.sizes_bytes, series.samples_by_size);
  return harness::find_cold_bytes(references, series.sizes_bytes, series.samples_by_size,
                                  std::get<harness::ResidencyCalibration>(calibration), looks_of(series));
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
