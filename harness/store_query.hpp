// Questions to a store in SQL that can change nothing, run no longer than allowed and read no other file.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/store_database.hpp"

namespace harness {

struct QueryLimits {
  int64_t rows = 10'000;     ///< further ones are left out; 0: none are
  int64_t time_ms = 10'000;  ///< then it is stopped; 0: never
};

/// Receives the names of the columns, then each row.
struct QuerySink {
  std::function<void(const std::vector<std::string>& columns)> columns;
  std::function<void(const std::vector<SqlValue>& row)> row;
};

/// Runs one statement that only reads, with its parameters by number. Beside SQLite's functions there is
/// median(x). Returns whether rows were left out. Throws Error(usage) for a statement that is wrong, that
/// would change or attach anything (by authorizer and sqlite3_stmt_readonly, on any connection), that is
/// not alone, or that takes too long.
bool query(Database& database, const std::string& sql, const std::vector<SqlValue>& parameters,
           const QueryLimits& limits, const QuerySink& sink);

}  // namespace harness
