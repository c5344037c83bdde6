#include "analysis/plausibility_failure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/scrub.hpp"

namespace analysis {
namespace {

/// Names nobody's secret: only the place where the texts begin to differ.
void check(const std::string& text, const std::string& pointer, std::vector<Finding>& findings) {
  const std::string scrubbed = harness::scrub(text);
  if (scrubbed == text) return;
  const auto place =
      std::mismatch(text.begin(), text.end(), scrubbed.begin(), scrubbed.end()).first - text.begin();
  findings.push_back({"R21", Severity::reject, pointer,
                      fmt::format("an address, a path, an id or a control character near byte {}", place)});
}

}  // namespace

void check_failure(const harness::Submission& submission, std::vector<Finding>& findings) {
  if (!submission.failure) return;
  const harness::Failure& failure = *submission.failure;
  check(failure.claimed, "/failure/claimed", findings);
  check(failure.source, "/failure/source", findings);
  check(failure.observed, "/failure/observed", findings);
  check(failure.stage, "/failure/stage", findings);
  check(failure.log_excerpt, "/failure/log_excerpt", findings);
  for (size_t i = 0; i < failure.doctor.size(); ++i)
    check(failure.doctor[i], fmt::format("/failure/doctor/{}", i), findings);
}

}  // namespace analysis
