// An import as a document of kind "import": schemas/submission.schema.json, "imported". docs/import.md.
#pragma once
#include <optional>
#include <string>

#include "harness/import_rows.hpp"
#include "harness/submission.hpp"

namespace harness {

/// The document of one imported file.
struct ImportDocument {
  std::string created_utc;  ///< the newest time that the source states, else when it was imported
  std::string nonce;  ///< the first half of the source's hash: importing a file twice gives one document
  Imported imported;
  bool operator==(const ImportDocument&) const = default;
};

/// Reads the bytes of a file: "coreflow", "llama-bench" or "google-benchmark" says whose they are. Throws
/// Error(invalid_input) as the readers do, Error(usage) for another name. `now_utc` is used where the source
/// states no time. Nothing is judged yet.
ImportDocument read_import(const std::string& from, const std::string& bytes, const std::string& name,
                           const std::string& now_utc);

/// Returns the canonical text (RFC 8785).
std::string to_canonical_json(const ImportDocument& document);

/// Reads a document that validate_document accepts and is_import tells to be one; throws
/// Error(invalid_input) that names what is missing.
ImportDocument import_from_json(const std::string& text);

/// Returns whether a valid document is an import.
bool is_import(const std::string& text);

/// What the store's tables are projected from.
struct StoredContent {
  Submission submission;  ///< of an import its kind, time and CPU
  std::optional<ImportDocument> import = {};
  std::vector<int64_t> fingerprints = {};  ///< of a submission (harness/store_fingerprints.hpp)
};

/// Reads a canonical document. Throws Error(invalid_input) that names what is missing.
StoredContent stored_content(const std::string& canonical_text);

/// Returns what the store's tables show of a canonical document: of an import its kind, time and CPU.
Submission stored_submission(const std::string& canonical_text);

}  // namespace harness
