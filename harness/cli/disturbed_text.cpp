#include "harness/cli/disturbed_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/cli/terminal.hpp"

namespace cli {

void count_disturbed(const harness::Series& series, DisturbedCount& count) {
  if (series.status != harness::Status::ok) return;
  count.samples += series.samples.size();
  for (const auto& samples : series.samples_by_size) count.samples += samples.size();
  std::set<int> marked;
  for (const auto& [reason, indices] : series.disturbed) {
    count.by_reason[reason] += indices.size();
    marked.insert(indices.begin(), indices.end());
  }
  count.disturbed += marked.size();
}

std::string to_sentence(const DisturbedCount& count) {
  if (count.disturbed == 0)
    return fmt::format("none of {} samples disturbed", format_count(static_cast<double>(count.samples)));
  std::vector<std::pair<std::string, size_t>> reasons(count.by_reason.begin(), count.by_reason.end());
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string list;
  for (const auto& [reason, times] : reasons)
    list +=
        fmt::format("{}{} {}", list.empty() ? "" : ", ", format_count(static_cast<double>(times)), reason);
  return fmt::format("{} of {} samples disturbed: {}", format_count(static_cast<double>(count.disturbed)),
                     format_count(static_cast<double>(count.samples)), list);
}

std::string disturbed_text(const std::vector<harness::Launch>& launches) {
  std::vector<std::pair<std::string, DisturbedCount>> counts;  // in the order of first appearance
  for (const harness::Launch& launch : launches) {
    for (const harness::Series& series : launch.series) {
      const std::string name = series.arm.empty() ? "probes" : series.arm;
      auto found = std::find_if(counts.begin(), counts.end(), [&](const auto& c) { return c.first == name; });
      if (found == counts.end()) found = counts.insert(counts.end(), {name, {}});
      count_disturbed(series, found->second);
    }
  }
  std::string text;
  for (const auto& [name, count] : counts) {
    if (count.samples > 0) text += fmt::format("{}: {}\n", name, to_sentence(count));
  }
  return text;
}

}  // namespace cli
