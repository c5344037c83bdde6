#include "harness/cli/document_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/cli/capacity_table.hpp"
#include "harness/cli/foreign_text.hpp"
#include "harness/cli/import_text.hpp"
#include "harness/cli/paragraph.hpp"
#include "harness/cli/probe_text.hpp"
#include "harness/cli/result_table.hpp"

namespace cli {
namespace {

std::string failure_text(const Terminal& terminal, const harness::Failure& failure) {
  std::string text = paragraph(terminal, "claimed", failure.claimed);
  if (!failure.source.empty()) text += paragraph(terminal, "source", failure.source);
  text += paragraph(terminal, "observed", failure.observed);
  text += paragraph(terminal, "stage", fmt::format("{}, exit code {}", failure.stage, failure.exit_code));
  for (const std::string& finding : failure.doctor) text += paragraph(terminal, "doctor", finding);
  return text + "\n";
}

bool has_ok(const harness::Submission& submission, const std::string& probe) {
  const auto& series = submission.launches[0].series;
  return std::any_of(series.begin(), series.end(), [&](const harness::Series& each) {
    return each.probe == probe && each.status == harness::Status::ok;
  });
}

/// Capacities and roofs come from both curves; claims take parts of them at a few sizes.
std::string probed_text(const Terminal& terminal, const harness::Submission& submission) {
  return fmt::format("{}, measured on PU {}\n\n", submission.machine.cpu_model,
                     submission.conditions.pinned_pu) +
         series_tables(terminal, submission) +
         (has_ok(submission, "load_bandwidth") && has_ok(submission, "load_latency")
              ? capacities_text(terminal, submission.derived) +
                    roofs_text(terminal, submission.derived.roofs) + "\n"
              : "") +
         flags_text(terminal, submission);
}

}  // namespace

std::string document_text(const Terminal& terminal, const harness::StoredContent& content) {
  if (content.import) return import_text(terminal, content.import->imported);
  const harness::Submission& submission = content.submission;
  std::string text;
  if (submission.failure) text = failure_text(terminal, *submission.failure);
  if (!submission.derived.decode.empty() || !submission.plans.empty())
    return text + findings_text(terminal, submission);
  return text + (submission.launches.empty() ? "nothing was measured\n" : probed_text(terminal, submission));
}

nlohmann::json without_controls(const nlohmann::json& document) {
  if (document.is_string()) return one_line(document.get_ref<const std::string&>());
  nlohmann::json copy = document;
  if (document.is_structured()) {
    for (nlohmann::json& child : copy) child = without_controls(child);
  }
  return copy;
}

}  // namespace cli
