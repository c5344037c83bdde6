#include "harness/store_database.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstring>

#include "harness/error.hpp"

namespace harness {
namespace {

constexpr int first_safe_wal = 3'051'003;  // sqlite.org/releaselog/3_51_3.html: the WAL-reset bug is fixed

template <class... T>
struct Overload : T... {
  using T::operator()...;
};
template <class... T>
Overload(T...) -> Overload<T...>;

/// Returns reason and remedy for a result code.
std::string reason_of(int code, const std::string& message, int busy_timeout_ms) {
  if (code == SQLITE_READONLY_ROLLBACK) {
    return "a writer was killed and left a transaction half done; undoing it needs permission to write: run "
           "tokroof store check as the owner of the file";
  }
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fmt::format(
          "another process is writing to the store (waited {:.1f} s); let it finish, then try again",
          busy_timeout_ms / 1000.0);
    case SQLITE_NOTADB:
      return "this file is no tokroof store; move it away, or name another with --db";
    case SQLITE_CORRUPT:
      return fmt::format(
          "the store is damaged ({}); put the file aside, then copy a backup there, or tokroof store restore "
          "an "
          "export, or tokroof ingest submissions/ into a new one",
          message);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:
      return fmt::format(
          "cannot be opened for this ({}); check the permissions of the file and its folder, or name another "
          "with --db",
          message);
    case SQLITE_FULL:
      return "no space left; free some, then try again";
    case SQLITE_IOERR:
      return fmt::format("reading or writing failed ({}); check free space, the file size limit and the disk",
                         message);
    default:
      return fmt::format("SQLite reports: {} (code {}); run tokroof store check", message, code);
  }
}

/// Refuses what is no file before SQLite opens it: it would wait for somebody who writes into a named pipe.
void check_kind(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return;
  throw Error(ExitCode::store, fmt::format("{}: is {}, no tokroof store; name another file with --db", path,
                                           S_ISDIR(status.st_mode)    ? "a folder"
                                           : S_ISFIFO(status.st_mode) ? "a named pipe"
                                           : S_ISSOCK(status.st_mode) ? "a socket"
                                                                      : "a device"));
}

}  // namespace

Statement::Statement(Database& database, const std::string& sql)
    : database_(&database), statement_(nullptr, &sqlite3_finalize) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database.connection_.get(), sql.c_str(), -1, &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) database.fail(code);
}

void Statement::bind(int parameter, const SqlValue& value) {
  sqlite3_stmt* statement = statement_.get();
  const int code =
      std::visit(Overload{[&](std::monostate) { return sqlite3_bind_null(statement, parameter); },
                          [&](int64_t integer) { return sqlite3_bind_int64(statement, parameter, integer); },
                          [&](double real) { return sqlite3_bind_double(statement, parameter, real); },
                          [&](const std::string& text) {
                            return sqlite3_bind_text64(statement, parameter, text.data(), text.size(),
                                                       SQLITE_TRANSIENT, SQLITE_UTF8);
                          }},
                 value);
  if (code != SQLITE_OK) database_->fail(code);
}

void Statement::bind_kept(int parameter, std::string_view text) {
  const int code =
      sqlite3_bind_text64(statement_.get(), parameter, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  if (code != SQLITE_OK) database_->fail(code);
}

void Statement::bind_kept(int parameter, const SqlValue& value) {
  if (const auto* text = std::get_if<std::string>(&value))
    return bind_kept(parameter, std::string_view(*text));
  bind(parameter, value);
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_->fail(code);
  return false;
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
}

int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return bytes == nullptr
             ? ""
             : std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

SqlValue Statement::value(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_NULL:
      return std::monostate{};
    case SQLITE_INTEGER:
      return integer(column);
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement_.get(), column);
    default:
      return text(column);
  }
}

int Statement::columns() const {
  return sqlite3_column_count(statement_.get());
}

Database::Database(const std::string& path, OpenMode mode, int busy_timeout_ms)
    : path_(path), busy_timeout_ms_(busy_timeout_ms), connection_(nullptr, &sqlite3_close) {
  const int access =
      mode == OpenMode::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* connection = nullptr;
  if (mode != OpenMode::in_memory) check_kind(path);
  const char* name = mode == OpenMode::in_memory ? ":memory:" : path.c_str();
  const int code =
      sqlite3_open_v2(name, &connection, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  connection_.reset(connection);
  if (code != SQLITE_OK) fail(code);
  sqlite3_busy_timeout(connection, busy_timeout_ms);
  run("PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON; PRAGMA synchronous = FULL; PRAGMA "
      "trusted_schema = OFF");
  if (mode == OpenMode::create) {
    // Indexes of many documents are written all over: with SQLite's own 2 MB each batch reads them again.
    run("PRAGMA cache_size = -65536");  // KiB
    run(sqlite3_libversion_number() >= first_safe_wal ? "PRAGMA journal_mode = WAL"
                                                      : "PRAGMA journal_mode = DELETE");
  }
}

void Database::run(const std::string& sql) {
  const int code = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

int64_t Database::integer(const std::string& sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::string Database::text(const std::string& sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.text(0) : "";
}

void Database::copy_to(const std::string& path) {
  // Not one of ours yet: its journal mode comes with the pages.
  sqlite3* raw = nullptr;
  const int opened = sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> target(raw, &sqlite3_close);
  const auto refuse = [&](int code) {
    throw Error(ExitCode::store,
                fmt::format("{}: {}", path, reason_of(code, sqlite3_errstr(code), busy_timeout_ms_)));
  };
  if (opened != SQLITE_OK) refuse(opened);
  sqlite3_backup* backup = sqlite3_backup_init(target.get(), "main", connection_.get(), "main");
  if (backup == nullptr) refuse(sqlite3_errcode(target.get()));
  sqlite3_backup_step(backup, -1);
  const int code = sqlite3_backup_finish(backup);
  if (code != SQLITE_OK) refuse(code);
}

void Database::fail(int code) const {
  sqlite3* connection = connection_.get();
  std::string message = connection == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(connection);
  // SQLite keeps the operating system's reason only for some failures.
  const int system_error = connection == nullptr ? 0 : sqlite3_system_errno(connection);
  if (system_error != 0) message += fmt::format(", {}", std::strerror(system_error));
  throw Error(ExitCode::store, fmt::format("{}: {}", path_, reason_of(code, message, busy_timeout_ms_)));
}

Transaction::Transaction(Database& database) : database_(&database) {
  database.run("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (database_ == nullptr) return;
  try {
    database_->run("ROLLBACK");
  } catch (...) {
    // SQLite has undone it already (full disk, I/O error); the error that brought us here says why.
  }
}

void Transaction::commit() {
  database_->run("COMMIT");
  database_ = nullptr;
}

}  // namespace harness
