#include "analysis/ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "analysis/probe_series.hpp"

namespace analysis {

using harness::Curve;
using harness::Interval;
using harness::Roof;
using harness::Submission;

namespace {

constexpr double clock_margin_ratio = 1.05;  // the clock may rise between the probes and what is judged
constexpr double level_margin_ratio = 1.05;  // what two quiet sittings of one machine differ by
constexpr double fit_margin_ratio = 1.15;    // what sizes of one level may differ by (harness/knees.hpp)
constexpr double evicted_margin_ratio = 1.02;

double loads_per_cycle(double of_bytes) {
  return of_bytes <= 32 ? 3 : 2;
}

/// Widest vector of an instruction set. Plain code is compiled for the baseline, whose vectors have 16 bytes;
/// an unknown set gets the widest there is.
double vector_bytes(const std::string& isa) {
  if (isa == "scalar") return 16;
  if (isa.rfind("avx2", 0) == 0) return 32;
  return 64;
}

std::string text_of(const Interval& value) {
  return fmt::format("{:.4g} [{:.4g}, {:.4g}]", value.median, value.low, value.high);
}

/// Keeps the first reason: one is enough to doubt a figure.
void invalidate(std::string& invalid, const std::string& why) {
  if (invalid.empty()) invalid = why;
}

void check_bound(Roof& roof, const Bound& bound) {
  const auto* read = std::get_if<Interval>(&roof.read_bytes_per_s);
  if (!read || bound.value <= 0 || read->median <= bound.value) return;
  invalidate(roof.invalid, fmt::format("read {:.4g} bytes/s, more than {}", read->median, bound.sum));
}

/// A roof lies on the curve; where the curve leaves its monotone fit there, a larger set was faster.
void check_fit(Roof& roof, const harness::Reading<Curve>& curve, bool rates) {
  const auto* value = std::get_if<Interval>(rates ? &roof.read_bytes_per_s : &roof.load_latency_ns);
  if (!value || !available(curve) || roof.threads != 1) return;
  const Curve fit = harness::monotone_fit(std::get<Curve>(curve),
                                          rates ? harness::Direction::falling : harness::Direction::rising);
  const auto fitted = harness::read_at(fit, static_cast<double>(roof.size_bytes));
  if (fitted.clamped) return;
  const double expected = fitted.value.median;
  if (expected <= value->high * fit_margin_ratio && expected >= value->low / fit_margin_ratio) return;
  invalidate(roof.invalid,
             fmt::format("{} {} at {} bytes, the monotone fit over all sizes gives {:.4g}: {}",
                         rates ? "read" : "latency", text_of(*value), roof.size_bytes, expected,
                         rates ? "a larger set was read faster" : "a larger set answered sooner"));
}

/// `near` is a smaller level than `far`, of the same cores.
void check_order(Roof& near, const Roof& far) {
  if (near.threads != far.threads || near.core_kind != far.core_kind) return;
  const auto* near_read = std::get_if<Interval>(&near.read_bytes_per_s);
  const auto* far_read = std::get_if<Interval>(&far.read_bytes_per_s);
  if (near_read && far_read && far_read->low > near_read->high * level_margin_ratio)
    invalidate(near.invalid, fmt::format("read {} bytes/s is below {}'s {}", text_of(*near_read), far.level,
                                         text_of(*far_read)));
  const auto* near_ns = std::get_if<Interval>(&near.load_latency_ns);
  const auto* far_ns = std::get_if<Interval>(&far.load_latency_ns);
  if (near_ns && far_ns && far_ns->high < near_ns->low / level_margin_ratio)
    invalidate(near.invalid,
               fmt::format("latency {} ns is above {}'s {}", text_of(*near_ns), far.level, text_of(*far_ns)));
}

}  // namespace

std::string stream_isa(const Submission& submission) {
  const auto series = find_series(submission, "probes", "load_bandwidth");
  if (!available(series)) return "";
  const auto& params = std::get<const harness::Series*>(series)->params;
  const auto isa = params.find("isa");
  const auto* name = isa == params.end() ? nullptr : std::get_if<std::string>(&isa->second);
  return name ? *name : "";
}

double highest_clock_hz(const Submission& submission) {
  double highest = 0;
  for (const auto& launch : submission.launches) {
    for (const auto& series : launch.series) {
      if (series.probe != "core_clock" || series.status != harness::Status::ok ||
          series.work_unit != "cycles")
        continue;
      for (size_t i = 0; i < std::min(series.samples_by_size.size(), series.work_per_sample.size()); ++i) {
        for (int64_t ns : series.samples_by_size[i]) {
          if (ns <= 0) continue;
          highest = std::max(highest,
                             static_cast<double>(series.work_per_sample[i]) / static_cast<double>(ns) * 1e9);
        }
      }
    }
  }
  return highest;
}

Bound load_bound(const std::string& isa, double clock_hz, int threads) {
  if (clock_hz <= 0) return {};
  const double width = vector_bytes(isa), loads = loads_per_cycle(width);
  const double limit = loads * width * clock_hz * clock_margin_ratio * threads;
  return {limit, fmt::format("{}{} loads × {} bytes × {:.4g} Hz × {:.2f} = {:.4g} bytes/s",
                             threads == 1 ? "" : fmt::format("{} cores × ", threads), loads, width, clock_hz,
                             clock_margin_ratio, limit)};
}

Bound l2_bound(int line_bytes, double clock_hz, int threads) {
  if (clock_hz <= 0 || line_bytes <= 0) return {};
  const double limit = line_bytes * clock_hz * clock_margin_ratio * threads;
  return {limit, fmt::format("{}{} bytes of a line × {:.4g} Hz × {:.2f} = {:.4g} bytes/s",
                             threads == 1 ? "" : fmt::format("{} cores × ", threads), line_bytes, clock_hz,
                             clock_margin_ratio, limit)};
}

void mark_invalid_roofs(const Submission& submission, std::vector<Roof>& roofs) {
  constexpr auto spread = harness::Spread::of_median_95;
  const double clock_hz = highest_clock_hz(submission);
  const std::string isa = stream_isa(submission);
  const auto bandwidth = find_curve(submission, "probes", "load_bandwidth", spread);
  const auto latency = find_curve(submission, "probes", "load_latency", spread);
  const harness::Cache* l2 = level_cache(submission.machine, 2);
  for (Roof& roof : roofs) {
    check_bound(roof, load_bound(isa, clock_hz, roof.threads));
    if (roof.level == "l2" && l2) check_bound(roof, l2_bound(l2->line_bytes, clock_hz, roof.threads));
    if (roof.level != "dram") {  // which has a probe of its own for reads
      check_fit(roof, bandwidth, true);
      check_fit(roof, latency, false);
    }
  }
  for (size_t i = 0; i < roofs.size(); ++i) {
    for (size_t j = i + 1; j < roofs.size(); ++j) check_order(roofs[i], roofs[j]);
  }
}

void mark_invalid_decode(const std::vector<harness::ArmRatio>& ratios,
                         std::vector<harness::DecodeResult>& results) {
  for (harness::DecodeResult& result : results) {
    if (result.key.mode != "evict_flush" && result.key.mode != "evict_stream") continue;
    const auto ratio = std::find_if(ratios.begin(), ratios.end(), [&](const harness::ArmRatio& each) {
      return each.name == result.arm + "/warm" && each.key == result.key;
    });
    if (ratio != ratios.end() && ratio->launches > 1 && ratio->speed_ratio.low > evicted_margin_ratio)
      invalidate(
          result.invalid,
          fmt::format("evicted ÷ warm = {}, above {:.2f}: what is evicted cannot be faster than what is "
                      "warm, so warm was not",
                      text_of(ratio->speed_ratio), evicted_margin_ratio));
    const auto* verified = std::get_if<bool>(&result.evicted_verified);
    if (verified && !*verified)
      invalidate(result.invalid,
                 "the first laps of the eviction probe do not show that what this plan evicts with leaves "
                 "memory as cold as a flush does");
  }
}

void flag_invalid(harness::Derived& derived) {
  size_t invalid = 0;
  std::string first;
  const auto note = [&](const std::string& figure, const std::string& why) {
    if (why.empty()) return;
    ++invalid;
    if (first.empty()) first = fmt::format("{}: {}", figure, why);
  };
  for (const Roof& roof : derived.roofs) note("roof " + roof.level, roof.invalid);
  for (const harness::DecodeResult& result : derived.decode) note(result.arm, result.invalid);
  if (invalid == 0) return;
  derived.flags.push_back({"figure_invalid",
                           fmt::format("{} figure{} of this run contradict{} its own clock or curves. {}",
                                       invalid, invalid == 1 ? "" : "s", invalid == 1 ? "s" : "", first),
                           static_cast<double>(invalid)});
}

}  // namespace analysis
