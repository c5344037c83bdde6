#include "harness/store_query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <set>
#include <string_view>

#include "harness/error.hpp"

namespace harness {
namespace {

constexpr int instructions_between_looks = 10'000;  // some 0.1 ms
constexpr int most_bytes_of_a_value = 4 << 20;      // documents have at most 1 MiB
constexpr int64_t most_bytes_of_memory = int64_t{1} << 30;

/// What a statement may do beyond reading: ask for the names of tables and columns.
const std::set<std::string_view> harmless_pragmas{
    "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list"};

int authorize(void* why, int action, const char* first, const char* second, const char*, const char*) {
  auto& refused = *static_cast<std::string*>(why);
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      if (std::string_view(second) != "load_extension") return SQLITE_OK;
      refused = "load_extension";
      return SQLITE_DENY;
    case SQLITE_PRAGMA:
      if (harmless_pragmas.count(first)) return SQLITE_OK;
      refused = fmt::format("PRAGMA {}", first);
      return SQLITE_DENY;
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
      refused = "ATTACH and DETACH";
      return SQLITE_DENY;
    default:
      refused = "what changes a store";
      return SQLITE_DENY;
  }
}

struct Deadline {
  std::chrono::steady_clock::time_point end;
  bool passed = false;
};

int look_at_the_clock(void* of) {
  auto& deadline = *static_cast<Deadline*>(of);
  deadline.passed = std::chrono::steady_clock::now() >= deadline.end;
  return deadline.passed;
}

/// Watches a connection while a statement is compiled and run.
class Guard {
 public:
  Guard(sqlite3* connection, const QueryLimits& limits) : connection_(connection) {
    deadline.end = std::chrono::steady_clock::now() + std::chrono::milliseconds(limits.time_ms);
    sqlite3_set_authorizer(connection, &authorize, &refused);
    if (limits.time_ms > 0)
      sqlite3_progress_handler(connection, instructions_between_looks, &look_at_the_clock, &deadline);
    most_bytes_before_ = sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, most_bytes_of_a_value);
    sqlite3_hard_heap_limit64(most_bytes_of_memory);
  }
  ~Guard() {
    sqlite3_set_authorizer(connection_, nullptr, nullptr);
    sqlite3_progress_handler(connection_, 0, nullptr, nullptr);
    sqlite3_limit(connection_, SQLITE_LIMIT_LENGTH, most_bytes_before_);
    sqlite3_hard_heap_limit64(0);
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  Deadline deadline;
  std::string refused;  ///< what the authorizer said no to

 private:
  sqlite3* connection_;
  int most_bytes_before_;
};

using Values = std::vector<double>;

Values** values_of(sqlite3_context* context, int bytes) {
  return static_cast<Values**>(sqlite3_aggregate_context(context, bytes));
}

void median_step(sqlite3_context* context, int, sqlite3_value** arguments) {
  const int type = sqlite3_value_numeric_type(arguments[0]);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return;
  Values** values = values_of(context, sizeof(Values*));
  try {
    if (values == nullptr) throw std::bad_alloc();
    if (*values == nullptr) *values = new Values;
    (*values)->push_back(sqlite3_value_double(arguments[0]));
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

/// Of an even number the mean of the two in the middle; of none NULL.
void median_final(sqlite3_context* context) {
  Values** held = values_of(context, 0);
  if (held == nullptr || *held == nullptr) return sqlite3_result_null(context);
  Values& values = **held;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  double median = *middle;
  if (values.size() % 2 == 0) median = (median + *std::max_element(values.begin(), middle)) / 2;
  delete *held;
  sqlite3_result_double(context, median);
}

void add_median(sqlite3* connection) {
  sqlite3_create_function_v2(connection, "median", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                             nullptr, nullptr, &median_step, &median_final, nullptr);
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ExitCode::usage, fmt::format("query: {}", what));
}

/// Says what was wrong: what was forbidden or took too long is no error of SQLite's.
[[noreturn]] void fail(const Database& database, const Guard& guard, const QueryLimits& limits, int code) {
  if (guard.deadline.passed) {
    refuse(fmt::format("stopped after {:.1f} s; ask for less, or give more time with --seconds",
                       static_cast<double>(limits.time_ms) / 1000));
  }
  if (!guard.refused.empty())
    refuse(guard.refused + " is not allowed here: a query only reads; tokroof query --schema shows what");
  switch (code & 0xff) {
    case SQLITE_ERROR:
    case SQLITE_AUTH:
    case SQLITE_RANGE:
    case SQLITE_MISMATCH:
      refuse(fmt::format("{}; tokroof query --schema shows tables and columns",
                         sqlite3_errmsg(database.connection())));
    case SQLITE_TOOBIG:
    case SQLITE_NOMEM:
      refuse("a value or the whole is too large; ask for less");
    default:
      database.fail(code);
  }
}

/// Lets pragma_table_info and its like be read: SQLite declares them at first use, which the authorizer would
/// take for a change.
void declare_harmless_pragmas(sqlite3* connection) {
  for (const std::string_view name : harmless_pragmas)
    sqlite3_exec(connection, fmt::format("SELECT 1 FROM pragma_{} LIMIT 0", name).c_str(), nullptr, nullptr,
                 nullptr);
}

using Prepared = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

Prepared prepare(const Database& database, const Guard& guard, const QueryLimits& limits,
                 const std::string& sql) {
  if (sql.find('\0') != std::string::npos) refuse("a NUL byte is no SQL");
  sqlite3_stmt* raw = nullptr;
  const char* rest = nullptr;
  const int code = sqlite3_prepare_v2(database.connection(), sql.c_str(), -1, &raw, &rest);
  Prepared statement(raw, &sqlite3_finalize);
  if (code != SQLITE_OK) fail(database, guard, limits, code);
  if (raw == nullptr) refuse("no statement; give one, as in tokroof query --sql 'SELECT * FROM decode'");
  if (!sqlite3_stmt_readonly(raw)) refuse("this would change the store; a query only reads");
  // Blanks and comments compile to nothing.
  sqlite3_stmt* second = nullptr;
  const int more = sqlite3_prepare_v2(database.connection(), rest, -1, &second, nullptr);
  const Prepared further(second, &sqlite3_finalize);
  if (more != SQLITE_OK || second != nullptr) refuse("more than one statement; give one");
  return statement;
}

void bind(sqlite3_stmt* statement, int parameter, const SqlValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    sqlite3_bind_text(statement, parameter, text->data(), static_cast<int>(text->size()), SQLITE_TRANSIENT);
  } else if (const auto* integer = std::get_if<int64_t>(&value)) {
    sqlite3_bind_int64(statement, parameter, *integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    sqlite3_bind_double(statement, parameter, *real);
  }
}

SqlValue value_at(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
      return std::monostate{};
    case SQLITE_INTEGER:
      return static_cast<int64_t>(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    default: {
      const void* bytes = sqlite3_column_blob(statement, column);
      const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, column));
      return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
    }
  }
}

}  // namespace

bool query(Database& database, const std::string& sql, const std::vector<SqlValue>& parameters,
           const QueryLimits& limits, const QuerySink& sink) {
  add_median(database.connection());
  declare_harmless_pragmas(database.connection());
  const Guard guard(database.connection(), limits);
  const Prepared statement = prepare(database, guard, limits, sql);
  for (size_t i = 0; i < parameters.size(); ++i)
    bind(statement.get(), static_cast<int>(i) + 1, parameters[i]);
  const int count = sqlite3_column_count(statement.get());
  std::vector<std::string> columns;
  columns.reserve(static_cast<size_t>(count));
  for (int column = 0; column < count; ++column)
    columns.emplace_back(sqlite3_column_name(statement.get(), column));
  sink.columns(columns);
  std::vector<SqlValue> row(static_cast<size_t>(count));
  for (int64_t taken = 0;; ++taken) {
    const int code = sqlite3_step(statement.get());
    if (code == SQLITE_DONE) return false;
    if (code != SQLITE_ROW) fail(database, guard, limits, code);
    if (limits.rows > 0 && taken == limits.rows) return true;
    for (int column = 0; column < count; ++column)
      row[static_cast<size_t>(column)] = value_at(statement.get(), column);
    sink.row(row);
  }
}

}  // namespace harness
