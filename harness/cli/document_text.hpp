// What a document says, for people: the tables that its run ended in.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "harness/cli/terminal.hpp"
#include "harness/import_document.hpp"

namespace cli {

/// Returns the tables of a run, a probe, a failure or an import, as the command that made it printed them.
std::string document_text(const Terminal& terminal, const harness::StoredContent& content);

/// Returns a copy in which no string can drive a terminal or end a line (foreign_text.hpp).
nlohmann::json without_controls(const nlohmann::json& document);

}  // namespace cli
