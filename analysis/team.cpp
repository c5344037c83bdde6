#include "analysis/team.hpp"

#include <fmt/format.h>

#include <vector>

#include "harness/statistics.hpp"

namespace analysis {

std::optional<double> number_of(const harness::Param& param) {
  if (const auto* real = std::get_if<double>(&param)) return *real;
  if (const auto* integer = std::get_if<int64_t>(&param)) return static_cast<double>(*integer);
  return std::nullopt;
}

std::optional<double> median_param(const harness::Submission& submission, const std::string& param) {
  std::vector<double> values;
  for (const auto& launch : submission.launches) {
    for (const auto& series : launch.series) {
      const auto found = series.params.find(param);
      if (series.probe != "decode" || found == series.params.end()) continue;
      if (const auto value = number_of(found->second)) {
        values.push_back(*value);
        break;
      }
    }
  }
  if (values.empty()) return std::nullopt;
  return harness::median(values);
}

std::optional<double> together_clock_ratio(const harness::Submission& submission) {
  return median_param(submission, "together_clock_ratio");
}

std::string why_together_is_slow(double together, std::optional<double> clock_ratio) {
  if (!clock_ratio) return "they are not cores of their own (siblings, or busy neighbours)";
  if (*clock_ratio <= 0)
    return "they share cores, or their clock falls when all are busy (it cannot be measured on this CPU)";
  // Two looks at a steady clock agree within 1 %.
  constexpr double steady_ratio = 0.99, agreement = 0.02;
  if (*clock_ratio >= steady_ratio)
    return "their clock stays, so they are not cores of their own (siblings, or busy neighbours)";
  if (together >= *clock_ratio - agreement)
    return fmt::format("their clock falls to {:.2f}, which is all of it (cores of their own, less turbo)",
                       *clock_ratio);
  return fmt::format("their clock falls to {:.2f}, and they are not cores of their own either", *clock_ratio);
}

}  // namespace analysis
