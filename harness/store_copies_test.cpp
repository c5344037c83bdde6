// A store copied, given away and taken back.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "harness/digest.hpp"
#include "harness/store_fixture.hpp"

namespace harness {
namespace {

namespace fs = std::filesystem;

std::vector<ChainedDocument> all_of(const std::string& path) {
  std::vector<ChainedDocument> all;
  Store store = Store::open_existing(path);
  store.each([](int64_t, const std::string&) {},
             [&](const ChainedDocument& document) { all.push_back(document); });
  return all;
}

int64_t restore_into(const std::string& path, const std::vector<ChainedDocument>& documents) {
  size_t next = 0;
  return Store(path)
      .restore([&](ChainedDocument& document) {
        if (next == documents.size()) return false;
        document = documents[next++];
        return true;
      })
      .documents;
}

std::string head_of(const std::string& path) {
  const StoreCheck check = Store::open_existing(path).check();
  EXPECT_TRUE(check.problems.empty()) << check.problems.front();
  return check.head_hash;
}

TEST_F(StoreTest, a_fresh_store_that_takes_all_documents_has_the_same_head) {
  fill(4);
  const std::string fresh = folder_ + "/fresh.sqlite";
  EXPECT_EQ(restore_into(fresh, all_of(path_)), 4);
  EXPECT_EQ(head_of(fresh), head_of(path_));
}

TEST_F(StoreTest, a_store_that_holds_the_first_ones_takes_the_rest) {
  fill(2);
  const std::string copy = folder_ + "/copy.sqlite";
  restore_into(copy, all_of(path_));
  Store(path_).add(numbered_document(50));
  EXPECT_EQ(restore_into(copy, all_of(path_)), 1);
  EXPECT_EQ(restore_into(copy, all_of(path_)), 0) << "again: nothing is new";
  EXPECT_EQ(head_of(copy), head_of(path_));
}

TEST_F(StoreTest, a_store_of_other_documents_is_left_as_it_was) {
  fill(2);
  const std::string other = folder_ + "/other.sqlite";
  Store(other).add(numbered_document(9));
  const std::string head = head_of(other);
  const auto all = all_of(path_);
  EXPECT_TRUE(contains(failure_of([&] { restore_into(other, all); }, ExitCode::invalid_input),
                       "holds another document 1"));
  EXPECT_EQ(head_of(other), head);
}

TEST_F(StoreTest, whatever_was_changed_in_an_export_is_refused_and_nothing_is_taken) {
  fill(3);
  const auto good = all_of(path_);
  const auto refused = [&](const char* what,
                           const std::function<void(std::vector<ChainedDocument>&)>& change) {
    auto bad = good;
    change(bad);
    const std::string fresh = folder_ + "/fresh.sqlite";
    const std::string why = failure_of([&] { restore_into(fresh, bad); }, ExitCode::tampered);
    EXPECT_TRUE(contains(why, "nothing was restored")) << what << ": " << why;
    EXPECT_EQ(Store(fresh).list().size(), 0u) << what;
  };
  refused("text", [](auto& all) { all[1].text = numbered_document(77); });
  refused("text and hash", [](auto& all) {
    all[1].text = numbered_document(77);
    all[1].content_sha256 = sha256_hex(all[1].text);
  });
  refused("time", [](auto& all) { all[2].received_utc = "2020-01-01T00:00:00Z"; });
  refused("order", [](auto& all) { std::swap(all[1], all[2]); });
  refused("a gap", [](auto& all) { all.erase(all.begin() + 1); });
  refused("entry", [](auto& all) { all[0].entry_hash = std::string(64, 'f'); });
}

TEST_F(StoreTest, a_document_that_cannot_be_read_is_named_by_rebuild_and_restore) {
  fill(2);
  auto all = all_of(path_);
  ChainedDocument odd{3, "", all[1].received_utc, all[1].entry_hash, "", "{\"schema\":\"another\"}"};
  odd.content_sha256 = sha256_hex(odd.text);
  odd.entry_hash = chain_hash(odd.prev_hash, odd.content_sha256, odd.received_utc);
  all.push_back(odd);
  const std::string fresh = folder_ + "/fresh.sqlite";
  size_t next = 0;
  Store store(fresh);
  const Projected taken = store.restore([&](ChainedDocument& document) {
    if (next == all.size()) return false;
    document = all[next++];
    return true;
  });
  for (const Projected& each : {taken, store.rebuild()}) {
    EXPECT_EQ(each.documents, 3);
    ASSERT_EQ(each.unread.size(), 1u);
    EXPECT_EQ(each.unread[0].rfind("document 3: ", 0), 0u) << each.unread[0];
  }
}

TEST_F(StoreTest, a_tampered_store_gives_nothing_away_as_sound) {
  fill(3);
  tamper_documents("UPDATE documents SET text = replace(text, 'Example', 'Tweaked') WHERE sequence = 2");
  const std::string why = failure_of([&] { all_of(path_); }, ExitCode::tampered);
  EXPECT_TRUE(contains(why, "document 2") && contains(why, "store check")) << why;
  const std::string copy = folder_ + "/copy.sqlite";
  EXPECT_TRUE(contains(failure_of([&] { Store::open_existing(path_).backup(copy); }, ExitCode::tampered),
                       "not sound"));
  EXPECT_FALSE(fs::exists(copy));
}

TEST_F(StoreTest, a_backup_is_the_same_store_and_replaces_nothing) {
  fill(3);
  const std::string copy = folder_ + "/sub/copy.sqlite";
  EXPECT_EQ(Store::open_existing(path_).backup(copy).documents, 3);
  EXPECT_EQ(head_of(copy), head_of(path_));
  EXPECT_TRUE(contains(failure_of([&] { Store::open_existing(path_).backup(copy); }), "such a file already"));
  Store(copy).add(numbered_document(8));
  std::ofstream(folder_ + "/taken").close();
  failure_of([&] { Store::open_existing(path_).backup(folder_ + "/taken"); });
  EXPECT_EQ(fs::file_size(folder_ + "/taken"), 0u);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ + "/sub"), fs::directory_iterator{}), 1)
      << "nothing temporary is left";
}

TEST_F(StoreTest, a_backup_onto_a_full_disk_leaves_nothing) {
  fill(5);
  EXPECT_EXIT(
      {
        limit_file_size(20'000);
        exit_with_error_of([&] { Store::open_existing(path_).backup(folder_ + "/copy.sqlite"); });
      },
      testing::ExitedWithCode(7), "check free space|no space left");
  EXPECT_FALSE(fs::exists(folder_ + "/copy.sqlite"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}), 1);
}

TEST_F(StoreTest, several_documents_are_added_together_or_not_at_all) {
  std::vector<NewDocument> documents;
  for (int i = 0; i < 3; ++i) documents.push_back(new_document(numbered_document(i)));
  documents.push_back(new_document(numbered_document(1)));
  Store store(path_);
  const std::vector<Stored> stored = store.add_all(documents);
  ASSERT_EQ(stored.size(), 4u);
  EXPECT_FALSE(stored[1].already_there);
  EXPECT_TRUE(stored[3].already_there) << "the same text twice in one transaction";
  documents[0] = new_document(numbered_document(10));
  documents[1] = documents[0];
  documents[1].content_sha256 = std::string(64, 'c');
  documents[1].content.submission.derived.flags.push_back(
      {"code", "detail", std::numeric_limits<double>::infinity()});
  failure_of([&] { store.add_all(documents); });
  EXPECT_EQ(store.list().size(), 3u);
  EXPECT_TRUE(store.check().problems.empty());
  EXPECT_FALSE(store.add(numbered_document(11)).already_there) << "and the store goes on";
}

}  // namespace
}  // namespace harness
