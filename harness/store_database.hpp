// SQLite, owned: a connection, its statements and transactions. Every failure is an Error(store) that names
// file, reason and remedy.
#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace harness {

/// A value as SQLite holds it; monostate is NULL.
using SqlValue = std::variant<std::monostate, int64_t, double, std::string>;

/// Owns a prepared statement.
class Statement {
 public:
  /// Binds one value; parameters count from 1.
  void bind(int parameter, const SqlValue& value);
  /// Binds a text that stays where it is until the next step() and reset().
  void bind_kept(int parameter, std::string_view text);
  /// Binds a value that stays where it is until the next step() and reset().
  void bind_kept(int parameter, const SqlValue& value);
  /// Advances to the next row; false when there is none.
  bool step();
  /// Returns to the first row; bindings stay.
  void reset();
  [[nodiscard]] int64_t integer(int column) const;
  [[nodiscard]] std::string text(int column) const;  ///< NULL reads as ""
  [[nodiscard]] SqlValue value(int column) const;
  [[nodiscard]] int columns() const;

 private:
  friend class Database;
  Statement(class Database& database, const std::string& sql);
  class Database* database_;
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_;
};

enum class OpenMode { create, read_only, in_memory };

/// Owns a connection with this project's settings: foreign keys, recursive triggers (without them INSERT OR
/// REPLACE slips past a delete trigger), synchronous FULL, and a rollback journal, since WAL before
/// SQLite 3.51.3 can lose a committed transaction when it resets its log.
class Database {
 public:
  Database(const std::string& path, OpenMode mode, int busy_timeout_ms);
  Statement prepare(const std::string& sql) { return {*this, sql}; }
  /// Runs statements that return nothing of interest.
  void run(const std::string& sql);
  /// Returns the first column of the first row.
  int64_t integer(const std::string& sql);
  std::string text(const std::string& sql);
  /// Copies the database to another file, whoever writes meanwhile (SQLite's backup API).
  void copy_to(const std::string& path);
  /// The connection, for what this class does not wrap.
  [[nodiscard]] sqlite3* connection() const { return connection_.get(); }
  [[noreturn]] void fail(int code) const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  friend class Statement;
  std::string path_;
  int busy_timeout_ms_;
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> connection_;
};

/// Owns a write transaction. It takes the write lock at once: a deferred one that meets another writer fails
/// without waiting, whatever the timeout. Undone unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database* database_;
};

}  // namespace harness
