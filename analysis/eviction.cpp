#include "analysis/eviction.hpp"

#include "analysis/probe_series.hpp"
#include "harness/cold_size.hpp"

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

harness::Reading<int64_t> cold_bytes(const harness::Submission& submission) {
  const auto found = find_series(submission, "probes", "eviction");
  if (const auto* why = std::get_if<Unavailable>(&found)) return *why;
  const Series& series = *std::get<const Series*>(found);
  return harness::find_cold_bytes({reference(series, "warm_lap"), reference(series, "flushed_lap")},
                                  series.sizes_bytes, series.samples_by_size);
}

harness::Reading<bool> eviction_verdict(const harness::Submission& submission, const harness::Plan& plan,
                                        const std::string& mode) {
  if (mode == "warm") return Unavailable{"nothing is evicted"};
  if (mode == "evict_flush") return Unavailable{"a flush is what other evictions are held against"};
  if (mode != "evict_stream")
    return Unavailable{"a concurrent antagonist evicts nothing that could be verified"};
  const auto found = find_series(submission, "probes", "eviction");
  if (const auto* why = std::get_if<Unavailable>(&found)) return *why;
  const auto cold = cold_bytes(submission);
  return available(cold) && plan.evict_stream_bytes >= std::get<int64_t>(cold);
}

bool is_not_evicted(const Series& series) {
  return series.status == harness::Status::failed && series.reason.rfind("not_evicted", 0) == 0;
}

}  // namespace analysis
