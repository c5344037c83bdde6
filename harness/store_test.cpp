#include "harness/store.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "harness/digest.hpp"
#include "harness/store_fixture.hpp"

namespace harness {
namespace {

TEST_F(StoreTest, a_document_comes_back_by_number_and_by_hash) {
  Store store(folder_ + "/a/b/store.sqlite");
  const std::string text = numbered_document(1);
  const Stored stored = store.add(text);
  EXPECT_FALSE(stored.already_there);
  EXPECT_EQ(stored.content_sha256, sha256_hex(text));
  EXPECT_EQ(store.text("1"), text);
  EXPECT_EQ(store.text(stored.content_sha256.substr(0, 12)), text);
  const auto documents = store.list();
  ASSERT_EQ(documents.size(), 1u);
  EXPECT_EQ(documents[0].kind, "reproduction");
  EXPECT_EQ(documents[0].protocol, "quick");
  EXPECT_EQ(documents[0].created_utc, "2026-01-02T03:04:05Z");
  EXPECT_EQ(documents[0].machine_key, example_hash);
  EXPECT_EQ(documents[0].cpu_model, "Example CPU 9000");
}

TEST_F(StoreTest, the_same_content_is_stored_once) {
  Store store(path_);
  store.add(numbered_document(1));
  const Stored again = store.add(numbered_document(1));
  EXPECT_TRUE(again.already_there);
  EXPECT_EQ(store.list().size(), 1u);
  EXPECT_TRUE(store.check().problems.empty());
}

TEST_F(StoreTest, only_canonical_text_is_stored) {
  Store store(path_);
  const std::string why = failure_of([&] { store.add(numbered_document(1) + " "); }, ExitCode::invalid_input);
  EXPECT_TRUE(contains(why, "canonical")) << why;
  EXPECT_TRUE(store.list().empty());
}

TEST_F(StoreTest, what_does_not_name_one_document_is_refused) {
  fill(2);
  Store store(path_);
  const auto refusal = [&](const char* name) {
    return failure_of([&] { store.text(name); }, ExitCode::invalid_input);
  };
  EXPECT_TRUE(contains(refusal("3"), "no document '3'"));
  EXPECT_TRUE(contains(refusal("abc"), "at least 4 digits"));
  EXPECT_TRUE(contains(refusal("xyz!"), "at least 4 digits"));
  EXPECT_TRUE(contains(refusal(""), "at least 4 digits"));
  EXPECT_TRUE(contains(refusal("99999999999999999999999"), "no document"));
  tamper("INSERT INTO documents VALUES (8, 'abcd1', '', '', 'x', ''), (9, 'abcd2', '', '', 'y', '')");
  EXPECT_TRUE(contains(refusal("abcd"), "several documents"));
}

TEST_F(StoreTest, the_latest_probes_are_those_of_the_machine) {
  const std::string other(64, 'b');
  Store store(path_);
  EXPECT_EQ(store.latest_probes(example_hash), std::nullopt);
  store.add(numbered_document(1));
  store.add(numbered_document(2));
  store.add(numbered_document(3, other));
  Submission without = example_submission();
  without.launches.erase(without.launches.begin());
  store.add(to_canonical_json(without));
  EXPECT_EQ(store.latest_probes(example_hash), numbered_document(2)) << "newest, this machine, with probes";
  EXPECT_EQ(store.latest_probes(other), numbered_document(3, other));
}

TEST_F(StoreTest, settings_are_the_safe_ones) {
  Database database(path_, OpenMode::create, 0);
  migrate_store(database);
  EXPECT_EQ(database.integer("PRAGMA foreign_keys"), 1);
  EXPECT_EQ(database.integer("PRAGMA recursive_triggers"), 1);
  EXPECT_EQ(database.integer("PRAGMA synchronous"), 2);
  EXPECT_EQ(database.text("PRAGMA journal_mode"), sqlite3_libversion_number() >= 3051003 ? "wal" : "delete");
  EXPECT_EQ(database.integer("PRAGMA application_id"), store_application_id);
  EXPECT_EQ(database.integer("PRAGMA user_version"), newest_store_version());
}

TEST_F(StoreTest, documents_cannot_be_changed_removed_or_replaced) {
  fill(1);
  Database database(path_, OpenMode::create, 0);
  for (const char* sql :
       {"UPDATE documents SET text = '{}'", "DELETE FROM documents",
        "INSERT OR REPLACE INTO documents SELECT sequence, content_sha256, received_utc, prev_hash, "
        "entry_hash, '{}' FROM documents"}) {
    const std::string why = failure_of([&] { database.run(sql); });
    EXPECT_TRUE(contains(why, "append-only")) << sql << ": " << why;
  }
  EXPECT_TRUE(problems().empty());
}

TEST_F(StoreTest, infinite_figures_are_refused_by_the_tables) {
  fill(1);
  Database database(path_, OpenMode::create, 0);
  const std::string why = failure_of([&] { database.run("UPDATE decode SET weight_bytes_per_s = 9e999"); });
  EXPECT_TRUE(contains(why, "CHECK")) << why;
}

TEST_F(StoreTest, a_transaction_takes_the_write_lock_at_once) {
  fill(1);
  Database one(path_, OpenMode::create, 0);
  Database two(path_, OpenMode::create, 0);
  {
    const Transaction transaction(one);
    EXPECT_TRUE(contains(failure_of([&] { Transaction second(two); }), "another process is writing"));
  }
  EXPECT_NO_THROW(Transaction{two}) << "one that was not committed lets go";
}

TEST_F(StoreTest, threads_that_add_at_once_lose_nothing) {
  constexpr int each = 25;
  const auto add_some = [this](int first) {
    Store store(path_);
    for (int i = 0; i < each; ++i) store.add(numbered_document(first + i));
  };
  std::thread one(add_some, 0);
  std::thread two(add_some, 1000);
  one.join();
  two.join();
  const StoreCheck check = Store::open_existing(path_).check();
  EXPECT_EQ(check.documents, 2 * each);
  EXPECT_TRUE(check.problems.empty()) << check.problems.front();
}

}  // namespace
}  // namespace harness
