#include "analysis/import_judgement.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <sstream>

#include "harness/validation.hpp"

namespace analysis {
namespace {

using harness::Imported;
using harness::ImportedRow;

harness::ImportDocument read(const std::string& from, const std::string& name, const std::string& cpu = "") {
  const std::ifstream file("harness/testdata/imports/" + name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  harness::ImportDocument document = harness::read_import(from, text.str(), name, "2026-01-01T00:00:00Z");
  name_cpu(document.imported, cpu);
  judge(document.imported);
  return document;
}

std::vector<std::string> codes(const std::string& text) {
  std::vector<std::string> all;
  for (const Finding& finding : check_import(text)) all.push_back(finding.code + " " + finding.pointer);
  return all;
}

TEST(import_judgement, prompts_accelerators_and_batches_are_marked_and_not_compared) {
  const Imported imported = read("llama-bench", "pasted_issue.md", "AMD Ryzen 9 7950X").imported;
  const std::vector<std::vector<std::string>> expected{
      {"not_decode", "not_cpu"},    {}, {"not_decode"}, {}, {}, {"not_decode"}, {"device_unknown"},
      {"device_unknown", "batched"}};
  ASSERT_EQ(imported.rows.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(imported.rows[i].marks, expected[i]) << i;
    EXPECT_EQ(imported.rows[i].comparable, expected[i].empty()) << i;
  }
}

TEST(import_judgement, runs_of_google_benchmark_without_tokens_are_never_compared) {
  for (const ImportedRow& row : read("google-benchmark", "upstream_test1_run1.json").imported.rows)
    EXPECT_FALSE(row.comparable) << row.label;
  const Imported unnamed = read("google-benchmark", "errored_and_aggregates.json").imported;
  EXPECT_EQ(unnamed.rows[0].marks, std::vector<std::string>{"cpu_unknown"});
  const Imported imported = read("google-benchmark", "errored_and_aggregates.json", "Core i7-8700").imported;
  EXPECT_TRUE(imported.rows[0].comparable);
  EXPECT_EQ(imported.rows[1].marks, std::vector<std::string>{"batched"});
  EXPECT_EQ(imported.rows[4].marks, (std::vector<std::string>{"not_decode", "errored"}));
}

TEST(import_judgement, the_level_is_the_lowest_met_on_every_aspect) {
  const ImportedRow json = read("llama-bench", "too_fast_13900k.json").imported.rows[0];
  EXPECT_EQ(json.aspects, (std::map<std::string, std::string>{{"source", "B"},
                                                              {"samples", "B"},
                                                              {"machine", "B"},
                                                              {"conditions", "C"},
                                                              {"work", "B"},
                                                              {"control", "C"}}));
  EXPECT_EQ(json.level, "C");
  // A table that does not name its CPU is D; whoever names it when importing makes it C, never B.
  EXPECT_EQ(read("llama-bench", "md_ryzen7950x_llama3.2_1b.md").imported.level, "D");
  EXPECT_EQ(read("llama-bench", "md_ryzen7950x_llama3.2_1b.md", "AMD Ryzen 9 7950X").imported.level, "C");
  EXPECT_EQ(read("llama-bench", "pi4b_qwen2.5-0.5b_Q4_0.json").imported.level, "D");
  EXPECT_EQ(read("coreflow", "coreflow/bench_126_three_runs.json", "AMD Ryzen 5 3400G").imported.level, "D");
  EXPECT_EQ(read("coreflow", "coreflow/cold_warm_p5_run2.json", "AMD Ryzen 5 3400G").imported.level, "C");
}

TEST(import_judgement, one_run_is_one_figure_however_it_is_written) {
  harness::ImportDocument document = read("llama-bench", "too_fast_13900k.json");
  ImportedRow& row = document.imported.rows.at(0);
  row.samples_ns.resize(1);
  row.repetitions = int64_t{1};
  row.spread_tokens_per_s = 0.0;
  judge(document.imported);
  EXPECT_EQ(row.aspects.at("samples"), "D");
  EXPECT_EQ(row.aspects.at("control"), "D");
  row.spread_tokens_per_s = 0.1;
  judge(document.imported);
  EXPECT_EQ(row.aspects.at("samples"), "C") << "a table tells no repetitions";
}

TEST(import_judgement, honest_published_figures_are_not_refuted) {
  for (const auto& [from, name, cpu] :
       {std::tuple{"llama-bench", "md_ryzen7950x_llama3.2_1b.md", "AMD Ryzen 9 7950X"},
        std::tuple{"coreflow", "coreflow/gates_p5.json", "AMD Ryzen 5 3400G"},
        std::tuple{"coreflow", "coreflow/cold_warm_p5_run3.json", "AMD Ryzen 5 3400G"}}) {
    for (const ImportedRow& row : read(from, name, cpu).imported.rows) {
      EXPECT_NE(row.limit.word, "refuted") << name << " " << row.label << ": " << row.limit.detail;
      EXPECT_EQ(row.limit.word == "not_checked", row.figure != "decode") << name << ": " << row.limit.detail;
    }
  }
}

TEST(import_judgement, a_figure_of_an_accelerator_told_as_one_of_the_cpu_is_refuted) {
  const harness::ImportDocument document = read("llama-bench", "too_fast_13900k.json");
  EXPECT_EQ(document.imported.rows[0].marks, std::vector<std::string>{"refuted"});
  EXPECT_EQ(codes(to_canonical_json(document)), std::vector<std::string>{"P20 /imported/rows/0"});
  EXPECT_EQ(codes(to_canonical_json(document)), std::vector<std::string>{"P20 /imported/rows/0"});
}

TEST(import_judgement, a_small_model_in_a_large_cache_is_explained_by_it) {
  const ImportedRow row = read("llama-bench", "log_and_jsonl.txt").imported.rows[1];
  EXPECT_EQ(row.marks, std::vector<std::string>{"cache_resident"});
  EXPECT_TRUE(row.comparable);
}

TEST(import_judgement, a_speed_that_is_not_that_of_its_samples_is_inconsistent) {
  harness::ImportDocument document = read("llama-bench", "log_and_jsonl.txt");
  ImportedRow& row = document.imported.rows[1];
  row.tokens_per_s = 2030.0;
  judge(document.imported);
  EXPECT_EQ(row.marks, (std::vector<std::string>{"inconsistent", "cache_resident"}));
  EXPECT_FALSE(row.comparable);
  row.tokens_per_s = 0.0;
  judge(document.imported);
  EXPECT_EQ(row.marks.front(), "no_figure") << "a decode that made no token";
  row.samples_ns[0] = 0;
  row.tokens_per_s = 2000.0;
  judge(document.imported);
  EXPECT_FALSE(row.comparable);
}

TEST(import_judgement, whatever_is_judged_is_judged_again) {
  const harness::ImportDocument good = read("llama-bench", "log_and_jsonl.txt");
  EXPECT_EQ(codes(to_canonical_json(good)), std::vector<std::string>{});
  const auto forged = [&](const std::function<void(ImportedRow&)>& change) {
    harness::ImportDocument document = good;
    change(document.imported.rows[0]);
    return codes(to_canonical_json(document));
  };
  const std::vector<std::string> refused{"R02 /imported/rows/0"};
  EXPECT_EQ(forged([](ImportedRow& row) { row.comparable = true; }), refused);
  EXPECT_EQ(forged([](ImportedRow& row) { row.marks.clear(); }), refused);
  EXPECT_EQ(forged([](ImportedRow& row) { row.level = "B"; }), refused);
  EXPECT_EQ(forged([](ImportedRow& row) { row.aspects["source"] = "A"; }), refused);
  EXPECT_EQ(forged([](ImportedRow& row) { row.limit.word = "possible"; }), refused);
  EXPECT_EQ(forged([](ImportedRow& row) { row.streams = int64_t{1}; }), refused);
  harness::ImportDocument document = good;
  document.imported.level = "A";
  EXPECT_EQ(codes(to_canonical_json(document)), std::vector<std::string>{"R02 /imported/level"});
  document = good;
  document.nonce = std::string(32, '0');
  EXPECT_EQ(codes(to_canonical_json(document)), std::vector<std::string>{"R20 /nonce"});
}

TEST(import_judgement, a_member_of_a_submission_does_not_belong_into_an_import) {
  std::string text = to_canonical_json(read("llama-bench", "log_and_jsonl.txt"));
  text.insert(1, R"("plans":[],)");
  ASSERT_TRUE(harness::validate_document(text).empty());
  EXPECT_EQ(codes(text), std::vector<std::string>{"R20 "});
}

}  // namespace
}  // namespace analysis
