#include "harness/store_query.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "harness/store_fixture.hpp"

namespace harness {
namespace {

struct Answer {
  std::vector<std::string> columns;
  std::vector<std::vector<SqlValue>> rows;
  bool more = false;
};

Answer ask(Database& database, const std::string& sql, const QueryLimits& limits = {},
           const std::vector<SqlValue>& parameters = {}) {
  Answer answer;
  answer.more = query(database, sql, parameters, limits,
                      {[&](const auto& columns) { answer.columns = columns; },
                       [&](const auto& row) { answer.rows.push_back(row); }});
  return answer;
}

TEST_F(StoreTest, a_query_gives_columns_and_rows) {
  fill(3);
  Store store = Store::open_existing(path_);
  const Answer answer =
      ask(store.database(), "SELECT document AS d, mode FROM decode WHERE document > ? -- c\n;", {},
          {int64_t{1}});
  EXPECT_EQ(answer.columns, (std::vector<std::string>{"d", "mode"}));
  ASSERT_EQ(answer.rows.size(), 2u);
  EXPECT_EQ(std::get<int64_t>(answer.rows[0][0]), 2);
  EXPECT_FALSE(answer.more);
  EXPECT_TRUE(ask(store.database(), "SELECT * FROM decode", {2, 1000}).more);
  EXPECT_FALSE(ask(store.database(), "SELECT * FROM decode", {3, 1000}).more);
}

TEST_F(StoreTest, the_median_is_that_of_numbers) {
  fill(1);
  Store store = Store::open_existing(path_);
  const auto median = [&](const std::string& values) {
    return ask(store.database(), "SELECT median(column1) FROM (VALUES " + values + ")").rows[0][0];
  };
  EXPECT_EQ(std::get<double>(median("(3), (1), (2)")), 2);
  EXPECT_EQ(std::get<double>(median("(4), (1), (2), (3)")), 2.5);
  EXPECT_EQ(std::get<double>(median("(NULL), ('x'), (7.5)")), 7.5);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(median("(NULL)")));
}

TEST_F(StoreTest, nothing_that_changes_or_leaves_the_store_runs_even_where_it_could_be_written) {
  fill(1);
  Database database(path_, OpenMode::create, 0);
  const std::string out = folder_ + "/out.sqlite";
  const std::vector<std::string> forbidden{"DELETE FROM decode",
                                           "UPDATE decode SET mode = 'x'",
                                           "INSERT INTO flags VALUES (1, 9, 'a', 'b', 1)",
                                           "DROP TABLE decode",
                                           "CREATE TABLE mine (a)",
                                           "CREATE TEMP TABLE mine (a)",
                                           "ALTER TABLE decode RENAME TO encode",
                                           "ATTACH '" + out + "' AS other",
                                           "DETACH main",
                                           "VACUUM",
                                           "VACUUM INTO '" + out + "'",
                                           "PRAGMA journal_mode = WAL",
                                           "PRAGMA user_version = 9",
                                           "PRAGMA writable_schema = ON",
                                           "PRAGMA temp_store_directory = '/'",
                                           "PRAGMA query_only = OFF",
                                           "SELECT load_extension('/lib/x.so')",
                                           "REINDEX",
                                           "ANALYZE",
                                           "BEGIN",
                                           "COMMIT",
                                           "SAVEPOINT a",
                                           "WITH a AS (SELECT 1) DELETE FROM decode",
                                           "EXPLAIN DELETE FROM decode"};
  for (const std::string& sql : forbidden) {
    const std::string why = failure_of([&] { ask(database, sql); }, ExitCode::usage);
    EXPECT_TRUE(contains(why, "not allowed here") || contains(why, "only reads")) << sql << ": " << why;
  }
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_TRUE(problems().empty()) << problems().front();
  EXPECT_FALSE(ask(database, "PRAGMA table_info(decode)").rows.empty());
  EXPECT_FALSE(ask(database, "SELECT name FROM pragma_table_info('decode')").rows.empty());
  EXPECT_FALSE(ask(database, "EXPLAIN QUERY PLAN SELECT * FROM decode").rows.empty());
}

TEST_F(StoreTest, what_is_not_one_statement_is_refused_with_the_reason) {
  fill(1);
  Store store = Store::open_existing(path_);
  const auto refusal = [&](const std::string& sql) {
    return failure_of([&] { ask(store.database(), sql); }, ExitCode::usage);
  };
  EXPECT_TRUE(contains(refusal(""), "no statement"));
  EXPECT_TRUE(contains(refusal(" -- nothing\n ; "), "no statement"));
  EXPECT_TRUE(contains(refusal("SELECT 1; SELECT 2"), "more than one statement"));
  EXPECT_TRUE(contains(refusal("SELECT 1; DROP TABLE decode"), "more than one statement"));
  EXPECT_TRUE(contains(refusal("SELEC 1"), "syntax error"));
  EXPECT_TRUE(contains(refusal("SELECT bogus FROM decode"), "no such column"));
  EXPECT_TRUE(contains(refusal("SELECT * FROM decoded"), "--schema"));
  EXPECT_TRUE(contains(refusal(std::string("SELECT 1\0 x", 11)), "NUL"));
}

TEST_F(StoreTest, a_query_without_end_is_stopped) {
  fill(1);
  Store store = Store::open_existing(path_);
  const std::string endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n";
  const std::string why = failure_of([&] { ask(store.database(), endless, {0, 100}); }, ExitCode::usage);
  EXPECT_TRUE(contains(why, "stopped after 0.1 s")) << why;
  EXPECT_EQ(ask(store.database(), "SELECT count(*) FROM decode").rows.size(), 1u)
      << "the next one has its own time";
}

TEST_F(StoreTest, a_value_beyond_all_measure_is_refused) {
  fill(1);
  Store store = Store::open_existing(path_);
  const std::string why =
      failure_of([&] { ask(store.database(), "SELECT hex(zeroblob(900000000))"); }, ExitCode::usage);
  EXPECT_TRUE(contains(why, "too large")) << why;
}

}  // namespace
}  // namespace harness
