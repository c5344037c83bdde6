// Stores of every version that there has been, brought to the newest.
#include <gtest/gtest.h>

#include <map>

#include "harness/digest.hpp"
#include "harness/import_document.hpp"
#include "harness/store_fixture.hpp"
#include "harness/store_versions.hpp"

namespace harness {
namespace {

/// Everything that a store holds, but the times of receipt and what follows from them.
std::map<std::string, std::vector<std::vector<SqlValue>>> rows_of(const std::string& path) {
  Database database(path, OpenMode::read_only, 0);
  std::map<std::string, std::vector<std::vector<SqlValue>>> tables;
  for (const Projection& projection : projections()) {
    Statement rows =
        database.prepare(fmt::format("SELECT * FROM {} ORDER BY document, ordinal", projection.table));
    auto& held = tables[projection.table];
    while (rows.step()) {
      auto& row = held.emplace_back();
      for (int column = 0; column < rows.columns(); ++column) row.push_back(rows.value(column));
    }
  }
  return tables;
}

/// Documents that give rows to every projection.
std::vector<std::string> documents() {
  ImportDocument import;
  import.created_utc = "2026-01-02T03:04:05Z";
  import.nonce = std::string(32, '1');
  import.imported.from = "llama_bench";
  import.imported.source_sha256 = example_hash;
  import.imported.level = "C";
  import.imported.rows.emplace_back().cpu = std::string("Another CPU");
  Submission sampled = example_submission();
  for (Launch& launch : sampled.launches) {
    for (Series& series : launch.series) {
      if (series.probe != "decode") continue;
      series.samples.clear();
      for (int i = 0; i < 32; ++i) series.samples.push_back(900'000 + i * 7'919 % 1'000 * 100);
    }
  }
  return {to_canonical_json(sampled), to_canonical_json(import), numbered_document(2, std::string(64, 'b'))};
}

/// A store as the tokroof of an older version left it: its tables and the documents in their chain.
void make_old_store(const std::string& path, size_t version) {
  Database database(path, OpenMode::create, 0);
  for (size_t i = 0; i < version; ++i) database.run(store_versions()[i]);
  std::string last = chain_genesis;
  int64_t sequence = 0;
  for (const std::string& text : documents()) {
    const std::string hash = sha256_hex(text), time = "2026-01-02T03:04:05Z";
    Statement insert = database.prepare("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?)");
    insert.bind(1, ++sequence);
    insert.bind(2, hash);
    insert.bind(3, time);
    insert.bind(4, last);
    insert.bind(5, last = chain_hash(last, hash, time));
    insert.bind(6, text);
    insert.step();
  }
  database.run(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", store_application_id, version));
}

TEST_F(StoreTest, a_store_of_every_older_version_becomes_what_a_new_one_is) {
  {
    Store store(path_);
    for (const std::string& text : documents()) store.add(text);
  }
  const auto expected = rows_of(path_);
  for (const auto& [table, rows] : expected) EXPECT_FALSE(rows.empty()) << table << " is not tested";
  for (size_t version = 1; version < store_versions().size(); ++version) {
    const std::string old = fmt::format("{}/{}.sqlite", folder_, version);
    make_old_store(old, version);
    const StoreCheck check = Store::open_existing(old).check();
    EXPECT_TRUE(check.problems.empty()) << version << ": " << check.problems.front();
    EXPECT_EQ(check.documents, 3);
    EXPECT_EQ(rows_of(old), expected) << version;
  }
}

TEST_F(StoreTest, a_migration_that_fails_leaves_the_store_as_it_was) {
  make_old_store(path_, 1);
  tamper("DROP TABLE roofs");
  failure_of([&] { Store store(path_); });
  Database database(path_, OpenMode::read_only, 0);
  EXPECT_EQ(database.integer("PRAGMA user_version"), 1);
  EXPECT_EQ(database.integer("SELECT count(*) FROM documents"), 3);
  EXPECT_EQ(
      database.integer("SELECT count(*) FROM pragma_table_info('submissions') WHERE name = 'uncounted'"), 0);
}

TEST_F(StoreTest, a_rebuild_gives_what_adding_gave) {
  {
    Store store(path_);
    for (const std::string& text : documents()) store.add(text);
  }
  const auto expected = rows_of(path_);
  tamper(
      "UPDATE decode SET mode = 'x'; DELETE FROM roofs; DROP TABLE flags; DROP INDEX decode_by_cpu; "
      "PRAGMA foreign_keys = OFF; INSERT INTO claims VALUES (77, 0, 'x', 'y', 'z')");
  EXPECT_FALSE(problems().empty());
  const Projected made = Store(path_).rebuild();
  EXPECT_EQ(made.documents, 3);
  EXPECT_TRUE(made.unread.empty());
  EXPECT_EQ(rows_of(path_), expected);
  EXPECT_TRUE(problems().empty()) << problems().front();
  Store store(path_);
  store.add(numbered_document(9));
  EXPECT_TRUE(problems().empty()) << "and goes on growing";
}

}  // namespace
}  // namespace harness
