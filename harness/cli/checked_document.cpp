#include "harness/cli/checked_document.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "analysis/import_judgement.hpp"
#include "analysis/plausibility.hpp"
#include "harness/digest.hpp"
#include "harness/error.hpp"
#include "harness/evidence_level.hpp"
#include "harness/import_document.hpp"
#include "harness/parsed_document.hpp"
#include "harness/validation.hpp"

namespace cli {

using harness::Error;
using harness::ExitCode;

namespace {

/// What a run leaves when it does not end, as it is written. "no submission" says too little of it.
bool is_partial(const std::string& text) {
  return text.starts_with(R"({"interrupted":)");
}

Error refusal(const std::string& name, const std::string& text,
              const std::vector<harness::Violation>& violations) {
  if (is_partial(text))
    return {ExitCode::invalid_input,
            fmt::format("{}: a run that did not end is no result; tell of it with tokroof failure new "
                        "--from FILE --claimed TEXT",
                        name)};
  const harness::Violation& first = violations.front();
  return {ExitCode::invalid_input,
          fmt::format("{}: {}: {}, expected {}{}", name, first.pointer.empty() ? "/" : first.pointer,
                      first.value, first.expected,
                      violations.size() > 1 ? fmt::format(" (and {} more)", violations.size() - 1) : "")};
}

}  // namespace

CheckedDocument check_document(const std::string& text, const std::string& name) {
  CheckedDocument checked;
  nlohmann::json document;
  const std::vector<harness::Violation> violations = harness::canonise_document(text, checked.text, document);
  if (!violations.empty()) throw refusal(name, text, violations);
  checked.content_sha256 = harness::sha256_hex(checked.text);
  checked.content = harness::content_of(document);
  checked.kind = checked.content.submission.kind;
  checked.level = checked.content.import ? checked.content.import->imported.level
                                         : harness::evidence_level(checked.content.submission);
  const std::vector<analysis::Finding> findings =
      checked.content.import ? analysis::check_import(checked.text)
                             : analysis::check_plausibility(checked.content.submission);
  for (const analysis::Finding& finding : findings) {
    const std::string line = fmt::format("{} {}: {}", finding.code, finding.pointer, finding.detail);
    if (finding.severity == analysis::Severity::reject)
      throw Error(ExitCode::invalid_input, fmt::format("{}: {}", name, line));
    if (checked.implausible.empty()) checked.implausible = line;
  }
  return checked;
}

}  // namespace cli
