#include "harness/import_google_benchmark.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace harness {
namespace {

Imported read(const std::string& name) {
  const std::ifstream file("harness/testdata/imports/" + name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return read_google_benchmark(import_text(text.str(), name), name);
}

const ImportedRow& row_named(const Imported& imported, const std::string& label) {
  const auto found = std::find_if(imported.rows.begin(), imported.rows.end(),
                                  [&](const ImportedRow& row) { return row.label == label; });
  if (found == imported.rows.end()) throw std::runtime_error("no row " + label);
  return *found;
}

TEST(import_google_benchmark, times_are_ns_whatever_their_unit) {
  const Imported imported = read("upstream_test1_run1.json");
  EXPECT_EQ(row_named(imported, "BM_2xFaster").time_ns, Reading<double>(50.0));
  EXPECT_EQ(row_named(imported, "BM_NotBadTimeUnit").time_ns, Reading<double>(0.4e9));
  EXPECT_EQ(row_named(imported, "BM_SameTimes").measured_utc,
            Reading<std::string>(Unavailable{"the time has no zone"}));
}

TEST(import_google_benchmark, fits_have_no_time_and_say_so) {
  const Imported imported = read("upstream_test1_run1.json");
  for (const char* name : {"MyComplexityTest_BigO", "MyComplexityTest_RMS"}) {
    EXPECT_EQ(row_named(imported, name).told, std::vector<std::string>{"fit"});
    EXPECT_FALSE(available(row_named(imported, name).time_ns));
  }
}

TEST(import_google_benchmark, bare_nan_and_infinity_take_only_their_own_figure_away) {
  const Imported imported = read("mutated_nan_inf_counters.json");
  EXPECT_EQ(row_named(imported, "BM_BinaryGap/1").time_ns, Reading<double>(Unavailable{"not a number"}));
  EXPECT_EQ(row_named(imported, "BM_BinaryGap/1").told,
            (std::vector<std::string>{"not_finite", "debug_build", "clock_scaling"}));
  EXPECT_EQ(row_named(imported, "BM_BinaryGap/8").time_ns, Reading<double>(1.8328252196034362e+04));
  EXPECT_EQ(imported.rows.size(), read("tigerlake_laptop_debug_bigo.json").rows.size());
}

TEST(import_google_benchmark, errored_skipped_and_aggregated_runs_are_told_apart) {
  const Imported imported = read("errored_and_aggregates.json");
  ASSERT_EQ(imported.rows.size(), 7U);
  EXPECT_EQ(imported.parts, 2);
  EXPECT_EQ(row_named(imported, "BM_broken").told, std::vector<std::string>{"errored"});
  EXPECT_EQ(row_named(imported, "BM_skipped").told, (std::vector<std::string>{"errored", "not_finite"}));
  EXPECT_EQ(row_named(imported, "BM_decode_mean").told, std::vector<std::string>{"aggregate"});
  EXPECT_EQ(row_named(imported, "BM_decode/batch:1/threads:2").measured_utc,
            Reading<std::string>("2025-05-21T07:44:49Z"));
  EXPECT_EQ(row_named(imported, "second document").time_ns,
            Reading<double>(Unavailable{"unknown unit of time 'fortnights'"}));
}

TEST(import_google_benchmark, only_a_counter_of_tokens_beside_a_name_of_decode_is_decode) {
  const Imported imported = read("errored_and_aggregates.json");
  const ImportedRow& decode = row_named(imported, "BM_decode/batch:1/threads:2");
  EXPECT_EQ(decode.figure, "decode");
  EXPECT_EQ(decode.tokens_per_s, Reading<double>(24691.4));
  EXPECT_EQ(decode.weight_bytes, Reading<int64_t>(1933600));
  EXPECT_EQ(row_named(imported, "BM_decode/batch:8").streams, Reading<int64_t>(8));
  EXPECT_EQ(row_named(read("upstream_user_guide_0.json"), "BM_SetInsert/1024/1").figure, "other");
}

TEST(import_google_benchmark, names_of_hosts_and_folders_are_left_out) {
  for (const ImportedRow& row : read("errored_and_aggregates.json").rows) {
    EXPECT_EQ(row.label.find("jane"), std::string::npos);
    EXPECT_FALSE(available(row.cpu));
  }
}

TEST(import_google_benchmark, what_is_none_or_cut_short_is_refused) {
  for (const char* bad :
       {"", "{\"benchmarks\": {}}", "{\"benchmarks\": [1, {\"x\": 2}]}", "{\"benchmarks\": [{\"name\": "})
    EXPECT_THROW(read_google_benchmark(bad, "f"), Error) << bad;
}

Imported pasted(const std::string& runs) {
  return read_google_benchmark(R"({"context":{},"benchmarks":[)" + runs + "]}", "f");
}

TEST(import_google_benchmark, before_version_1_5_a_name_tells_an_aggregate) {
  const Imported imported = pasted(
      R"({"name":"decode_mean","real_time":1},{"name":"decode_cv","real_time":1},{"name":"decode","real_time":1},
         {"name":"field_mean","run_type":"iteration","real_time":1})");
  ASSERT_EQ(imported.rows.size(), 4U);
  for (const size_t i : {0, 1}) EXPECT_EQ(imported.rows[i].told, std::vector<std::string>{"aggregate"}) << i;
  for (const size_t i : {2, 3}) EXPECT_EQ(imported.rows[i].told, std::vector<std::string>{}) << i;
}

TEST(import_google_benchmark, a_bare_percent_sign_of_version_1_1_is_no_fault) {
  // google/benchmark issue 300: "rms": 12%
  const Imported imported = pasted(R"({"name":"fit_RMS","rms": 12%},{"name":"100%","real_time":2})");
  ASSERT_EQ(imported.rows.size(), 2U);
  EXPECT_EQ(imported.rows[0].told, std::vector<std::string>{"fit"});
  EXPECT_EQ(imported.rows[1].label, "100%");
}

TEST(import_google_benchmark, concatenated_documents_are_all_read) {
  const std::string one = R"({"context":{},"benchmarks":[{"name":"a","real_time":1}]})";
  const Imported imported = read_google_benchmark(one + "\n" + one + one, "f");
  EXPECT_EQ(imported.rows.size(), 3U);
  EXPECT_EQ(imported.parts, 3);
}

TEST(import_google_benchmark, a_spread_is_no_time_and_no_speed) {
  const Imported imported = read_google_benchmark(R"({"benchmarks":[
      {"name":"decode_mean","run_type":"aggregate","aggregate_name":"mean","real_time":9.0,"time_unit":"us","tok_s":110},
      {"name":"decode_stddev","run_type":"aggregate","aggregate_name":"stddev","real_time":0.5,"time_unit":"us","tok_s":3},
      {"name":"decode_cv","run_type":"aggregate","aggregate_name":"cv","aggregate_unit":"percentage","real_time":0.01,
       "time_unit":"us","tok_s":0.02},
      {"name":"decode_stddev","real_time":0.5,"time_unit":"us","tok_s":3}]})",
                                                  "f");
  ASSERT_EQ(imported.rows.size(), 4U);
  EXPECT_EQ(imported.rows[0].time_ns, Reading<double>(9000.0));
  EXPECT_EQ(imported.rows[0].tokens_per_s, Reading<double>(110.0));
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_FALSE(available(imported.rows[i].time_ns)) << i;
    EXPECT_FALSE(available(imported.rows[i].tokens_per_s)) << i;
    EXPECT_EQ(imported.rows[i].told, std::vector<std::string>{"aggregate"}) << i;
    EXPECT_EQ(imported.rows[i].figure, "decode") << i;
  }
}

TEST(import_google_benchmark, a_decode_whose_speed_is_none_stays_a_decode) {
  for (const char* speed : {"NaN", "-5", "\"1.2k\"", "null", "1e300"}) {
    const std::string text =
        std::string(R"({"benchmarks":[{"name":"decode","real_time":1,"tok/s":)") + speed + "}]}";
    const Imported imported = read_google_benchmark(text, "f");
    EXPECT_EQ(imported.rows.at(0).figure, "decode") << speed;
    EXPECT_FALSE(available(imported.rows[0].tokens_per_s)) << speed;
  }
}

TEST(import_google_benchmark, old_versions_tell_threads_in_the_name) {
  const Imported imported = read_google_benchmark(
      R"({"context":{"date":"2016-08-02 17:44:46","num_cpus":4},"benchmarks":[
      {"name":"decode/8/threads:4","iterations":3,"real_time":1.5,"cpu_time":1,"time_unit":"s","tokens/s":80},
      {"name":"decode/8/threads:4","threads":2,"iterations":3,"real_time":1.5,"cpu_time":1,"time_unit":"ms"}]})",
      "f");
  EXPECT_EQ(imported.rows.at(0).threads, Reading<int64_t>(int64_t{4}));
  EXPECT_EQ(imported.rows[0].time_ns, Reading<double>(1.5e9));
  EXPECT_EQ(imported.rows[0].tokens_per_s, Reading<double>(80.0));
  EXPECT_EQ(imported.rows[1].threads, Reading<int64_t>(int64_t{2}));
  EXPECT_EQ(imported.rows[1].time_ns, Reading<double>(1.5e6));
}

}  // namespace
}  // namespace harness
