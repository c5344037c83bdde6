#include "harness/cli/cache_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/calibration.hpp"
#include "analysis/eviction.hpp"
#include "harness/cli/disturbed_text.hpp"
#include "harness/cold_size.hpp"
#include "harness/line_looks.hpp"
#include "harness/residency.hpp"
#include "harness/statistics.hpp"

namespace cli {
namespace {

using harness::Interval;
using harness::LineCount;
using harness::Series;

int64_t integer_param(const Series& series, const std::string& name) {
  const auto found = series.params.find(name);
  const auto* value = found == series.params.end() ? nullptr : std::get_if<int64_t>(&found->second);
  return value != nullptr ? *value : 0;
}

std::string text_param(const Series& series, const std::string& name) {
  const auto found = series.params.find(name);
  const auto* value = found == series.params.end() ? nullptr : std::get_if<std::string>(&found->second);
  return value != nullptr ? *value : "";
}

std::string disturbed_line(const Series& series) {
  DisturbedCount count;
  count_disturbed(series, count);
  return to_sentence(count) + "\n";
}

std::string title(const Terminal& terminal, const Series& series) {
  return paint(terminal, Colour::bold, series.probe) + "\n";
}

std::string dash(const Terminal& terminal) {
  return terminal.utf8 ? "–" : "-";
}

double median_ns(const std::vector<int64_t>& samples) {
  return harness::median(std::vector<double>(samples.begin(), samples.end()));
}

std::string microseconds(double ns) {
  return fmt::format("{:.1f}", ns / 1e3);
}

/// "12 % [8–17]", or "" where nobody looked.
std::string share_text(const Terminal& terminal,
                       const harness::Reading<harness::ResidencyCalibration>& calibration,
                       const std::vector<LineCount>& looks) {
  if (!harness::available(calibration) || looks.empty()) return "";
  const auto& found = std::get<harness::ResidencyCalibration>(calibration);
  const Interval share = looks.size() > 1 ? harness::share_of_looks(found, looks)
                                          : harness::resident_fraction(found, looks.front());
  return fmt::format("{:.0f} % [{:.0f}{}{:.0f}]", share.median * 100, share.low * 100, dash(terminal),
                     share.high * 100);
}

/// Returns whether one size is cold by all that tells: "yes", "no", or "cannot tell".
std::string coldness(const harness::LapReferences& references, double lap_ns,
                     const harness::Reading<harness::ResidencyCalibration>& calibration,
                     const std::vector<LineCount>& looks) {
  const auto cold_ns = harness::cold_lap_ns(references);
  if (!harness::available(cold_ns)) return "cannot tell";
  if (lap_ns < std::get<double>(cold_ns)) return "no";
  if (!harness::available(calibration) || looks.empty()) return "by the lap alone";
  return harness::is_cold(std::get<harness::ResidencyCalibration>(calibration), looks) ? "yes" : "no";
}

}  // namespace

std::string eviction_text(const Terminal& terminal, const harness::Launch& launch, const Series& series) {
  if (series.status != harness::Status::ok)
    return fmt::format("{}: unavailable: {}\n\n", series.probe, series.reason);
  const harness::LapReferences references = analysis::lap_references_of(launch, series);
  const auto calibration = analysis::calibration_of(launch, series);
  const auto looks = analysis::looks_of(series);
  const double flushed_ns = references.flushed_ns.median;
  const auto row = [&](const std::string& method, const std::string& bytes, const std::string& ms,
                       double lap_ns, const std::string& share, const std::string& cold) {
    return std::vector<std::string>{
        method, bytes, ms, microseconds(lap_ns), fmt::format("{:.0f} %", lap_ns / flushed_ns * 100),
        share,  cold};
  };
  const std::string us = terminal.utf8 ? "µs" : "us";
  Table table{
      {"method", "bytes", "ms", "first lap " + us, "of flushed", "still cached [95 %]", "cold"}, {}, {0, 6}};
  table.rows.push_back(row("none (warm)", "", "", references.warm_ns.median, "", "no"));
  for (size_t i = 0; i < series.sizes_bytes.size(); ++i) {
    const double lap_ns = median_ns(series.samples_by_size[i]);
    const auto stream_ns = static_cast<double>(integer_param(series, fmt::format("stream_{}_ns", i)));
    table.rows.push_back(
        row(text_param(series, "method"), format_bytes(static_cast<double>(series.sizes_bytes[i])),
            fmt::format("{:.1f}", stream_ns / 1e6), lap_ns, share_text(terminal, calibration, looks[i]),
            coldness(references, lap_ns, calibration, looks[i])));
  }
  table.rows.push_back(row("flush", format_bytes(static_cast<double>(integer_param(series, "set_bytes"))), "",
                           flushed_ns, "", "reference"));
  std::string text = title(terminal, series) + to_text(terminal, table);
  const int64_t cold_bytes = integer_param(series, "cold_bytes");
  text += cold_bytes > 0 ? fmt::format("cold from {} on\n", format_bytes(static_cast<double>(cold_bytes)))
                         : fmt::format("nothing evicts: {}\n", text_param(series, "not_evicted"));
  if (!text_param(series, "no_meter").empty()) text += "no meter: " + text_param(series, "no_meter") + "\n";
  return text + disturbed_line(series) + "\n";
}

std::string residency_text(const Terminal& terminal, const Series& series) {
  if (series.status != harness::Status::ok)
    return fmt::format("{}: unavailable: {}\n\n", series.probe, series.reason);
  Table table{{"place", "set", "ticks p5", "p50", "p95"}, {}, {0}};
  const std::string places = text_param(series, "places");
  size_t from = 0;
  for (size_t i = 0; i < series.sizes_bytes.size(); ++i) {
    const size_t end = std::min(places.find(' ', from), places.size());
    std::vector<double> ticks(series.samples_by_size[i].begin(), series.samples_by_size[i].end());
    table.rows.push_back({places.substr(from, end - from),
                          format_bytes(static_cast<double>(series.sizes_bytes[i])),
                          fmt::format("{:.0f}", harness::quantile(ticks, 0.05)),
                          fmt::format("{:.0f}", harness::quantile(ticks, 0.5)),
                          fmt::format("{:.0f}", harness::quantile(ticks, 0.95))});
    from = std::min(end + 1, places.size());
  }
  const auto count = [&](const std::string& name) {
    return LineCount{integer_param(series, name + "_lines"), integer_param(series, name + "_resident_lines")};
  };
  const LineCount warm = count("warm_set"), flushed = count("flushed_set");
  return title(terminal, series) + to_text(terminal, table) +
         fmt::format(
             "a load of {} ticks or more came from memory ({}); of {} lines of a set just read {} were "
             "called cached, of {} just flushed {}\n",
             integer_param(series, "threshold_ticks"), text_param(series, "timer"), warm.lines, warm.resident,
             flushed.lines, flushed.resident) +
         disturbed_line(series) + "\n";
}

std::string retention_text(const Terminal& terminal, const harness::Launch& launch, const Series& series,
                           const std::vector<harness::RetentionEstimate>& retention) {
  if (series.status != harness::Status::ok)
    return fmt::format("{}: unavailable: {}\n\n", series.probe, series.reason);
  const auto delays = static_cast<size_t>(std::max<int64_t>(integer_param(series, "delays"), 1));
  const size_t sets = series.sizes_bytes.size() / delays;
  const auto calibration = analysis::calibration_of(launch, series);
  const auto looks = analysis::looks_of(series);
  Table table{{"left alone ms"}, {}, {}};
  for (size_t set = 0; set < sets; ++set) {
    const std::string level = text_param(series, fmt::format("level_{}", set));
    table.header.push_back(fmt::format("{} {} GB/s", level,
                                       format_bytes(static_cast<double>(series.sizes_bytes[set * delays]))));
    table.header.push_back(level + " cached [95 %]");
  }
  for (size_t delay = 0; delay < delays; ++delay) {
    const auto delay_ns = static_cast<double>(integer_param(series, fmt::format("delay_{}_ns", delay)));
    std::vector<std::string> row{fmt::format("{:.1f}", delay_ns / 1e6)};
    for (size_t set = 0; set < sets; ++set) {
      const size_t at = set * delays + delay;
      row.push_back(fmt::format(
          "{:.1f}", static_cast<double>(series.work_per_sample[at]) / median_ns(series.samples_by_size[at])));
      row.push_back(share_text(terminal, calibration, looks[at]));
    }
    table.rows.push_back(row);
  }
  Table found{{"set", "half-life ms [95 %]", "method"}, {}, {0, 2}};
  for (const harness::RetentionEstimate& estimate : retention) {
    const auto* half_life = std::get_if<Interval>(&estimate.half_life_ns);
    found.rows.push_back(
        {estimate.level,
         half_life != nullptr      ? fmt::format("{:.1f} [{:.1f}{}{:.1f}]", half_life->median / 1e6,
                                                 half_life->low / 1e6, dash(terminal), half_life->high / 1e6)
         : estimate.longer_than_ns ? fmt::format("> {:.1f}", *estimate.longer_than_ns / 1e6)
                                   : "cannot tell",
         half_life != nullptr ? estimate.method
                              : fmt::format("{} ({})", estimate.method,
                                            std::get<harness::Unavailable>(estimate.half_life_ns).reason)});
  }
  return title(terminal, series) + to_text(terminal, table) + to_text(terminal, found) +
         disturbed_line(series) + "\n";
}

}  // namespace cli
