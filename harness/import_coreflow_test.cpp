#include "harness/import_coreflow.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace harness {
namespace {

Imported read(const std::string& name) {
  const std::ifstream file("harness/testdata/imports/coreflow/" + name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return read_coreflow(import_text(text.str(), name), name);
}

std::vector<std::string> labels(const Imported& imported) {
  std::vector<std::string> all;
  for (const ImportedRow& row : imported.rows) all.push_back(row.label + ": " + row.figure);
  return all;
}

TEST(import_coreflow, gates_hold_one_decode_per_mode_and_its_prefill) {
  const Imported imported = read("gates_p5.json");
  EXPECT_EQ(labels(imported),
            (std::vector<std::string>{"clean: decode", "clean prefill: prompt", "evict_read: decode",
                                      "evict_read prefill: prompt", "evict_write: decode",
                                      "evict_write prefill: prompt", "stream: other"}));
  EXPECT_EQ(imported.rows[0].mode, Reading<std::string>("warm"));
  EXPECT_EQ(imported.rows[0].tokens_per_s, Reading<double>(3405.11));
  EXPECT_EQ(imported.rows[0].weight_bytes, Reading<int64_t>(1965250));
  EXPECT_EQ(imported.rows[0].file, Reading<std::string>("model_p3.i8"));
  EXPECT_EQ(imported.rows[0].measured_utc, Reading<std::string>(Unavailable{"the time has no zone"}));
  EXPECT_EQ(imported.rows[2].mode, Reading<std::string>("evict_read"));
}

TEST(import_coreflow, a_cold_record_is_two_alternated_arms) {
  const Imported imported = read("cold_warm_p5_run2.json");
  ASSERT_EQ(imported.rows.size(), 2U);
  EXPECT_EQ(imported.rows[0].mode, Reading<std::string>("warm"));
  EXPECT_EQ(imported.rows[1].mode, Reading<std::string>("evict_flush"));
  EXPECT_EQ(imported.rows[1].tokens_per_s, Reading<double>(3984.0));
  EXPECT_EQ(imported.rows[1].time_ns, Reading<double>(242000.0));
  EXPECT_EQ(imported.rows[1].weight_bytes, Reading<int64_t>(1965250));
  EXPECT_EQ(imported.rows[1].told, std::vector<std::string>{"alternated"});
}

TEST(import_coreflow, runs_put_together_by_hand_are_one_row_each) {
  const Imported imported = read("bench_126_three_runs.json");
  ASSERT_EQ(imported.rows.size(), 3U);
  EXPECT_EQ(imported.rows[2].tokens_per_s, Reading<double>(540.39));
  EXPECT_EQ(imported.rows[2].told, std::vector<std::string>{"by_hand"});
}

TEST(import_coreflow, lines_of_the_runtime_tell_streams_and_threads) {
  const Imported imported = read("bench_126_N1_r1.jsonl");
  ASSERT_EQ(imported.rows.size(), 1U);
  EXPECT_EQ(imported.rows[0].streams, Reading<int64_t>(1));
  EXPECT_EQ(imported.rows[0].threads, Reading<int64_t>(1));
  EXPECT_EQ(imported.rows[0].weight_bytes, Reading<int64_t>(Unavailable{"not stated"}));
}

TEST(import_coreflow, modes_of_its_own_are_named_and_nothing_is_guessed) {
  const Imported imported = read_coreflow(R"({"mode":"warp","tok_s":-1,"streams":4})", "f");
  EXPECT_EQ(imported.rows[0].mode,
            Reading<std::string>(Unavailable{"CoreFlow's mode 'warp' is none of ours"}));
  EXPECT_FALSE(available(imported.rows[0].tokens_per_s));
  EXPECT_EQ(imported.rows[0].streams, Reading<int64_t>(4));
}

TEST(import_coreflow, what_is_none_or_cut_short_is_refused) {
  for (const char* bad : {"", "{}", "{\"info\": 3}", "{\"mode\": \"clean\"", "{\"tok_s_runs\": 3}"})
    EXPECT_THROW(read_coreflow(bad, "f"), Error) << bad;
}

}  // namespace
}  // namespace harness
