// What a code means: the sections of the pages under docs/ that have codes as headings.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// Returns a page of docs/ compiled into this binary ("doctor", "flags", "plausibility"); empty for another
/// name.
std::string_view find_page(std::string_view name);

/// Lists the codes that a page explains: its second-level headings.
std::vector<std::string> codes_of(std::string_view page);

/// Returns the section under a code, without its heading; "" when the page has none. Case does not matter.
std::string section_of(std::string_view page, std::string_view code);

}  // namespace cli
