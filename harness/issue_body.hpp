// A document as the body of an issue, and back: one fenced block, however mail and web forms mangle the text
// around it. docs/submitting.md.
#pragma once
#include <string>

namespace harness {

/// The longest body that is written uncompressed; GitHub takes 65,536 characters.
inline constexpr size_t max_plain_body_characters = 60'000;

/// Returns the body for a canonical document: a line for people and one fenced block of one line. Compact:
/// zstd, then base64 in lines of 76. Throws Error(invalid_input) when even that is longer than GitHub takes.
std::string to_issue_body(const std::string& canonical_text, bool compact);

/// Returns the document of an issue's body. Takes CRLF, text whose quotes and brackets were escaped for HTML,
/// lines quoted with "> ", and anything around the block. Throws Error(invalid_input), one line that names
/// `name`, when there is not exactly one fenced block, when it does not end, or when it does not unpack to a
/// text of at most 1 MiB.
std::string document_of_issue(const std::string& body, const std::string& name);

/// Returns a short address that opens a new issue whose title names the document; it carries no data.
std::string new_issue_address(const std::string& repository, const std::string& kind,
                              const std::string& content_sha256);

}  // namespace harness
