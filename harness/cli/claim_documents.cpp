#include "harness/cli/claim_documents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/plausibility.hpp"
#include "harness/cli/session.hpp"
#include "harness/digest.hpp"
#include "harness/error.hpp"
#include "harness/import_document.hpp"
#include "harness/store.hpp"
#include "harness/user_file.hpp"
#include "harness/validation.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> stored_texts(const std::string& database) {
  const std::string path = store_path(database);
  if (database.empty() && !fs::exists(path)) return {};  // one that was named is there, or it is an error
  harness::Store store = harness::Store::open_existing(path);
  const harness::StoreCheck check = store.check();
  if (!check.problems.empty())
    throw harness::Error(
        harness::ExitCode::tampered,
        fmt::format(
            "{}: {}{}; nothing is judged from it (tokroof store check)", path, check.problems.front(),
            check.problems.size() == 1 ? "" : fmt::format(" (and {} more)", check.problems.size() - 1)));
  std::vector<std::string> texts;
  for (const harness::StoredDocument& document : store.list()) {
    if (document.protocol == "claim") texts.push_back(store.text(document.content_sha256));
  }
  return texts;
}

std::vector<std::string> filed_texts(const std::string& folder) {
  if (!fs::is_directory(folder))
    throw harness::Error(harness::ExitCode::usage, fmt::format("{}: no such folder of submissions", folder));
  std::vector<std::string> texts;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".json") continue;
    const std::string text = harness::read_user_file(entry.path().string(), size_t{64} << 20);
    if (harness::validate_document(text).empty()) texts.push_back(harness::canonical_json(text));
  }
  return texts;
}

analysis::ClaimDocument document_of(const std::string& text) {
  analysis::ClaimDocument document{harness::sha256_hex(text), harness::submission_from_json(text), "", ""};
  for (const analysis::Finding& finding : analysis::check_plausibility(document.submission)) {
    std::string& told =
        finding.severity == analysis::Severity::reject ? document.rejected : document.implausible;
    if (told.empty()) told = finding.code + ": " + finding.detail;
  }
  return document;
}

bool is_known(const ClaimsFolder& claims, const std::string& id, const std::string& seal) {
  return std::any_of(claims.rows.begin(), claims.rows.end(), [&](const auto& row) {
    return row.claim == id && row.seal == seal && analysis::seals(row);
  });
}

}  // namespace

std::vector<analysis::ClaimDocument> claim_documents(const ClaimsFolder& claims, const std::string& id,
                                                     const std::string& database, const std::string& folder) {
  std::vector<analysis::ClaimDocument> documents;
  for (const std::string& text : folder.empty() ? stored_texts(database) : filed_texts(folder)) {
    const harness::Submission stored = harness::stored_submission(text);
    const auto& named = stored.claim;
    // A failure document repeats a run that is there besides.
    if (!named || named->id != id || stored.kind == "failure") continue;
    if (!is_known(claims, id, named->seal) && !begun_here(named->seal).empty())
      throw harness::Error(
          harness::ExitCode::tampered,
          fmt::format(
              "a document was made for {} under the seal {:.12}, under which this computer began runs and "
              "which the ledger in {} does not hold: rows are gone from its end, or it is another ledger",
              id, named->seal, claims.path));
    documents.push_back(document_of(text));
  }
  return documents;
}

}  // namespace cli
