// Comma-separated values as RFC 4180 has them, and safe to open in a spreadsheet.
#pragma once
#include <string>
#include <vector>

#include "harness/store_database.hpp"

namespace harness {

/// Returns one record with its CRLF. Numbers have their shortest digits that read back the same; NULL is
/// empty. A text that a spreadsheet would take for a formula (it begins with = + - @, tab or CR) gets an
/// apostrophe before it (OWASP, "CSV Injection").
std::string csv_record(const std::vector<SqlValue>& values);
std::string csv_record(const std::vector<std::string>& texts);

}  // namespace harness
