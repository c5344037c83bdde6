#include "harness/cli/comparison_sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "analysis/plausibility.hpp"
#include "harness/digest.hpp"
#include "harness/import_document.hpp"
#include "harness/store.hpp"
#include "harness/user_file.hpp"
#include "harness/validation.hpp"

namespace cli {
namespace {

using analysis::ComparedDecode;
using harness::Error;
using harness::ExitCode;

/// What was measured, whatever else the document says: a copy under another nonce is no other sitting.
std::string fingerprint(const std::vector<ComparedDecode>& decodes) {
  std::string text;
  for (const ComparedDecode& decode : decodes) {
    text += fmt::format("{} {} {}", decode.key.model, decode.key.mode, decode.key.isa);
    for (const double speed : decode.tokens_per_s) text += fmt::format(" {:.17g}", speed);
  }
  return harness::sha256_hex(text);
}

/// Adds a document whose measurements neither this side nor `known` has.
void add_document(Side& side, const harness::Submission& submission, const std::set<std::string>& known) {
  std::vector<ComparedDecode> decodes = analysis::collect_decodes(submission);
  if (decodes.empty()) return;
  const std::string print = fingerprint(decodes);
  if (known.count(print) > 0 || !side.fingerprints.insert(print).second) {
    ++side.copies;
    return;
  }
  ++side.told.documents;
  const auto same = std::find_if(side.told.suites.begin(), side.told.suites.end(), [&](const auto& suite) {
    return suite.binary_sha256 == submission.suite.binary_sha256;
  });
  if (same == side.told.suites.end()) side.told.suites.push_back(submission.suite);
  SideOfMachine& machine = side.machines[submission.machine.machine_key];
  machine.cpu_model = submission.machine.cpu_model;
  machine.documents.push_back(std::move(decodes));
  for (const harness::Roof& roof : submission.derived.roofs) {
    if (!harness::available(roof.read_bytes_per_s) || roof.page_bytes != 4096) continue;
    machine.roofs[fmt::format("{} of {} thread{}", roof.level, roof.threads, roof.threads == 1 ? "" : "s")]
        .push_back(std::get<harness::Interval>(roof.read_bytes_per_s).median);
  }
}

bool is_store(const std::string& path) {
  static constexpr std::string_view magic = "SQLite format 3";
  if (!std::filesystem::is_regular_file(path)) return false;  // to sniff at a pipe empties it
  std::string head(magic.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(head.data(), static_cast<std::streamsize>(head.size())) && head == magic;
}

harness::Submission read_submission(const std::string& path) {
  const std::string text = harness::read_user_file(path, harness::max_document_bytes);
  const std::vector<harness::Violation> violations = harness::validate_document(text);
  if (!violations.empty())
    throw Error(ExitCode::invalid_input,
                fmt::format("{}: no valid submission ({}: {}); see tokroof validate", path,
                            violations[0].pointer.empty() ? "whole document" : violations[0].pointer,
                            violations[0].value));
  if (harness::is_import(text))
    throw Error(ExitCode::invalid_input, path + ": an import has no launches to compare");
  harness::Submission submission = harness::submission_from_json(text);
  for (const analysis::Finding& finding : analysis::check_plausibility(submission)) {
    if (finding.severity == analysis::Severity::reject && finding.code != "R01")
      throw Error(ExitCode::invalid_input, fmt::format("{}: {}: {}", path, finding.code, finding.detail));
  }
  return submission;
}

/// Reads a document or a store; what `known` holds already is left out.
Side read_side(const std::string& path, const std::set<std::string>& known = {}) {
  Side side;
  side.told.from = path;
  if (!is_store(path)) {
    add_document(side, read_submission(path), known);
    return side;
  }
  harness::Store store = harness::Store::open_existing(path);
  for (const harness::StoredDocument& document : store.list()) {
    if (document.kind != "reproduction") continue;
    try {
      add_document(side, harness::submission_from_json(store.text(std::to_string(document.sequence))), known);
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}: document {}: {}; see tokroof store check", path,
                                            document.sequence, error.what()));
    }
  }
  return side;
}

}  // namespace

std::pair<Side, Side> read_sides(const std::vector<std::string>& names, const std::set<std::string>& known) {
  Side before = read_side(names[0], known);
  std::set<std::string> taken = known;
  taken.insert(before.fingerprints.begin(), before.fingerprints.end());
  Side after = read_side(names[1], taken);
  if (before.told.documents == 0 || after.told.documents == 0)
    throw Error(ExitCode::not_enough_data,
                fmt::format("{} holds {}: name what was measured on its own",
                            before.told.documents == 0 ? names[0] : names[1],
                            before.copies + after.copies > 0 ? "only what was compared already"
                                                             : "no decode to compare"));
  return {std::move(before), std::move(after)};
}

}  // namespace cli
