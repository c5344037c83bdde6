#include "analysis/team.hpp"

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

}  // namespace analysis
