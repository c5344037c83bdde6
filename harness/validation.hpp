// Is a text a submission, or a model description? Strict parse, schema, canonical bytes. docs/submission.md,
// "Ingest".
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

inline constexpr size_t max_document_bytes = 1 << 20;
inline constexpr int max_document_depth = 32;

/// One thing wrong with a document.
struct Violation {
  std::string pointer;  ///< RFC 6901; "" is the whole document
  std::string value;    ///< as found, shortened to 60 characters
  std::string expected;
  bool operator==(const Violation&) const = default;
};

/// Checks a document, cheap to dear: size, strict parse (UTF-8, no BOM, depth, no duplicate keys, finite
/// numbers, integers within ±2^53, strings ≤ 20,000 characters), then schemas/KIND.schema.json, which its
/// "schema" must name: "submission", "claim", "model", "cpus" or "microarchitectures".
/// Returns every violation found by the first stage that finds any; empty means valid.
std::vector<Violation> validate_document(std::string_view text, const std::string& kind = "submission");

/// The same for a submission; of a valid one it also gives the canonical text, without reading it twice.
std::vector<Violation> canonise_document(std::string_view text, std::string& canonical_text);

/// Returns the RFC 8785 canonical bytes of a strictly parsed text. Throws Error(invalid_input) when it does
/// not parse.
std::string canonical_json(std::string_view text);

}  // namespace harness
