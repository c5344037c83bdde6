#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness/digest.hpp"
#include "harness/store_fixture.hpp"

namespace harness {
namespace {

namespace fs = std::filesystem;

TEST_F(StoreTest, a_sound_store_passes_its_check_and_shows_its_head) {
  EXPECT_EQ(Store(path_).check().head_hash, std::string(64, '0'));
  fill(3);
  const StoreCheck check = Store::open_existing(path_).check();
  EXPECT_EQ(check.documents, 3);
  EXPECT_TRUE(check.problems.empty()) << check.problems.front();
  Database database(path_, OpenMode::read_only, 0);
  EXPECT_EQ(check.head_hash, database.text("SELECT entry_hash FROM documents WHERE sequence = 3"));
  EXPECT_EQ(database.text("SELECT entry_hash FROM documents WHERE sequence = 2"),
            database.text("SELECT prev_hash FROM documents WHERE sequence = 3"));
}

TEST_F(StoreTest, check_finds_a_changed_text) {
  fill(3);
  tamper_documents(
      "UPDATE documents SET text = replace(text, '\"numa_nodes\":1', '\"numa_nodes\":2') WHERE sequence = 2");
  EXPECT_TRUE(names(problems(), "document 2: its text was changed"));
  EXPECT_EQ(problems().size(), 1u) << "the triggers are back: only the text tells";
}

TEST_F(StoreTest, check_finds_a_changed_text_with_its_hash_made_to_fit) {
  fill(3);
  const std::string forged = numbered_document(77);
  tamper_documents(fmt::format("UPDATE documents SET text = '{}', content_sha256 = '{}' WHERE sequence = 2",
                               forged, sha256_hex(forged)));
  EXPECT_TRUE(names(problems(), "document 2: its entry in the chain was changed"));
}

TEST_F(StoreTest, check_finds_an_entry_made_to_fit_by_the_next_one) {
  fill(3);
  const std::string forged = numbered_document(77);
  Database reader(path_, OpenMode::read_only, 0);
  const std::string entry =
      chain_hash(reader.text("SELECT prev_hash FROM documents WHERE sequence = 2"), sha256_hex(forged),
                 reader.text("SELECT received_utc FROM documents WHERE sequence = 2"));
  tamper_documents(fmt::format(
      "UPDATE documents SET text = '{}', content_sha256 = '{}', entry_hash = '{}' WHERE sequence = 2", forged,
      sha256_hex(forged), entry));
  EXPECT_TRUE(names(problems(), "document 3: does not follow the document before it"));
}

TEST_F(StoreTest, check_finds_a_removed_document_first_middle_or_last) {
  for (int removed : {1, 2, 3}) {
    fs::remove(path_);
    fill(3);
    std::string sql = fmt::format("DELETE FROM documents WHERE sequence = {};", removed);
    for (const Projection& projection : projections()) {
      sql += fmt::format("DELETE FROM {} WHERE document = {};", projection.table, removed);
    }
    tamper_documents(sql);
    EXPECT_TRUE(names(problems(), fmt::format("document {}: missing", removed)));
  }
}

TEST_F(StoreTest, check_finds_reordered_documents) {
  fill(3);
  std::string sql;
  for (const char* step : {"sequence = 99 WHERE sequence = 1", "sequence = 1 WHERE sequence = 2",
                           "sequence = 2 WHERE sequence = 99"}) {
    sql += fmt::format("UPDATE documents SET {};", step);
  }
  tamper_documents(sql);
  EXPECT_TRUE(names(problems(), "document 1: does not follow the document before it"));
}

TEST_F(StoreTest, check_finds_a_changed_time_of_receipt) {
  fill(2);
  tamper_documents("UPDATE documents SET received_utc = '2020-01-01T00:00:00Z' WHERE sequence = 1");
  EXPECT_TRUE(names(problems(), "document 1: its entry in the chain was changed"));
}

TEST_F(StoreTest, check_finds_projections_that_do_not_follow_from_their_document) {
  fill(2);
  tamper("UPDATE decode SET tokens_per_s_median = 99999 WHERE document = 2");
  EXPECT_TRUE(names(problems(), "document 2: table decode does not follow from its text"));
  tamper("DELETE FROM roofs WHERE document = 1");
  EXPECT_TRUE(names(problems(), "document 1: table roofs does not follow"));
  tamper(
      "INSERT INTO roofs SELECT 7, ordinal, cpu_model, level, core_kind, threads, page_bytes, size_bytes, "
      "NULL, NULL, NULL, NULL, NULL, NULL, invalid FROM roofs");
  EXPECT_TRUE(names(problems(), "table roofs: a row belongs to no document"));
  tamper("UPDATE submissions SET cpu_model = 'another' WHERE document = 1");
  EXPECT_TRUE(names(problems(), "document 1: table submissions does not follow"));
}

TEST_F(StoreTest, check_finds_a_dropped_or_weakened_trigger_and_foreign_tables) {
  fill(1);
  tamper("DROP TRIGGER documents_do_not_go");
  EXPECT_TRUE(names(problems(), "trigger documents_do_not_go is missing"));
  tamper(
      "DROP TRIGGER documents_do_not_change; "
      "CREATE TRIGGER documents_do_not_change BEFORE UPDATE ON documents BEGIN SELECT 1; END; CREATE TABLE "
      "mine (a)");
  EXPECT_TRUE(names(problems(), "trigger documents_do_not_change was changed"));
  EXPECT_TRUE(names(problems(), "table mine is not part of a store"));
}

TEST_F(StoreTest, check_reports_damaged_pages) {
  fill(40);
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(fs::file_size(path_) / 2));
  file << std::string(20'000, '\x7f');
  file.close();
  EXPECT_FALSE(problems().empty());
}

}  // namespace
}  // namespace harness
