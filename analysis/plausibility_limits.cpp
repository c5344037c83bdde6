#include "analysis/plausibility_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/ceilings.hpp"
#include "analysis/derive.hpp"
#include "analysis/probe_series.hpp"
#include "models/shape.hpp"

namespace analysis {

using harness::Curve;
using harness::Reading;
using harness::Submission;
using harness::Unavailable;

namespace {

constexpr double curve_margin_ratio = 1.10;  // noise of two medians, and reads that hit a smaller cache
constexpr double working_set_share = 0.8;    // a fifth is touched rarely: the rest sees a smaller cache

/// Best after/before ratio of the repeated read rates, at least 1.
double best_repeat_ratio(const Submission& submission) {
  double best = 1;
  for (const char* probe : {"load_bandwidth", "dram_stream"}) {
    const auto before = find_curve(submission, "probes", probe, harness::Spread::of_median_95);
    if (!available(before)) continue;
    for (const Curve& repeated : repeated_curves(submission, probe, harness::Spread::of_median_95)) {
      for (size_t i = 0; i < repeated.sizes_bytes.size(); ++i) {
        const auto was = read_at(std::get<Curve>(before), static_cast<double>(repeated.sizes_bytes[i]));
        if (!was.clamped) best = std::max(best, repeated.values[i] / was.value.median);
      }
    }
  }
  return best;
}

Reading<Curve> read_curve(const Submission& submission) {
  return find_curve(submission, "probes", "load_bandwidth", harness::Spread::of_median_95);
}

/// What tokens read over and over, at the least: the working set, of experts only those that one token
/// visits, since a routing may keep to them.
std::optional<int64_t> working_set_bytes(const std::string& model) {
  const models::Shape* shape = models::known_shape(model);
  if (shape == nullptr) return std::nullopt;
  const models::Cost cost = models::cost(*shape);
  if (shape->experts.count == 0) return cost.working_set_bytes;
  return cost.working_set_bytes - cost.weight_bytes + cost.weight_bytes_per_token;
}

/// The curve is that of one thread, and a model that is not known has no known working set.
bool curve_fits(const harness::DecodeResult& result) {
  return result.key.threads == 1 && models::known_shape(result.key.model) != nullptr;
}

void check_curve(const Submission& submission, const harness::Derived& recomputed,
                 std::vector<Finding>& findings) {
  const auto curve = read_curve(submission);
  if (!available(curve)) return;
  const double repeat_ratio = best_repeat_ratio(submission);
  for (size_t i = 0; i < recomputed.decode.size(); ++i) {
    const auto& result = recomputed.decode[i];
    if (!curve_fits(result)) continue;
    const auto working_set = working_set_bytes(result.key.model);
    const double size = working_set_share * static_cast<double>(*working_set);
    const double read_bytes_per_s = read_at(std::get<Curve>(curve), size).value.median;
    const double limit = curve_margin_ratio * repeat_ratio * read_bytes_per_s;
    if (result.weight_bytes_per_s <= limit) continue;
    findings.push_back(
        {"P01", Severity::quarantine, fmt::format("/derived/decode/{}/tokens_per_s", i),
         fmt::format("{} bytes per token × {:.1f} tokens/s = {:.4g} bytes/s, more than {:.2f} × {:.3f} (best "
                     "repeat) × "
                     "{:.4g} (read curve at {:.0f} bytes) = {:.4g}",
                     result.weight_bytes_per_token, result.tokens_per_s.median, result.weight_bytes_per_s,
                     curve_margin_ratio, repeat_ratio, read_bytes_per_s, size, limit)});
  }
}

void check_loads(const Submission& submission, const harness::Derived& recomputed,
                 std::vector<Finding>& findings) {
  const double clock_hz = highest_clock_hz(submission);
  for (size_t i = 0; i < recomputed.decode.size(); ++i) {
    const harness::DecodeResult& result = recomputed.decode[i];
    const Bound bound = load_bound(result.key.isa, clock_hz, result.key.threads);
    if (bound.value <= 0 || result.weight_bytes_per_s <= bound.value) continue;
    findings.push_back({"P02", Severity::quarantine, fmt::format("/derived/decode/{}/weight_bytes_per_s", i),
                        fmt::format("{:.4g} bytes/s, more than {}", result.weight_bytes_per_s, bound.sum)});
  }
  const std::string isa = stream_isa(submission);
  for (size_t i = 0; i < recomputed.roofs.size(); ++i) {
    const auto* read = std::get_if<harness::Interval>(&recomputed.roofs[i].read_bytes_per_s);
    const Bound bound = load_bound(isa, clock_hz, recomputed.roofs[i].threads);
    if (!read || bound.value <= 0 || read->median <= bound.value) continue;
    findings.push_back({"P02", Severity::quarantine, fmt::format("/derived/roofs/{}/read_bytes_per_s", i),
                        fmt::format("{:.4g} bytes/s, more than {}", read->median, bound.sum)});
  }
}

/// Why the read curve says nothing about a decode figure, or "".
std::string without_curve(const harness::DecodeResult& result, const Reading<Curve>& curve) {
  if (const auto* why = std::get_if<Unavailable>(&curve))
    return fmt::format("no read curve (load_bandwidth: {})", why->reason);
  if (result.key.threads != 1) return "the read curve is that of one thread";
  if (!curve_fits(result)) return fmt::format("this version does not know the model {}", result.key.model);
  return "";
}

/// Adds what one rule could not look at: how many of its figures, for which reason.
void add_unchecked(const std::string& rule, const std::vector<std::string>& reasons, const char* figures,
                   std::vector<Unchecked>& unchecked) {
  std::map<std::string, size_t> counts;
  for (const std::string& reason : reasons) {
    if (!reason.empty()) ++counts[reason];
  }
  for (const auto& [reason, count] : counts)
    unchecked.push_back({rule, fmt::format("{} of {} {}: {}", count, reasons.size(), figures, reason)});
}

}  // namespace

void check_limits(const Submission& submission, const harness::Derived& recomputed,
                  std::vector<Finding>& findings) {
  check_curve(submission, recomputed, findings);
  check_loads(submission, recomputed, findings);
}

std::vector<Unchecked> unchecked_rules(const Submission& submission) {
  const harness::Derived recomputed = derive(submission);
  const Reading<Curve> curve = read_curve(submission);
  std::vector<std::string> of_curve, of_loads;
  for (const harness::DecodeResult& result : recomputed.decode)
    of_curve.push_back(without_curve(result, curve));
  size_t figures = recomputed.decode.size();
  for (const harness::Roof& roof : recomputed.roofs) figures += available(roof.read_bytes_per_s) ? 1 : 0;
  if (highest_clock_hz(submission) <= 0) of_loads.assign(figures, "no clock of the core (core_clock)");
  std::vector<Unchecked> unchecked;
  add_unchecked("P01", of_curve, "decode figures", unchecked);
  add_unchecked("P02", of_loads, "decode figures and read roofs", unchecked);
  return unchecked;
}

}  // namespace analysis
