#include "harness/cli/series_heading.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>
#include <vector>

#include "harness/cli/terminal.hpp"
#include "probes/time_budget.hpp"

namespace cli {

std::string heading(const harness::Series& series) {
  std::string text = series.probe;
  const auto add = [&](const char* name, const std::string& usual, const auto& format) {
    const auto found = series.params.find(name);
    if (found == series.params.end()) return;
    std::string value;
    if (const auto* word = std::get_if<std::string>(&found->second)) value = *word;
    if (const auto* count = std::get_if<int64_t>(&found->second)) value = format(*count);
    if (value != usual) text += ", " + value;
  };
  const auto bytes = [](int64_t count) { return format_bytes(static_cast<double>(count)); };
  add("operation", "read", bytes);
  add("pages", "huge", bytes);
  if (text.ends_with("small")) text += " pages";
  add("window_bytes", "", [&](int64_t count) { return "windows of " + bytes(count); });
  add("pool_bytes", "", [&](int64_t count) { return "pool of " + bytes(count); });
  add("threads", "1 thread",
      [](int64_t count) { return fmt::format("{} thread{}", count, count == 1 ? "" : "s"); });
  return text;
}

std::string budget_text(const harness::Launch& launch, int64_t budget_ns) {
  std::string text;
  std::vector<std::pair<std::string, int>> skipped;  // a probe may have many series of one heading
  for (const harness::Series& series : launch.series) {
    if (!probes::is_skipped(series)) continue;
    const std::string name = heading(series);
    if (skipped.empty() || skipped.back().first != name) skipped.emplace_back(name, 0);
    ++skipped.back().second;
  }
  for (const auto& [name, count] : skipped)
    text += count == 1 ? name + " skipped, " : fmt::format("{} series of {} skipped, ", count, name);
  for (const harness::Series& series : launch.series) {
    const int64_t sizes = probes::skipped_sizes(series);
    if (sizes > 0)
      text += fmt::format("{} of {} sizes of {} left out, ", sizes,
                          static_cast<size_t>(sizes) + series.sizes_bytes.size(), heading(series));
  }
  if (text.empty()) return "";
  return fmt::format("to keep the budget of {:g} s: {}\n", static_cast<double>(budget_ns) / 1e9,
                     text.substr(0, text.size() - 2));
}

}  // namespace cli
