#include "harness/cli/capacity_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace cli {
namespace {

using harness::CacheEstimate;
using harness::Interval;

struct Column {
  const char* retouch;  ///< how CacheEstimate::retouch begins
  const char* heading;
};
constexpr std::array<Column, 2> columns{
    {{"cyclic stream", "by stream [95 %]"}, {"random chase", "by refreshed chase [95 %]"}}};

std::string size_of(double bytes) {
  return format_bytes(bytes);
}

std::string interval_text(const Terminal& terminal, const Interval& edge) {
  return fmt::format("{} [{} {} {}]", size_of(edge.median), size_of(edge.low), terminal.utf8 ? "–" : "-",
                     size_of(edge.high));
}

const CacheEstimate* find_estimate(const std::vector<CacheEstimate>& caches, const std::string& level,
                                   const std::string& retouch) {
  const auto found = std::find_if(caches.begin(), caches.end(), [&](const CacheEstimate& each) {
    return each.level == level && each.retouch.rfind(retouch, 0) == 0;
  });
  return found == caches.end() ? nullptr : &*found;
}

/// Returns how long the level's set keeps lines that nobody touches, by the lines themselves; "" where nobody
/// looked.
std::string half_life_text(const Terminal& terminal, const harness::Derived& derived,
                           const std::string& level) {
  for (const harness::RetentionEstimate& estimate : derived.retention) {
    if (estimate.level != level || estimate.method.find("line") == std::string::npos) continue;
    if (const auto* half_life = std::get_if<Interval>(&estimate.half_life_ns)) {
      return fmt::format("{:.1f} ms [{:.1f} {} {:.1f}]", half_life->median / 1e6, half_life->low / 1e6,
                         terminal.utf8 ? "–" : "-", half_life->high / 1e6);
    }
    return estimate.longer_than_ns ? fmt::format("> {:.1f} ms", *estimate.longer_than_ns / 1e6)
                                   : "cannot tell";
  }
  return "";
}

const Interval* edge_of(const CacheEstimate* estimate) {
  return estimate ? std::get_if<Interval>(&estimate->effective_bytes) : nullptr;
}

}  // namespace

std::string capacities_text(const Terminal& terminal, const harness::Derived& derived) {
  if (derived.caches.empty()) return "cache_capacity: unavailable: the system tells of no caches\n\n";
  Table table{{"cache", "told", columns[0].heading, columns[1].heading}, {}, {0}};
  const bool rested = !derived.retention.empty();
  if (rested) table.header.emplace_back("half-life [95 %]");
  std::string notes;
  std::vector<std::string> levels;
  for (const CacheEstimate& cache : derived.caches) {
    if (std::find(levels.begin(), levels.end(), cache.level) == levels.end()) levels.push_back(cache.level);
  }
  for (const std::string& level : levels) {
    std::vector<std::string> row{level, ""};
    std::vector<const Interval*> edges;
    for (const Column& column : columns) {
      const CacheEstimate* estimate = find_estimate(derived.caches, level, column.retouch);
      if (estimate) row[1] = size_of(static_cast<double>(estimate->reported_bytes));
      const Interval* edge = edges.emplace_back(edge_of(estimate));
      row.push_back(edge ? interval_text(terminal, *edge) : "cannot tell");
      if (estimate && !edge)
        notes +=
            fmt::format("{}: {}\n", level, std::get<harness::Unavailable>(estimate->effective_bytes).reason);
    }
    if (edges[0] && edges[1] && (edges[0]->low > edges[1]->high || edges[1]->low > edges[0]->high))
      notes += fmt::format(
          "{}: stream and chase disagree: how much it holds depends on how soon one comes back\n", level);
    if (rested) row.push_back(half_life_text(terminal, derived, level));
    table.rows.push_back(row);
  }
  return paint(terminal, Colour::bold, "cache_capacity") + "\n" + to_text(terminal, table) + notes + "\n";
}

}  // namespace cli
