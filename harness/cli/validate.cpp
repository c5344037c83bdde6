// tokroof validate: is a file a submission, and can its figures be?
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "analysis/import_judgement.hpp"
#include "analysis/plausibility.hpp"
#include "analysis/plausibility_samples.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/foreign_text.hpp"
#include "harness/store.hpp"
#include "harness/submission.hpp"
#include "harness/user_file.hpp"
#include "harness/validation.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;

struct Report {
  std::string file;
  std::vector<harness::Violation> violations;
  std::vector<analysis::Finding> findings;
  std::vector<analysis::Unchecked> unchecked = {};
  std::string unreadable = {};  ///< why, with the file's name
  [[nodiscard]] ExitCode code() const {
    if (!violations.empty()) return ExitCode::invalid_input;
    ExitCode code = ExitCode::ok;
    for (const analysis::Finding& finding : findings) {
      if (finding.severity == analysis::Severity::reject) return ExitCode::invalid_input;
      if (finding.severity == analysis::Severity::quarantine) code = ExitCode::implausible;
    }
    return code;
  }
};

/// What a store tells of other runs: which ones a document's model errors name, and whose samples it has.
struct OtherRuns {
  harness::Store store;
  harness::ForecastRecord forecasts;
};

/// Rule P09 on every stored run of the same kind: reads each document of the store.
void find_copies(const harness::Submission& submission, harness::Store& store,
                 std::vector<analysis::Finding>& findings) {
  for (const harness::StoredDocument& document : store.list()) {
    if (document.kind != submission.kind) continue;
    const std::string pointer = analysis::copied_series(
        submission, harness::submission_from_json(store.text(document.content_sha256)));
    if (pointer.empty()) continue;
    findings.push_back({"P09", analysis::Severity::quarantine, pointer,
                        fmt::format("its samples are those of the stored document {:.16} times one factor",
                                    document.content_sha256)});
    return;
  }
}

Report examine(const std::string& path, OtherRuns* others) {
  Report report{path, {}, {}};
  try {
    const std::string text = harness::read_user_file(path, harness::max_document_bytes);
    report.violations = harness::validate_document(text);
    if (!report.violations.empty()) return report;
    if (harness::is_import(text)) {
      report.findings = analysis::check_import(text);
      return report;
    }
    const harness::Submission submission = harness::submission_from_json(text);
    report.findings = analysis::check_plausibility(submission, others ? &others->forecasts : nullptr);
    if (others) find_copies(submission, others->store, report.findings);
    report.unchecked = analysis::unchecked_rules(submission);
  } catch (const Error& error) {  // one bad file must not hide what is said about the others
    report.unreadable = error.what();
    report.violations.push_back({"", error.what(), "a submission that can be read"});
  }
  return report;
}

/// An error that names its file already does not name it again.
std::string name_first(const std::string& error, const std::string& file) {
  return error.starts_with(one_line(file)) ? error : fmt::format("{}: {}", one_line(file), error);
}

std::string to_text(const Terminal& terminal, const Report& report) {
  if (!report.unreadable.empty())
    return fmt::format("{} {}\n", mark_bad(terminal), name_first(report.unreadable, report.file));
  std::string text;
  if (report.code() == ExitCode::ok)
    text = fmt::format("{} {}: valid\n", mark_good(terminal), one_line(report.file));
  for (const harness::Violation& violation : report.violations) {
    text += fmt::format("{} {}: {}: {}, expected {}\n", mark_bad(terminal), one_line(report.file),
                        violation.pointer.empty() ? "(whole document)" : violation.pointer, violation.value,
                        violation.expected);
  }
  for (const analysis::Finding& finding : report.findings) {
    text += fmt::format("{} {}: {} {}: {}\n", mark_bad(terminal), one_line(report.file), finding.code,
                        finding.pointer, finding.detail);
  }
  for (const analysis::Unchecked& each : report.unchecked) {
    text += fmt::format("{} {}: {} not checked: {}\n", mark_warning(terminal), one_line(report.file),
                        each.code, each.reason);
  }
  return text;
}

std::string to_json(const std::vector<Report>& reports) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Report& report : reports) {
    nlohmann::ordered_json violations = nlohmann::ordered_json::array(),
                           findings = nlohmann::ordered_json::array(),
                           not_checked = nlohmann::ordered_json::array();
    for (const auto& v : report.violations) {
      violations.push_back({{"pointer", v.pointer}, {"value", v.value}, {"expected", v.expected}});
    }
    for (const auto& f : report.findings) {
      findings.push_back({{"code", f.code}, {"pointer", f.pointer}, {"detail", f.detail}});
    }
    for (const auto& each : report.unchecked)
      not_checked.push_back({{"code", each.code}, {"reason", each.reason}});
    json.push_back({{"file", report.file},
                    {"valid", report.code() == ExitCode::ok},
                    {"violations", violations},
                    {"findings", findings},
                    {"not_checked", not_checked}});
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

struct ValidateOptions {
  std::vector<std::string> files;
  std::string database;
  bool json = false;
};

ExitCode run(const ValidateOptions& options, const Terminal& terminal) {
  std::optional<OtherRuns> others;
  if (!options.database.empty()) {
    others.emplace(OtherRuns{harness::Store::open_existing(options.database), {}});
    others->forecasts = others->store.forecast_record({"ecm", "", "", "", ""});
  }
  std::vector<Report> reports;
  ExitCode code = ExitCode::ok;
  for (const std::string& file : options.files) {
    reports.push_back(examine(file, others ? &*others : nullptr));
    const ExitCode one = reports.back().code();
    if (one == ExitCode::invalid_input || code == ExitCode::ok) code = one;
  }
  std::string text;
  for (const Report& report : reports) text += to_text(terminal, report);
  print_result(options.json ? to_json(reports) : text);
  return code;
}

}  // namespace

void add_validate(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, "validate", "checks submissions: strict parse, schema, rules; lists every violation",
                  "tokroof validate result.json");
  auto options = std::make_shared<ValidateOptions>();
  command->add_option("FILE", options->files, "documents")->required();
  command->add_option("--db", options->database,
                      "hold them against the runs of this store, too (rules R08 and P09)");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options] { return run(*options, invocation.terminal); };
  });
}

}  // namespace cli
