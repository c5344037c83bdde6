// A document as the body of an issue, and back: one fenced block, however mail and web forms mangle the text
// around it. docs/submitting.md.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace harness {

/// The longest body that is written uncompressed; GitHub takes 65,536 characters.
inline constexpr size_t max_plain_body_characters = 60'000;

/// A signature that travels with its document, as minisign writes its files (harness/signature.hpp).
struct IssueSignature {
  std::string public_key;  ///< the line that begins with RW
  std::string minisig;
  bool operator==(const IssueSignature&) const = default;
};

/// What an issue's body holds.
struct IssueDocument {
  std::string text;
  std::optional<IssueSignature> signature = {};  ///< not checked yet
};

/// Returns the body for a canonical document: a line for people and one fenced block of one line. Compact:
/// zstd, then base64 in lines of 76. A signature stands behind it in the same block, in base64. Throws
/// Error(invalid_input) when even that is longer than GitHub takes.
std::string to_issue_body(const std::string& canonical_text, bool compact,
                          const std::optional<IssueSignature>& signature = {});

/// Returns the document of an issue's body, and its signature where one stands behind it. Takes CRLF, text
/// whose quotes and brackets were escaped for HTML, lines quoted with "> ", and anything around the block.
/// Throws Error(invalid_input), one line that names `name`, when there is not exactly one fenced block, when
/// it does not end, or when it does not unpack to a text of at most 1 MiB, or when a signature begins there
/// that is not whole.
IssueDocument read_issue_body(const std::string& body, const std::string& name);

/// Returns the document alone.
std::string document_of_issue(const std::string& body, const std::string& name);

/// Returns the title of an issue: kind and the first digits of the content hash.
std::string issue_title(const std::string& kind, const std::string& content_sha256);

/// Returns the labels of an issue: "submission", and that of its form (.github/ISSUE_TEMPLATE).
std::vector<std::string> issue_labels(const std::string& kind);

/// Returns a short address that opens the form of a new issue, title and labels filled in; it carries no
/// data. Below 8,191 bytes, which is what GitHub takes, for every repository that can be.
std::string new_issue_address(const std::string& repository, const std::string& kind,
                              const std::string& content_sha256);

}  // namespace harness
