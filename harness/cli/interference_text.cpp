#include "harness/cli/interference_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace cli {
namespace {

std::string ratio_text(const Terminal& terminal, const harness::Interval& ratio) {
  return fmt::format("{:.3f} [{:.3f}{}{:.3f}]", ratio.median, ratio.low, terminal.utf8 ? "–" : "-",
                     ratio.high);
}

bool agrees(const harness::Interference& control) {
  return control.time_ratio.low <= 1 && control.time_ratio.high >= 1;
}

/// What did not run, each once.
std::string missing_text(const harness::Submission& submission) {
  std::string text;
  for (const harness::Launch& launch : submission.launches) {
    for (const harness::Series& series : launch.series) {
      if (series.probe != "interference" || series.status == harness::Status::ok) continue;
      const auto name = series.params.find("antagonist");
      const std::string what =
          name == series.params.end() ? series.placement : std::get<std::string>(name->second);
      text += fmt::format("{}: {} ({})\n", what == "none" ? "interference" : what,
                          series.status == harness::Status::failed ? "failed" : "unavailable", series.reason);
    }
  }
  return text;
}

/// Returns the highest core clock that a series saw, in Hz; 0 where it is not known.
double clock_hz(const harness::Submission& submission, const std::string& placement,
                const std::string& antagonist) {
  for (const harness::Launch& launch : submission.launches) {
    for (const harness::Series& series : launch.series) {
      const auto name = series.params.find("antagonist");
      if (series.probe == "interference" && series.placement == placement && name != series.params.end() &&
          std::get<std::string>(name->second) == antagonist)
        return static_cast<double>(series.totals.core_clock_high_hz);
    }
  }
  return 0;
}

}  // namespace

std::string interference_text(const Terminal& terminal, const harness::Submission& submission) {
  const auto& found = submission.derived.interference;
  const std::string missing = missing_text(submission);
  if (found.empty() && missing.empty()) return "";
  std::set<int64_t> sizes;
  for (const auto& each : found) sizes.insert(each.size_bytes);
  Table table{{"place", "antagonist"}, {}, {0, 1}};
  for (const int64_t size : sizes)
    table.header.push_back(fmt::format("time / idle, {} [95 %]", format_bytes(static_cast<double>(size))));
  table.header.emplace_back("core clock / idle");
  for (size_t i = 0; i < found.size(); ++i) {
    const auto& each = found[i];
    if (i == 0 || found[i - 1].placement != each.placement || found[i - 1].antagonist != each.antagonist) {
      table.rows.push_back(
          {each.placement, each.antagonist == "idle_again" ? "idle again (A/A)" : each.antagonist});
    }
    table.rows.back().push_back(ratio_text(terminal, each.time_ratio));
    const bool last = i + 1 == found.size() || found[i + 1].placement != each.placement ||
                      found[i + 1].antagonist != each.antagonist;
    if (!last) continue;
    const size_t blank = table.header.size() - 1 - table.rows.back().size();
    table.rows.back().insert(table.rows.back().end(), blank, "");
    const double own_hz = clock_hz(submission, each.placement, each.antagonist),
                 idle_hz = clock_hz(submission, each.placement, "idle");
    table.rows.back().push_back(own_hz > 0 && idle_hz > 0 ? fmt::format("{:.2f}", own_hz / idle_hz)
                                                          : "not known");
  }
  std::string text = paint(terminal, Colour::bold, "interference") + "\n";
  if (!found.empty()) text += to_text(terminal, table);
  const bool proven = std::all_of(found.begin(), found.end(), [](const auto& each) {
    return each.antagonist != "idle_again" || agrees(each);
  });
  if (!proven) text += "Idle differs from idle: nothing in this table is proven.\n";
  return text + missing + "\n";
}

}  // namespace cli
