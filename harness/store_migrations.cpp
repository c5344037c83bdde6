// How a store's tables came to be, version by version.
#include <fmt/format.h>

#include "harness/error.hpp"
#include "harness/import_document.hpp"
#include "harness/store_tables.hpp"
#include "harness/store_versions.hpp"

namespace harness {
namespace {

/// Makes the tables and indexes of the projections anew, as a fresh store has them, and the views over them.
void create_projections(Database& database) {
  Database fresh("a fresh store", OpenMode::in_memory, 0);
  for (const char* version : store_versions()) fresh.run(version);
  Statement views = fresh.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'view'");
  while (views.step()) {
    database.run(fmt::format("DROP VIEW IF EXISTS {}", views.text(0)));
    database.run(views.text(1));
  }
  for (const Projection& projection : projections()) {
    database.run(fmt::format("DROP TABLE IF EXISTS {}", projection.table));
    Statement objects =
        fresh.prepare("SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY rowid");
    objects.bind(1, std::string(projection.table));
    while (objects.step()) database.run(objects.text(0));
  }
}

}  // namespace

std::vector<std::string> project_again(Database& database) {
  create_projections(database);
  ProjectionWriter writer(database);
  std::vector<std::string> unread;
  Statement rows = database.prepare("SELECT sequence, text FROM documents ORDER BY sequence");
  while (rows.step()) {
    try {
      writer.insert(rows.integer(0), stored_content(rows.text(1)));
    } catch (const Error& error) {
      if (error.code() == ExitCode::store) throw;
      unread.push_back(fmt::format("document {}: {}", rows.integer(0), error.what()));
    }
  }
  return unread;
}

int64_t newest_store_version() {
  return static_cast<int64_t>(store_versions().size());
}

int64_t identify_store(Database& database) {
  const int64_t application = database.integer("PRAGMA application_id");
  const int64_t version = database.integer("PRAGMA user_version");
  const bool empty = database.integer("SELECT count(*) FROM sqlite_schema") == 0;
  if (application != store_application_id && !(application == 0 && version == 0 && empty)) {
    throw Error(ExitCode::store,
                database.path() + ": this database belongs to another program; name another file with --db");
  }
  if (version > static_cast<int64_t>(store_versions().size())) {
    throw Error(ExitCode::store,
                fmt::format("{}: a newer tokroof wrote this store (version {}, this one reads up to {}); "
                            "update tokroof, or name another file with --db",
                            database.path(), version, store_versions().size()));
  }
  return version;
}

void migrate_store(Database& database) {
  if (identify_store(database) == static_cast<int64_t>(store_versions().size())) return;
  Transaction transaction(database);
  // Another process may have migrated while this one waited for the lock.
  for (auto version = static_cast<size_t>(identify_store(database)); version < store_versions().size();
       ++version) {
    database.run(store_versions()[version]);
  }
  project_again(database);  // opening a store tells of nothing: what cannot be read, its check names
  database.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", store_application_id,
                           store_versions().size()));
  transaction.commit();
}

}  // namespace harness
