#include "harness/import_document.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/store.hpp"
#include "harness/validation.hpp"

namespace harness {
namespace {

std::string read_file(const std::string& name) {
  const std::ifstream file("harness/testdata/imports/" + name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// As the judge leaves it, so that the schema has all it asks for.
ImportDocument read(const std::string& from, const std::string& name,
                    const std::string& now = "2026-01-01T00:00:00Z") {
  ImportDocument document = read_import(from, read_file(name), name, now);
  document.imported.level = "D";
  document.imported.judgement = "1";
  document.imported.catalogue_sha256 = std::string(64, 'a');
  for (ImportedRow& row : document.imported.rows) {
    row.level = "D";
    for (const char* aspect : {"source", "samples", "machine", "conditions", "work", "control"})
      row.aspects[aspect] = "D";
    row.limit = {"not_checked", "nobody asked", Unavailable{"not checked"}};
  }
  return document;
}

const std::vector<std::pair<std::string, std::string>> files{
    {"llama-bench", "readme_b5163_or_later.json"},
    {"llama-bench", "readme_old_b1275.json"},
    {"llama-bench", "pi4b_qwen2.5-0.5b_Q4_0.json"},
    {"llama-bench", "md_ryzen7950x_llama3.2_1b.md"},
    {"llama-bench", "pasted_issue.md"},
    {"llama-bench", "log_and_jsonl.txt"},
    {"llama-bench", "windows.csv"},
    {"google-benchmark", "upstream_test1_run1.json"},
    {"google-benchmark", "mutated_nan_inf_counters.json"},
    {"google-benchmark", "errored_and_aggregates.json"},
    {"coreflow", "coreflow/gates_p5.json"},
    {"coreflow", "coreflow/cold_warm_p5_run2.json"},
    {"coreflow", "coreflow/bench_126_three_runs.json"}};

TEST(import_document, of_every_file_meets_the_schema_and_comes_back_the_same) {
  for (const auto& [from, name] : files) {
    const std::string text = to_canonical_json(read(from, name));
    for (const Violation& wrong : validate_document(text))
      ADD_FAILURE() << name << ": " << wrong.pointer << ": " << wrong.value << ", expected "
                    << wrong.expected;
    EXPECT_EQ(canonical_json(text), text) << name;
    EXPECT_TRUE(is_import(text));
    EXPECT_EQ(to_canonical_json(import_from_json(text)), text) << name;
  }
}

TEST(import_document, holds_no_folder_host_or_person) {
  for (const auto& [from, name] : files) {
    const std::string text = to_canonical_json(read(from, name));
    for (const char* secret :
         {"jane", "/home", "Users", "host-d", "host-a", "my_benchmark", "BENCHMARK/", "models/"})
      EXPECT_EQ(text.find(secret), std::string::npos) << name << " " << secret;
  }
}

TEST(import_document, of_the_same_bytes_is_the_same_whenever_the_source_states_its_time) {
  EXPECT_EQ(to_canonical_json(read("llama-bench", "readme_b5163_or_later.json", "2026-01-01T00:00:00Z")),
            to_canonical_json(read("llama-bench", "readme_b5163_or_later.json", "2027-01-01T00:00:00Z")));
  EXPECT_EQ(read("llama-bench", "readme_b5163_or_later.json").created_utc, "2025-04-24T11:58:51Z");
  EXPECT_EQ(read("coreflow", "coreflow/gates_p5.json").created_utc, "2026-01-01T00:00:00Z");
}

TEST(import_document, of_another_program_is_a_usage_error) {
  try {
    read_import("perf", "", "f", "");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
  }
}

TEST(import_document, is_stored_checked_and_listed_beside_submissions) {
  char folder[] = "/tmp/tokroof_import_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string text = to_canonical_json(read("llama-bench", "readme_b5163_or_later.json"));
  {
    Store store(std::string(folder) + "/store.sqlite");
    EXPECT_FALSE(store.add(text).already_there);
    EXPECT_TRUE(store.add(text).already_there);
    ASSERT_EQ(store.list().size(), 1U);
    EXPECT_EQ(store.list()[0].kind, "import");
    EXPECT_EQ(store.list()[0].cpu_model, "AMD Ryzen 7 7800X3D 8-Core Processor");
    EXPECT_EQ(store.check().problems, std::vector<std::string>{});
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace harness
