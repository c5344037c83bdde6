#include "harness/cli/probe_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/cli/cache_tables.hpp"
#include "harness/cli/disturbed_text.hpp"
#include "harness/cli/interference_text.hpp"
#include "harness/cli/plot.hpp"
#include "harness/cli/series_heading.hpp"
#include "harness/curve.hpp"

namespace cli {
namespace {

/// Returns one line per size: the rate or the latency, its 95 % interval over samples, and a bar.
std::string curve_text(const Terminal& terminal, const harness::Series& series) {
  if (series.status != harness::Status::ok)
    return fmt::format("{}: unavailable: {}\n\n", heading(series), series.reason);
  const bool barriers = series.work_unit == "barriers";
  const bool loads = series.work_unit == "loads" || barriers, bytes = series.work_unit == "bytes";
  const auto reading = harness::make_curve(
      series.sizes_bytes, series.work_per_sample, series.samples_by_size,
      loads ? harness::Quantity::ns_per_unit : harness::Quantity::per_second, harness::Spread::of_median_95);
  if (!harness::available(reading)) {
    return fmt::format("{}: unavailable: {}\n\n", series.probe,
                       std::get<harness::Unavailable>(reading).reason);
  }
  const auto& curve = std::get<harness::Curve>(reading);
  const double scale = loads ? 1 : 1e-9;
  const int digits = loads || bytes ? 1 : 3;
  Table table{{barriers ? "read" : "size",
               loads   ? "ns [95 %]"
               : bytes ? "GB/s [95 %]"
                       : "GHz [95 %]",
               ""},
              {},
              {2}};
  const double highest = *std::max_element(curve.values.begin(), curve.values.end());
  for (size_t i = 0; i < curve.values.size(); ++i) {
    table.rows.push_back(
        {loads || bytes ? format_bytes(static_cast<double>(curve.sizes_bytes[i])) : "",
         fmt::format("{:.{}f} [{:.{}f}{}{:.{}f}]", curve.values[i] * scale, digits, curve.low[i] * scale,
                     digits, terminal.utf8 ? "–" : "-", curve.high[i] * scale, digits),
         loads || bytes ? bar(terminal, curve.values[i] / highest, 40) : ""});
  }
  std::string picture;
  if (loads || bytes) {
    std::vector<double> values = curve.values;
    for (double& value : values) value *= scale;
    picture = plot(terminal, curve.sizes_bytes, values, loads ? "ns" : "GB/s",
                   loads ? Axis::logarithm : Axis::from_zero);
  }
  DisturbedCount count;
  count_disturbed(series, count);
  return paint(terminal, Colour::bold, heading(series)) + "\n" + picture + to_text(terminal, table) +
         to_sentence(count) + "\n\n";
}

/// Returns a line for each param: what a series found that has no curve.
std::string params_text(const Terminal& terminal, const harness::Series& series) {
  if (series.status != harness::Status::ok)
    return fmt::format("{}: unavailable: {}\n\n", heading(series), series.reason);
  std::string text = paint(terminal, Colour::bold, heading(series)) + "\n";
  for (const auto& [name, param] : series.params)
    text += std::visit([&name = name](const auto& value) { return fmt::format("  {} {}\n", name, value); },
                       param);
  return text + "\n";
}

/// Returns the table of a series: a curve, unless its probe has one of its own.
std::string series_text(const Terminal& terminal, const harness::Launch& launch,
                        const harness::Series& series, const harness::Derived& derived) {
  if (series.probe.ends_with("_references")) return "";  // in the table of what they are references of
  if (series.probe == "eviction") return eviction_text(terminal, launch, series);
  if (series.probe == "residency") return residency_text(terminal, series);
  if (series.probe == "retention") return retention_text(terminal, launch, series, derived.retention);
  if (series.probe == "fidelity") return params_text(terminal, series);
  return curve_text(terminal, series);
}

/// Returns one line per pool: what a jump costs, or why that cannot be told.
std::string jumps_text(const Terminal& terminal, const std::vector<harness::JumpEstimate>& jumps) {
  if (jumps.empty()) return "";
  Table table{{"pool", "ns per jump [95 %]", "then GB/s [95 %]", "misfit"}, {}, {0}};
  const auto interval = [&](const harness::Reading<harness::Interval>& reading, double scale) {
    const auto* value = std::get_if<harness::Interval>(&reading);
    if (value == nullptr) return std::get<harness::Unavailable>(reading).reason;
    return fmt::format("{:.1f} [{:.1f} {} {:.1f}]", value->median * scale, value->low * scale,
                       terminal.utf8 ? "…" : "..", value->high * scale);
  };
  for (const harness::JumpEstimate& jump : jumps) {
    const auto* misfit = std::get_if<double>(&jump.misfit_ratio);
    table.rows.push_back({format_bytes(static_cast<double>(jump.pool_bytes)), interval(jump.jump_ns, 1),
                          misfit != nullptr ? interval(jump.read_bytes_per_s, 1e-9) : "",
                          misfit != nullptr ? fmt::format("{:.0f} %", *misfit * 100) : ""});
  }
  return paint(terminal, Colour::bold, "time per chunk = jump + bytes / rate") + "\n" +
         to_text(terminal, table) + "\n";
}

}  // namespace

std::string series_tables(const Terminal& terminal, const harness::Submission& submission) {
  if (submission.launches.empty()) return "";
  std::string text;
  for (const harness::Series& series : submission.launches[0].series) {
    if (series.probe != "interference")
      text += series_text(terminal, submission.launches[0], series, submission.derived);
  }
  return text + interference_text(terminal, submission) + jumps_text(terminal, submission.derived.jumps);
}

}  // namespace cli
