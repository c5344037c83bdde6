// Documents that were parsed already, read without parsing their text again.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "harness/import_document.hpp"
#include "harness/submission.hpp"
#include "harness/validation.hpp"

namespace harness {

/// As canonise_document (harness/validation.hpp); of a valid submission it also gives the parsed document.
std::vector<Violation> canonise_document(std::string_view text, std::string& canonical_text,
                                         nlohmann::json& document);

/// Reads a strictly parsed document that meets its schema, as submission_from_json reads its text.
Submission submission_of(const nlohmann::json& document);

/// The same for an import, as import_from_json.
ImportDocument import_of(const nlohmann::json& document);

/// The same for what the store's tables are projected from, as stored_content.
StoredContent content_of(const nlohmann::json& document);

}  // namespace harness
