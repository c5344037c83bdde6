#include "harness/validation.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/canonical_json.hpp"
#include "harness/error.hpp"
#include "harness/parsed_document.hpp"
#include "harness/validation_parse.hpp"
#include "harness/validation_schema.hpp"
#include "harness/validation_words.hpp"

namespace harness {
namespace {

using nlohmann::json;

/// Whether a document calls itself one of this kind; of which version, its schema judges.
bool is_of_kind(const json& document, const std::string& kind) {
  if (!document.is_object() || !document.contains("schema") || !document["schema"].is_string()) return false;
  const std::string id = document["schema"];
  const std::string prefix = "tokroof/" + kind + "/";
  return id.starts_with(prefix) && id.find('/', prefix.size()) == std::string::npos;
}

Violation unknown_schema(const json& document, const std::string& kind) {
  const std::string expected = fmt::format("tokroof/{}/1: it says what kind of document this is", kind);
  if (!document.is_object()) return {"", shown_value(document), "an object whose \"schema\" is " + expected};
  const bool there = document.contains("schema");
  return {"/schema", there ? shown_value(document["schema"]) : "(missing)", expected};
}

std::vector<Violation> check_schema(const std::string& name, const json& document) {
  if (meets_schema(name, document)) return {};
  std::vector<Violation> violations = explain_violations(schema_json(name), document);
  // A refusal must never read as "valid", even if its explanation should ever fall short.
  if (violations.empty())
    violations.push_back({"", shown_value(document), "what schemas/" + name + ".schema.json allows"});
  return violations;
}

std::vector<Violation> read_document(std::string_view text, const std::string& kind, json& document) {
  if (text.size() > max_document_bytes) {
    return {{"", fmt::format("{} bytes", text.size()),
             fmt::format("at most {} bytes (1 MiB)", max_document_bytes)}};
  }
  std::vector<Violation> violations = parse_strictly(text, document);
  if (!violations.empty()) return violations;
  if (!is_of_kind(document, kind)) return {unknown_schema(document, kind)};
  return check_schema(kind, document);
}

}  // namespace

std::vector<Violation> validate_document(std::string_view text, const std::string& kind) {
  json document;
  return read_document(text, kind, document);
}

std::vector<Violation> canonise_document(std::string_view text, std::string& canonical) {
  json document;
  return canonise_document(text, canonical, document);
}

std::vector<Violation> canonise_document(std::string_view text, std::string& canonical, json& document) {
  std::vector<Violation> violations = read_document(text, "submission", document);
  if (violations.empty()) canonical = canonical_text(document);
  return violations;
}

std::string canonical_json(std::string_view text) {
  json document;
  const std::vector<Violation> violations = parse_strictly(text, document);
  if (violations.empty()) return canonical_text(document);
  const Violation& first = violations.front();
  throw Error(ExitCode::invalid_input,
              fmt::format("{}: found {}, expected {}", first.pointer.empty() ? "the document" : first.pointer,
                          first.value, first.expected));
}

}  // namespace harness
