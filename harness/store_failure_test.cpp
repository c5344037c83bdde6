#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness/store_fixture.hpp"

namespace harness {
namespace {

namespace fs = std::filesystem;

TEST_F(StoreTest, a_store_locked_by_another_writer_says_so) {
  fill(1);
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &raw), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(raw, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  Store store(path_, 50);
  const std::string why = failure_of([&] { store.add(numbered_document(2)); });
  EXPECT_TRUE(contains(why, path_) && contains(why, "another process is writing")) << why;
  sqlite3_exec(raw, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(raw);
  EXPECT_FALSE(store.add(numbered_document(2)).already_there) << "and works once the other is done";
}

TEST_F(StoreTest, a_file_that_is_no_database_says_so) {
  std::ofstream(path_) << std::string(5000, 'x');
  const std::string why = failure_of([&] { Store store(path_); });
  EXPECT_TRUE(contains(why, path_) && contains(why, "no tokroof store") && contains(why, "--db")) << why;
  EXPECT_TRUE(contains(failure_of([&] { Store::open_existing(path_); }), "no tokroof store"));
  EXPECT_EQ(fs::file_size(path_), 5000u) << "and is left as it was";
}

TEST_F(StoreTest, a_database_of_another_program_is_left_alone) {
  tamper("CREATE TABLE theirs (a)");
  const std::string why = failure_of([&] { Store store(path_); });
  EXPECT_TRUE(contains(why, "belongs to another program")) << why;
  Database database(path_, OpenMode::read_only, 0);
  EXPECT_EQ(database.integer("SELECT count(*) FROM sqlite_schema"), 1);
}

TEST_F(StoreTest, a_store_of_a_newer_tokroof_is_refused) {
  fill(1);
  tamper("PRAGMA user_version = 99");
  const std::string why = failure_of([&] { Store store(path_); });
  EXPECT_TRUE(contains(why, "newer tokroof") && contains(why, "version 99")) << why;
  EXPECT_TRUE(contains(failure_of([&] { Store::open_existing(path_); }), "newer tokroof"));
}

TEST_F(StoreTest, opening_what_is_not_there_names_the_remedy) {
  EXPECT_TRUE(contains(failure_of([&] { Store::open_existing(path_); }), "run tokroof run first"));
  EXPECT_FALSE(fs::exists(path_)) << "reading creates nothing";
  std::ofstream(path_).close();
  EXPECT_TRUE(contains(failure_of([&] { Store::open_existing(path_); }), "the store is empty"));
}

TEST_F(StoreTest, a_store_opened_for_reading_refuses_to_add) {
  fill(1);
  Store store = Store::open_existing(path_);
  EXPECT_EQ(store.list().size(), 1u);
  EXPECT_TRUE(contains(failure_of([&] { store.add(numbered_document(2)); }), "permissions"));
}

TEST_F(StoreTest, a_store_without_write_permission_says_so) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  fill(1);
  fs::permissions(folder_, fs::perms(0755));
  fs::permissions(path_, fs::perms(0644));
  EXPECT_EXIT(
      {
        drop_privileges();
        if (access(path_.c_str(), W_OK) == 0) _exit(98);
        exit_with_error_of([&] { Store(path_).add(numbered_document(2)); });
      },
      testing::ExitedWithCode(7), "check the permissions of the file");
  EXPECT_EXIT(
      {
        drop_privileges();
        exit_with_error_of([&] { Store store(folder_ + "/new.sqlite"); });
      },
      testing::ExitedWithCode(7), "new.sqlite: .*check the permissions");
  EXPECT_EXIT(
      {
        drop_privileges();
        exit_with_error_of([&] { write_file_atomically(folder_ + "/out.json", "{}"); });
      },
      testing::ExitedWithCode(7), "out.json: cannot be written .Permission denied");
  EXPECT_EXIT(
      {
        drop_privileges();
        exit_with_error_of([&] { EXPECT_TRUE(Store::open_existing(path_).check().problems.empty()); });
      },
      testing::ExitedWithCode(0), "")
      << "reading needs no write permission";
}

TEST_F(StoreTest, a_database_that_may_not_grow_says_that_there_is_no_space) {
  Database database(path_, OpenMode::create, 0);
  migrate_store(database);
  database.run(fmt::format("PRAGMA max_page_count = {}", database.integer("PRAGMA page_count")));
  const std::string why = failure_of(
      [&] { database.run("INSERT INTO documents VALUES (1, '', '', '', '', hex(zeroblob(100000)))"); });
  EXPECT_TRUE(contains(why, "no space left")) << why;
}

TEST_F(StoreTest, a_full_disk_says_so_and_leaves_the_store_sound) {
  fill(2);
  EXPECT_EXIT(
      {
        limit_file_size(fs::file_size(path_));
        exit_with_error_of([&] {
          Store store(path_);
          for (int i = 10; i < 40; ++i) store.add(numbered_document(i));
        });
      },
      testing::ExitedWithCode(7), "reading or writing failed .*check free space");
  Store store(path_);
  const StoreCheck check = store.check();
  EXPECT_TRUE(check.problems.empty()) << check.problems.front();
  EXPECT_LT(check.documents, 32);
  EXPECT_FALSE(store.add(numbered_document(99)).already_there);
}

}  // namespace
}  // namespace harness
