// How a store's tables came to be, version by version.
#include <fmt/format.h>

#include <array>

#include "harness/error.hpp"
#include "harness/import_document.hpp"
#include "harness/store_tables.hpp"

namespace harness {
namespace {

// `documents` is the truth; the other tables are projected from it. CHECK (abs(x) < 9e999) refuses Inf, which
// STRICT admits (9e999 is SQLite's spelling of it).
constexpr const char* version_1 = R"sql(
CREATE TABLE documents (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  content_sha256 TEXT NOT NULL UNIQUE,
  received_utc TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  entry_hash TEXT NOT NULL UNIQUE,
  text TEXT NOT NULL
) STRICT;
CREATE TRIGGER documents_do_not_change BEFORE UPDATE ON documents
BEGIN SELECT RAISE(ABORT, 'documents are append-only'); END;
CREATE TRIGGER documents_do_not_go BEFORE DELETE ON documents
BEGIN SELECT RAISE(ABORT, 'documents are append-only'); END;

CREATE TABLE submissions (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  kind TEXT NOT NULL, protocol TEXT NOT NULL, created_utc TEXT NOT NULL, machine_key TEXT NOT NULL,
  cpu_model TEXT NOT NULL, isa TEXT NOT NULL, has_probes INTEGER NOT NULL,
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX submissions_by_machine ON submissions (machine_key, has_probes, document);

CREATE TABLE decode (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  model TEXT NOT NULL, mode TEXT NOT NULL, placement TEXT NOT NULL, isa TEXT NOT NULL, arithmetic TEXT NOT NULL,
  weights TEXT NOT NULL, routing TEXT NOT NULL, threads INTEGER NOT NULL, page_bytes INTEGER NOT NULL,
  core_kind TEXT NOT NULL, position_first INTEGER NOT NULL, position_last INTEGER NOT NULL,
  arm TEXT NOT NULL, launches INTEGER NOT NULL, weight_bytes_per_token INTEGER NOT NULL,
  tokens_per_s_median REAL NOT NULL CHECK (abs(tokens_per_s_median) < 9e999),
  tokens_per_s_low REAL NOT NULL CHECK (abs(tokens_per_s_low) < 9e999),
  tokens_per_s_high REAL NOT NULL CHECK (abs(tokens_per_s_high) < 9e999),
  weight_bytes_per_s REAL NOT NULL CHECK (abs(weight_bytes_per_s) < 9e999),
  roof_fraction REAL CHECK (abs(roof_fraction) < 9e999),
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX decode_by_model ON decode (model, mode, isa, arm, tokens_per_s_median);

CREATE TABLE roofs (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  level TEXT NOT NULL, core_kind TEXT NOT NULL, threads INTEGER NOT NULL, page_bytes INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  read_bytes_per_s_median REAL CHECK (abs(read_bytes_per_s_median) < 9e999),
  read_bytes_per_s_low REAL CHECK (abs(read_bytes_per_s_low) < 9e999),
  read_bytes_per_s_high REAL CHECK (abs(read_bytes_per_s_high) < 9e999),
  load_latency_ns_median REAL CHECK (abs(load_latency_ns_median) < 9e999),
  load_latency_ns_low REAL CHECK (abs(load_latency_ns_low) < 9e999),
  load_latency_ns_high REAL CHECK (abs(load_latency_ns_high) < 9e999),
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE forecast_errors (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  model TEXT NOT NULL, mode TEXT NOT NULL, placement TEXT NOT NULL, isa TEXT NOT NULL, arithmetic TEXT NOT NULL,
  weights TEXT NOT NULL, routing TEXT NOT NULL, threads INTEGER NOT NULL, page_bytes INTEGER NOT NULL,
  core_kind TEXT NOT NULL, position_first INTEGER NOT NULL, position_last INTEGER NOT NULL,
  id TEXT NOT NULL, version TEXT NOT NULL, inside_interval INTEGER NOT NULL,
  measured_over_forecast REAL NOT NULL CHECK (abs(measured_over_forecast) < 9e999),
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX forecast_errors_by_id ON forecast_errors (id, version, model, mode, measured_over_forecast);
)sql";

// What scores read: which runs count, how wide a forecast was, and which decode it was of. Both tables are
// projections: they are filled anew.
constexpr const char* version_2 = R"sql(
ALTER TABLE submissions ADD COLUMN uncounted TEXT NOT NULL DEFAULT '';
DROP TABLE forecast_errors;
CREATE TABLE forecast_errors (
  document INTEGER NOT NULL REFERENCES documents (sequence),
  ordinal INTEGER NOT NULL,
  model TEXT NOT NULL, mode TEXT NOT NULL, placement TEXT NOT NULL, isa TEXT NOT NULL, arithmetic TEXT NOT NULL,
  weights TEXT NOT NULL, routing TEXT NOT NULL, threads INTEGER NOT NULL, page_bytes INTEGER NOT NULL,
  core_kind TEXT NOT NULL, position_first INTEGER NOT NULL, position_last INTEGER NOT NULL,
  id TEXT NOT NULL, version TEXT NOT NULL, inside_interval INTEGER NOT NULL,
  measured_over_forecast REAL NOT NULL CHECK (abs(measured_over_forecast) < 9e999),
  interval_ratio REAL CHECK (abs(interval_ratio) < 9e999),
  decode INTEGER NOT NULL, repeats INTEGER NOT NULL,
  PRIMARY KEY (document, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX forecast_errors_by_id ON forecast_errors (id, version, model, mode, measured_over_forecast);
)sql";

// Version n is what the first n of these make. One that was released never changes: append.
constexpr std::array<const char*, 2> migrations{version_1, version_2};

/// Makes every projection anew from the documents.
void project_again(Database& database) {
  for (const Projection& projection : projections())
    database.run(fmt::format("DELETE FROM {}", projection.table));
  Statement rows = database.prepare("SELECT sequence, text FROM documents ORDER BY sequence");
  while (rows.step()) {
    try {
      insert_projections(database, rows.integer(0), stored_submission(rows.text(1)));
    } catch (const Error& error) {
      if (error.code() == ExitCode::store) throw;
      // A document that cannot be read has no rows; the check names it.
    }
  }
}

}  // namespace

int64_t newest_store_version() {
  return static_cast<int64_t>(migrations.size());
}

int64_t identify_store(Database& database) {
  const int64_t application = database.integer("PRAGMA application_id");
  const int64_t version = database.integer("PRAGMA user_version");
  const bool empty = database.integer("SELECT count(*) FROM sqlite_schema") == 0;
  if (application != store_application_id && !(application == 0 && version == 0 && empty)) {
    throw Error(ExitCode::store,
                database.path() + ": this database belongs to another program; name another file with --db");
  }
  if (version > static_cast<int64_t>(migrations.size())) {
    throw Error(ExitCode::store,
                fmt::format("{}: a newer tokroof wrote this store (version {}, this one reads up to {}); "
                            "update tokroof, or name another file with --db",
                            database.path(), version, migrations.size()));
  }
  return version;
}

void migrate_store(Database& database) {
  if (identify_store(database) == static_cast<int64_t>(migrations.size())) return;
  Transaction transaction(database);
  // Another process may have migrated while this one waited for the lock.
  for (auto version = static_cast<size_t>(identify_store(database)); version < migrations.size(); ++version) {
    database.run(migrations[version]);
  }
  project_again(database);
  database.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", store_application_id,
                           migrations.size()));
  transaction.commit();
}

}  // namespace harness
