// Is the store what it was? Everything that can be recomputed is, one document in memory at a time.
#include <fmt/format.h>

#include <map>

#include "harness/digest.hpp"
#include "harness/error.hpp"
#include "harness/import_document.hpp"
#include "harness/store_attestations.hpp"
#include "harness/store_state.hpp"
#include "harness/store_tables.hpp"

namespace harness {
namespace {

using Problems = std::vector<std::string>;

void check_pages(Database& database, Problems& problems) {
  Statement rows = database.prepare("PRAGMA integrity_check");
  while (rows.step()) {
    if (rows.text(0) != "ok") problems.push_back("database: " + rows.text(0));
  }
  Statement orphans = database.prepare("PRAGMA foreign_key_check");
  while (orphans.step())
    problems.push_back(fmt::format("table {}: a row belongs to no document", orphans.text(0)));
}

std::map<std::string, std::string> schema_of(Database& database) {
  std::map<std::string, std::string> objects;
  Statement rows =
      database.prepare("SELECT type || ' ' || name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'");
  while (rows.step()) objects[rows.text(0)] = rows.text(1);
  return objects;
}

/// Compares tables and triggers with fresh ones: a dropped trigger is how a document could have been changed.
void check_tables(Database& database, Problems& problems) {
  Database fresh("a fresh store", OpenMode::in_memory, 0);
  migrate_store(fresh);
  const auto found = schema_of(database);
  const auto expected = schema_of(fresh);
  for (const auto& [name, sql] : expected) {
    const auto object = found.find(name);
    if (object == found.end()) problems.push_back(name + " is missing");
    if (object != found.end() && object->second != sql) problems.push_back(name + " was changed");
  }
  for (const auto& [name, sql] : found) {
    if (!expected.count(name)) problems.push_back(name + " is not part of a store");
  }
}

/// Compares the projected rows of one document with those that its text gives. Returns how many rows it
/// should have.
int64_t check_projection(Database& database, const Projection& projection, int64_t sequence,
                         const StoredContent& content, Problems& problems) {
  const auto expected = projection.rows(content);
  Statement rows = database.prepare(fmt::format("SELECT {} FROM {} WHERE document = ? ORDER BY ordinal",
                                                fmt::join(projection.columns, ", "), projection.table));
  rows.bind(1, sequence);
  size_t matching = 0;
  bool same = true;
  while (rows.step()) {
    std::vector<SqlValue> row;
    row.reserve(static_cast<size_t>(rows.columns()));
    for (int column = 0; column < rows.columns(); ++column) row.push_back(rows.value(column));
    same = same && matching < expected.size() && row == expected[matching];
    ++matching;
  }
  if (!same || matching != expected.size()) {
    problems.push_back(
        fmt::format("document {}: table {} does not follow from its text", sequence, projection.table));
  }
  return static_cast<int64_t>(expected.size());
}

/// Follows the chain of attestations, each to its document.
void check_attestations(Database& database, StoreCheck& check) {
  Statement rows = database.prepare(
      "SELECT a.*, d.content_sha256 FROM attestations AS a LEFT JOIN documents AS d ON d.sequence = "
      "a.document ORDER BY a.sequence");
  int64_t last = 0;
  while (rows.step()) {
    const Attestation found = attestation_of(rows);
    if (found.sequence != last + 1 || found.prev_hash != check.attestations_hash ||
        attestation_hash(found, rows.text(8)) != found.entry_hash) {
      check.problems.push_back(
          fmt::format("attestation {}: changed, or those before it were removed", found.sequence));
    }
    if (const std::string odd = odd_attestation(found); !odd.empty())
      check.problems.push_back(fmt::format("attestation {}: {}", found.sequence, odd));
    check.attestations_hash = found.entry_hash;
    last = found.sequence;
    ++check.attestations;
  }
  if (database.integer("SELECT seq FROM sqlite_sequence WHERE name = 'attestations'") > last)
    check.problems.push_back(fmt::format("attestation {}: missing (removed)", last + 1));
}

/// Follows the hash chain from the first document to the last.
class ChainWalk {
 public:
  ChainWalk(Database& database, StoreCheck& check) : database_(database), check_(check) {}

  void run() {
    Statement rows = database_.prepare(
        "SELECT sequence, content_sha256, received_utc, prev_hash, entry_hash, text FROM documents ORDER BY "
        "sequence");
    while (rows.step()) visit(rows);
    // AUTOINCREMENT remembers the highest number ever used, so that a removed tail shows.
    const int64_t highest = database_.integer("SELECT seq FROM sqlite_sequence WHERE name = 'documents'");
    if (highest > last_) note(last_ + 1, "missing (removed)");
    for (const Projection& projection : projections()) {
      const int64_t rows_found = database_.integer(fmt::format("SELECT count(*) FROM {}", projection.table));
      if (rows_found != expected_rows_[projection.table]) {
        check_.problems.push_back(fmt::format("table {}: {} rows, but the documents give {}",
                                              projection.table, rows_found,
                                              expected_rows_[projection.table]));
      }
    }
  }

 private:
  void note(int64_t sequence, const std::string& what) {
    check_.problems.push_back(fmt::format("document {}: {}", sequence, what));
  }

  void visit(const Statement& row) {
    const int64_t sequence = row.integer(0);
    const std::string content = row.text(1);
    const std::string entry = row.text(4);
    const std::string text = row.text(5);
    for (int64_t gone = last_ + 1; gone < sequence && gone <= last_ + 3; ++gone)
      note(gone, "missing (removed)");
    if (sha256_hex(text) != content) note(sequence, "its text was changed after it was stored");
    if (row.text(3) != check_.head_hash)
      note(sequence, "does not follow the document before it (removed or reordered)");
    if (chain_hash(row.text(3), content, row.text(2)) != entry)
      note(sequence, "its entry in the chain was changed");
    check_projections(sequence, text);
    check_.head_hash = entry;
    last_ = sequence;
    ++check_.documents;
  }

  void check_projections(int64_t sequence, const std::string& text) {
    try {
      const StoredContent content = stored_content(text);
      for (const Projection& projection : projections()) {
        expected_rows_[projection.table] +=
            check_projection(database_, projection, sequence, content, check_.problems);
      }
    } catch (const Error& error) {
      if (error.code() == ExitCode::store) throw;
      note(sequence, fmt::format("its text cannot be read ({})", error.what()));
    }
  }

  Database& database_;
  StoreCheck& check_;
  int64_t last_ = 0;
  std::map<std::string, int64_t> expected_rows_;
};

}  // namespace

StoreCheck Store::check() {
  Database& database = state_->database;
  StoreCheck check;
  check.head_hash = check.attestations_hash = chain_genesis;
  database.run("BEGIN");  // one state of the store throughout, whoever writes meanwhile
  try {
    check_pages(database, check.problems);
    check_tables(database, check.problems);
    ChainWalk(database, check).run();
    check_attestations(database, check);
  } catch (const Error& error) {
    // What cannot be read at all is a finding too, not the end of the report.
    check.problems.emplace_back(error.what());
  }
  database.run("ROLLBACK");
  return check;
}

}  // namespace harness
