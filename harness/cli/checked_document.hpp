// A document that passed every gate and rule that refuses: what submit and ingest begin with.
#pragma once
#include <string>

namespace cli {

/// Returns the bytes of a file, at most `most` + 1: enough to see that it is too long. Throws
/// Error(invalid_input) when it cannot be read.
std::string read_bytes(const std::string& path, size_t most);

struct CheckedDocument {
  std::string text;  ///< canonical
  std::string content_sha256, kind;
  std::string implausible;  ///< the first finding that quarantines, "" for none
};

/// Checks a text; `name` stands in messages. Throws Error(invalid_input) with the first thing that is wrong.
CheckedDocument check_document(const std::string& text, const std::string& name);

}  // namespace cli
