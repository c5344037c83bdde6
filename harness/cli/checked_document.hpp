// A document that passed every gate and rule that refuses: what submit and ingest begin with.
#pragma once
#include <string>

#include "harness/import_document.hpp"

namespace cli {

struct CheckedDocument {
  std::string text;  ///< canonical
  std::string content_sha256, kind;
  std::string level;        ///< evidence level, A to D
  std::string implausible;  ///< the first finding that quarantines, "" for none
  harness::StoredContent content;
};

/// Checks a text; `name` stands in messages. Throws Error(invalid_input) with the first thing that is wrong.
CheckedDocument check_document(const std::string& text, const std::string& name);

}  // namespace cli
