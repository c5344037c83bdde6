#include "harness/cli/score_text.hpp"

#include <gtest/gtest.h>

namespace cli {
namespace {

const Terminal plain;

harness::ForecastFigure figure(size_t run, int decode, const char* id, double ratio) {
  return {run, decode, id, "1", "coreflow_1_9m", "warm", ratio, ratio < 1.5, 1.4};
}

/// One run that counts, where ecm is good, and one that does not, where it is beaten.
harness::ForecastRecord record() {
  return {{{1, "", std::string(64, 'a'), "", ""}, {2, "", std::string(64, 'a'), "", "aa_failed"}},
          {figure(0, 0, "dram_roof", 2), figure(0, 0, "ecm", 1.05), figure(1, 0, "dram_roof", 1.1),
           figure(1, 0, "ecm", 3), figure(1, 1, "dram_roof", 1.1), figure(1, 1, "ecm", 3)}};
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ScoreText, puts_counted_and_all_runs_side_by_side_and_names_who_was_beaten) {
  const std::string text = to_text(plain, make_report(record()), Markup::text);
  EXPECT_TRUE(holds(text, "1 of 2 runs count; 50 % do not: 1 aa_failed.")) << text;
  EXPECT_TRUE(holds(text, "ecm 1        1  1.05  1.05   100 %   1.40       3  3.00  3.00    33 %   1.40"))
      << text;
  EXPECT_TRUE(holds(text, "Over the runs that count:\nno forecast has been beaten")) << text;
  EXPECT_TRUE(holds(text,
                    "Over all runs:\necm 1 has been beaten by dram_roof: off by 3.00 where that was off by "
                    "1.10, 3 decodes\n"))
      << text;
  EXPECT_TRUE(holds(text, "ecm 1 at worst: off by 1.05 (coreflow_1_9m warm)\n")) << text;
  EXPECT_TRUE(holds(text, "ecm 1 at worst of all runs: off by 3.00 (coreflow_1_9m warm)\n")) << text;
  EXPECT_FALSE(holds(text, "By machine")) << "there is but one";
}

TEST(ScoreText, shows_forecasts_of_which_no_run_counts) {
  auto none = record();
  none.runs[0].uncounted = "roofs_drifted";
  const std::string text = to_text(plain, make_report(none), Markup::text);
  EXPECT_TRUE(holds(text, "0 of 2 runs count; 100 % do not: 1 aa_failed, 1 roofs_drifted.")) << text;
  EXPECT_TRUE(holds(text, "ecm 1        0    -     -       -      -       3  3.00")) << text;
  EXPECT_TRUE(holds(text, "Over the runs that count:\nthere is nothing to compare")) << text;
}

TEST(ScoreText, stays_within_eighty_columns) {
  const std::string text = to_text(plain, make_report(record()), Markup::text);
  for (size_t from = 0, to = 0; (to = text.find('\n', from)) != std::string::npos; from = to + 1) {
    const std::string line = text.substr(from, to - from);
    if (holds(line, "beaten")) continue;
    EXPECT_LE(line.size(), 80u) << line;
  }
}

TEST(ScoreText, writes_markdown_tables) {
  const std::string text = to_text(plain, make_report(record()), Markup::markdown);
  EXPECT_TRUE(holds(text, "### By mode\n\n| forecast | n | off |")) << text;
  EXPECT_TRUE(holds(text, "| ecm 1 | 1 | 1.05 | 1.05 | 100 % | 1.40 | 3 | 3.00 |")) << text;
  EXPECT_TRUE(holds(text, "- ecm 1 has been beaten by dram_roof")) << text;
}

TEST(ScoreText, json_holds_both_sets_and_every_cell) {
  const auto json = to_json(make_report(record()));
  EXPECT_EQ(json["runs"]["counted"], 1);
  EXPECT_EQ(json["runs"]["reasons"]["aa_failed"], 1);
  EXPECT_EQ(json["counted_runs"]["by_machine_model_mode"][1]["id"], "ecm");
  EXPECT_EQ(json["counted_runs"]["by_machine_model_mode"][1]["mode"], "warm");
  EXPECT_EQ(json["all_runs"]["overall"][1]["figures"], 3);
  EXPECT_EQ(json["all_runs"]["overall"][1]["against_naive"][0]["beaten"], true);
  EXPECT_FALSE(json["all_runs"]["overall"][1].contains("model"));
}

}  // namespace
}  // namespace cli
