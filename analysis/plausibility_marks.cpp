#include "analysis/plausibility_marks.hpp"

#include <fmt/format.h>

namespace analysis {

using harness::Series;

namespace {

/// Returns which mark names a sample that is not there, or "".
std::string mismark(const Series& series) {
  size_t samples = series.samples.size();
  for (const auto& at_size : series.samples_by_size) samples += at_size.size();
  for (const auto& [reason, indices] : series.disturbed) {
    for (size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] < 0 || static_cast<size_t>(indices[i]) >= samples)
        return fmt::format("{} marks sample {} of {}", reason, indices[i], samples);
      if (i > 0 && indices[i] <= indices[i - 1])
        return fmt::format("{} marks sample {} after {}", reason, indices[i], indices[i - 1]);
    }
  }
  return "";
}

}  // namespace

void check_marks(const harness::Submission& submission, std::vector<Finding>& findings) {
  for (size_t i = 0; i < submission.launches.size(); ++i) {
    for (size_t j = 0; j < submission.launches[i].series.size(); ++j) {
      const Series& series = submission.launches[i].series[j];
      if (series.status != harness::Status::ok) continue;
      const std::string wrong = mismark(series);
      if (wrong.empty()) continue;
      findings.push_back(
          {"R03", Severity::reject, fmt::format("/launches/{}/series/{}/disturbed", i, j), wrong});
    }
  }
}

}  // namespace analysis
