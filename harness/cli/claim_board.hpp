// The list of claims and the board of the README.
#pragma once
#include <string>

#include "harness/cli/claims_folder.hpp"
#include "harness/cli/terminal.hpp"

namespace cli {

std::string list_text(const Terminal& terminal, const ClaimsFolder& folder, const std::string& now_utc);
std::string list_json(const ClaimsFolder& folder, const std::string& now_utc);
/// The board of the README: per claim its word, what it was before, numbers, launches, controls and the
/// command that repeats it. † marks what was sealed or amended with such data seen.
std::string list_markdown(const ClaimsFolder& folder, const std::string& now_utc);

}  // namespace cli
