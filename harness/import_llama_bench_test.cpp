#include "harness/import_llama_bench.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace harness {
namespace {

std::string read_file(const std::string& name) {
  const std::ifstream file("harness/testdata/imports/" + name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

Imported read(const std::string& name) {
  return read_llama_bench(import_text(read_file(name), name), name);
}

std::string message(const std::string& text) {
  try {
    read_llama_bench(text, "f");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::invalid_input);
    return error.what();
  }
  return "";
}

template <class T>
std::string shown(const Reading<T>& reading) {
  std::ostringstream text;
  if (available(reading)) text << std::get<T>(reading);
  return available(reading) ? text.str() : "unavailable: " + std::get<Unavailable>(reading).reason;
}

TEST(import_llama_bench, the_same_run_reads_alike_in_json_jsonl_csv_and_sql) {
  for (const char* ending : {"json", "jsonl", "csv", "sql"}) {
    const Imported imported = read(std::string("readme_b5163_or_later.") + ending);
    ASSERT_EQ(imported.rows.size(), 2U) << ending;
    EXPECT_EQ(imported.rows[0].figure, "prompt");
    const ImportedRow& row = imported.rows[1];
    EXPECT_EQ(row.figure, "decode");
    EXPECT_EQ(row.label, "tg128");
    EXPECT_EQ(shown(row.cpu), "AMD Ryzen 7 7800X3D 8-Core Processor");
    EXPECT_EQ(shown(row.device), "CUDA");
    EXPECT_EQ(shown(row.model), "qwen2 7B Q4_K - Medium");
    EXPECT_EQ(shown(row.file), "Qwen2.5-7B-Instruct-Q4_K_M.gguf");
    EXPECT_EQ(shown(row.weight_bytes), "4677120000");
    EXPECT_EQ(shown(row.threads), "8");
    EXPECT_EQ(shown(row.program), "llama.cpp build 8cf427ff (5163)");
    EXPECT_TRUE(shown(row.measured_utc).starts_with("2025-04-24T1")) << ending;
    EXPECT_NEAR(std::get<double>(row.tokens_per_s), 119.5, 1) << ending;
    EXPECT_EQ(row.samples_ns.size(), std::string(ending).starts_with("json") ? 5U : 0U) << ending;
  }
}

TEST(import_llama_bench, the_old_schema_names_its_backend_by_flags) {
  const Imported imported = read("readme_old_b1275.json");
  ASSERT_EQ(imported.rows.size(), 2U);
  EXPECT_EQ(shown(imported.rows[1].device), "cuda");
  EXPECT_EQ(shown(imported.rows[1].repetitions), "5");
}

TEST(import_llama_bench, a_processor_called_cpu_is_not_named) {
  const ImportedRow row = read("pi4b_qwen2.5-0.5b_Q4_0.json").rows.at(1);
  EXPECT_EQ(shown(row.cpu), "unavailable: the source says only 'CPU'");
  EXPECT_EQ(shown(row.device), "CPU");
  EXPECT_EQ(shown(row.tokens), "128");
}

TEST(import_llama_bench, markdown_gives_mean_spread_and_rounded_size) {
  const Imported imported = read("md_ryzen7950x_llama3.2_1b.md");
  ASSERT_GE(imported.rows.size(), 30U);
  const ImportedRow& row = imported.rows[1];
  EXPECT_EQ(row.line, 4);
  EXPECT_EQ(shown(row.tokens_per_s), "15.31");
  EXPECT_EQ(shown(row.spread_tokens_per_s), "0.19");
  EXPECT_EQ(shown(row.weight_bytes), "2995739689");
  EXPECT_EQ(shown(row.cpu), "unavailable: not stated");
  EXPECT_EQ(row.told, std::vector<std::string>{"rounded"});
}

TEST(import_llama_bench, tables_are_found_among_pasted_lines) {
  const Imported imported = read("pasted_issue.md");
  ASSERT_EQ(imported.rows.size(), 8U);
  EXPECT_EQ(imported.parts, 3);
  EXPECT_EQ(shown(imported.rows[0].program), "llama.cpp 8cf427ff (5163)");
  EXPECT_EQ(shown(imported.rows[0].device), "CUDA");
  EXPECT_EQ(shown(imported.rows[1].device), "CPU (CUDA with 0 layers)");
  EXPECT_EQ(imported.rows[2].figure, "prompt");
  EXPECT_EQ(shown(imported.rows[2].program), "unavailable: not stated");
  EXPECT_EQ(imported.rows[3].figure, "decode");
  EXPECT_EQ(shown(imported.rows[3].spread_tokens_per_s), "0.1");
  EXPECT_EQ(imported.rows[4].told, (std::vector<std::string>{"rounded", "at_depth"}));
  EXPECT_EQ(imported.rows[5].figure, "mixed");
  EXPECT_EQ(shown(imported.rows[6].streams), "1");
  EXPECT_EQ(shown(imported.rows[7].streams), "8");
  EXPECT_EQ(shown(imported.rows[7].tokens_per_s), "112.28");
}

TEST(import_llama_bench, records_are_found_among_log_lines_and_other_json) {
  const Imported imported = read("log_and_jsonl.txt");
  ASSERT_EQ(imported.rows.size(), 2U);
  EXPECT_EQ(shown(imported.rows[0].streams), "4");
  EXPECT_EQ(imported.rows[0].line, 2);
  EXPECT_EQ(shown(imported.rows[1].file), "stories110M-q4_0.gguf");
  EXPECT_EQ(imported.rows[1].line, 5);
  EXPECT_EQ(imported.skipped_lines, 3);
}

TEST(import_llama_bench, csv_of_windows_reads_like_any_other) {
  const Imported imported = read("windows.csv");
  ASSERT_EQ(imported.rows.size(), 1U);
  EXPECT_EQ(shown(imported.rows[0].model), R"(qwen2 7B, "mine")");
  EXPECT_EQ(shown(imported.rows[0].measured_utc), "2025-04-24T09:57:10Z");
}

TEST(import_llama_bench, several_documents_of_all_kinds_in_one_file_are_all_taken) {
  const std::string text = read_file("readme_b5163_or_later.json") + read_file("readme_b5163_or_later.csv") +
                           read_file("readme_b5163_or_later.sql") + read_file("readme_b5163_or_later.jsonl") +
                           read_file("md_ryzen7950x_llama3.2_1b.md");
  const Imported imported = read_llama_bench(import_text(text, "f"), "f");
  EXPECT_EQ(imported.rows.size(), 8 + read("md_ryzen7950x_llama3.2_1b.md").rows.size());
  EXPECT_EQ(imported.parts, 1 + 1 + 2 + 2 + 1);
}

TEST(import_llama_bench, a_file_cut_short_is_refused_where_it_ends) {
  // Despite its name the recorded file is whole: taken, and refused once it is cut.
  const std::string text = import_text(read_file("broken_truncated_mid_array.json"), "f");
  EXPECT_EQ(read_llama_bench(text, "f").rows.size(), 2U);
  for (const size_t length : {text.size() - 1, text.size() / 2, text.find("samples_ns") + 20, size_t{5}}) {
    const std::string what = message(text.substr(0, length));
    EXPECT_TRUE(what.starts_with("f: line ")) << what;
    EXPECT_NE(what.find("the file ends inside the JSON that begins in line 1"), std::string::npos) << what;
  }
}

TEST(import_llama_bench, every_prefix_of_every_file_is_read_or_refused_in_one_line) {
  for (const char* name : {"readme_b5163_or_later.csv", "readme_b5163_or_later.sql", "readme_old_b1275.json",
                           "pasted_issue.md", "log_and_jsonl.txt"}) {
    const std::string text = import_text(read_file(name), name);
    for (size_t length = 0; length < text.size(); length += 7) {
      const std::string what = message(text.substr(0, length));
      EXPECT_EQ(what.find('\n'), std::string::npos) << name << " " << length;
    }
  }
}

TEST(import_llama_bench, numbers_that_cannot_be_are_unavailable_with_the_reason) {
  ImportRecord record;
  record.fields = {
      {"n_gen", "128"}, {"n_prompt", "0"}, {"avg_ts", "-5"}, {"n_threads", "0"}, {"model_size", "many"}};
  const ImportedRow row = llama_bench_row(record);
  EXPECT_EQ(shown(row.tokens_per_s), "unavailable: -5 cannot be");
  EXPECT_EQ(shown(row.threads), "unavailable: 0 cannot be");
  EXPECT_EQ(shown(row.weight_bytes), "unavailable: no number: 'many'");
  EXPECT_EQ(shown(row.device), "unavailable: no backend stated");
}

TEST(import_llama_bench, samples_that_no_document_can_hold_are_none) {
  for (const char* sample : {"9007199254740993", "1e300", "-1", "\"x\""}) {
    const std::string text = std::string(R"({"avg_ts": 1, "n_gen": 8, "samples_ns": [5, )") + sample + "]}";
    EXPECT_TRUE(read_llama_bench(text, "f").rows.at(0).samples_ns.empty()) << sample;
  }
}

TEST(import_llama_bench, nothing_to_read_says_what_to_give) {
  EXPECT_NE(message("hello\n").find("give it the output of llama-bench"), std::string::npos);
  EXPECT_NE(message("{\"benchmarks\": []}").find("--from"), std::string::npos);
}

Imported pasted(const std::string& text) {
  return read_llama_bench(import_text(text, "f"), "f");
}

/// What people paste: the shapes, not the figures, are from issues and pull requests of llama.cpp and
/// ik_llama.cpp (numbers 273, 518 and 1454 there) and from tables in readmes.
constexpr const char* header =
    "| model | size | params | backend | threads | test | t/s |\n|-|-|-|-|-|-|-|\n";

TEST(import_llama_bench, colours_of_a_terminal_are_no_part_of_a_table) {
  const Imported read = pasted(
      "\x1B[1m| model | threads | test | t/s |\x1B[0m\n| m | 4 | \x1B[32mtg128\x1B[0m | "
      "\x1B[1;31m12.50\x1B[0m ± 0.10 |\n");
  ASSERT_EQ(read.rows.size(), 1U);
  EXPECT_EQ(shown(read.rows[0].tokens_per_s), "12.5");
  EXPECT_EQ(read.rows[0].figure, "decode");
}

TEST(import_llama_bench, speeds_are_read_with_and_without_their_spread_and_unit) {
  for (const char* cell :
       {"12.50 ± 0.10", "12.50", "12.50 t/s", "12.50 +- 0.10", "12.50 \xC3\x82\xC2\xB1 0.10", "**12.50**"}) {
    const Imported read =
        pasted(std::string(header) + "| m | 1.00 GiB | 1.24 B | CPU | 4 | tg128 | " + cell + " |\n");
    ASSERT_EQ(read.rows.size(), 1U) << cell;
    EXPECT_EQ(shown(read.rows[0].tokens_per_s), "12.5") << cell;
  }
  const Imported read = pasted(std::string(header) +
                               "| m | 7.3 GiB | 12.2 B | CPU | 4 | tg128 | xx.xx ± y.yy |\n| m | 1.00 GiB | "
                               "1 B | CPU | 4 | tg128 | 1,071.2 |\n");
  EXPECT_FALSE(available(read.rows[0].tokens_per_s)) << "a placeholder";
  EXPECT_EQ(shown(read.rows[1].tokens_per_s), "1071.2");
}

TEST(import_llama_bench, copied_tables_may_call_their_columns_otherwise) {
  for (const char* name : {"Tokens/Second", "tok/s", "tokens/s", "T/S"}) {
    const Imported read =
        pasted(std::string("| Test | ") + name + " |\n|---|---|\n| pp512 | 1673.98 |\n| tg128 | 124.34 |\n");
    ASSERT_EQ(read.rows.size(), 2U) << name;
    EXPECT_EQ(read.rows[0].figure, "prompt");
    EXPECT_EQ(shown(read.rows[1].tokens_per_s), "124.34");
  }
}

TEST(import_llama_bench, a_sweep_measures_one_text_at_several_depths) {
  const Imported read = pasted(
      "|    PP |     TG |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s "
      "|\n|-------|--------|--------|----------|----------|----------|----------|\n|   512 |    128 |      0 "
      "|    1.733 |   295.36 |    8.239 |    15.54 |\n|   512 |    128 |   1024 |    1.857 |   275.73 |    "
      "8.561 |    14.95 |\n");
  ASSERT_EQ(read.rows.size(), 2U);
  EXPECT_EQ(shown(read.rows[1].tokens_per_s), "14.95");
  EXPECT_EQ(shown(read.rows[1].streams), "1");
  EXPECT_EQ(read.rows[0].told, (std::vector<std::string>{"rounded"}));
  EXPECT_EQ(read.rows[1].told, (std::vector<std::string>{"rounded", "at_depth"}));
}

TEST(import_llama_bench, generation_behind_a_prompt_is_at_depth) {
  const Imported read =
      pasted(std::string(header) + "| m | 1.00 GiB | 1 B | CPU | 4 | tg64@pp512 | 9.00 ± 0.01 |\n");
  EXPECT_EQ(read.rows[0].figure, "decode");
  EXPECT_EQ(read.rows[0].told, (std::vector<std::string>{"rounded", "at_depth"}));
}

TEST(import_llama_bench, builds_that_time_prompt_and_generation_apart_are_read) {
  const Imported read = pasted(
      "INSERT INTO test (n_prompt, n_gen, avg_prompt_ts, avg_gen_ts, stddev_gen_ts) VALUES ('512', '0', "
      "'27611.1', '0', '0'), ('512', '32', '27000', '12.5', '0.5');\n");
  ASSERT_EQ(read.rows.size(), 2U);
  EXPECT_EQ(read.rows[0].figure, "prompt");
  EXPECT_EQ(shown(read.rows[0].tokens_per_s), "27611.1");
  EXPECT_EQ(read.rows[1].figure, "decode");
  EXPECT_EQ(shown(read.rows[1].tokens_per_s), "12.5");
  EXPECT_EQ(shown(read.rows[1].spread_tokens_per_s), "0.5");
}

TEST(import_llama_bench, a_spreadsheet_with_decimal_commas_is_not_read_100_times_too_fast) {
  EXPECT_EQ(shown(pasted("n_prompt;n_gen;avg_ts\n0;128;41,26\n").rows.at(0).tokens_per_s), "41.26");
  EXPECT_EQ(shown(pasted("n_prompt;n_gen;avg_ts\n0;128;12,500\n").rows.at(0).tokens_per_s), "12.5");
  EXPECT_EQ(shown(pasted("n_prompt;n_gen;avg_ts\n0;128;1,217.13\n").rows.at(0).tokens_per_s), "1217.13");
  EXPECT_EQ(shown(pasted("n_prompt\tn_gen\tavg_ts\n0\t128\t41,260001\n").rows.at(0).tokens_per_s), "41.26");
}

TEST(import_llama_bench, an_object_around_the_list_is_opened) {
  EXPECT_EQ(
      pasted(R"({"host":"x","results":[{"n_prompt":0,"n_gen":8,"avg_ts":3.5},{"other":1}]})").rows.size(),
      1U);
  EXPECT_EQ(
      pasted(R"([{"n_prompt":0,"n_gen":8,"avg_ts":3.5}][{"n_prompt":0,"n_gen":8,"avg_ts":3.5}])").rows.size(),
      2U);
}

/// The speeds of a table with these cells below "t/s", "-" where none is read.
std::string speeds_of(const std::vector<std::string>& cells) {
  std::string table = header;
  for (const std::string& cell : cells)
    table += "| m | 1.00 GiB | 1.24 B | CPU | 4 | tg128 | " + cell + " |\n";
  std::string speeds;
  for (const ImportedRow& row : read_llama_bench(import_text(table, "f"), "f").rows) {
    const bool known = available(row.tokens_per_s);
    speeds += (speeds.empty() ? "" : " ") + (known ? shown(row.tokens_per_s) : "-");
  }
  return speeds;
}

TEST(import_llama_bench, what_a_comma_is_the_whole_table_tells) {
  EXPECT_EQ(speeds_of({"1.217,13 ± 18,31", "12,345 ± 0,021", "12.500"}), "1217.13 12.345 12500");
  EXPECT_EQ(speeds_of({"1,217.13 ± 18.31", "12,500"}), "1217.13 12500");
  EXPECT_EQ(speeds_of({"12,500", "12"}), "- 12") << "12.5 or 12500: nobody can tell";
  EXPECT_EQ(speeds_of({"12,500 ± 0,100"}), "12.5");
  EXPECT_EQ(speeds_of({"41,26", "41.26", "12,500"}), "41.26 41.26 -") << "it says both";
}

TEST(import_llama_bench, blanks_and_apostrophes_part_thousands) {
  EXPECT_EQ(
      speeds_of({"1 217,13 ± 18,31", "1\xC2\xA0\x32\x31\x37,13", "1\xE2\x80\xAF\x32\x31\x37,13", "1'217,13"}),
      "1217.13 1217.13 1217.13 1217.13");
}

TEST(import_llama_bench, half_of_what_a_cell_says_is_no_speed) {
  EXPECT_EQ(speeds_of({"12-13", "12 - 13", "12.50 13.00", "12.50/13.00", "~12.5", ">12", "OOM", "", "1.2.3"}),
            "- - - - - - - - -");
  EXPECT_EQ(speeds_of({"1.25e1", "12.50 (+5%)", "12.50 t/s ± 0.10", "12.50 \xE2\x94\xAC\xE2\x96\x92 0.10"}),
            "12.5 12.5 12.5 12.5");
}

TEST(import_llama_bench, tables_come_without_outer_bars_and_as_a_browser_copies_them) {
  const std::string bars =
      "model | size | params | backend | threads | test | t/s\n--- | ---: | ---: | --- | ---: | ---: | ---:\n"
      "llama 8B Q4_0 | 4.33 GiB | 8.03 B | CPU | 8 | tg128 | 12.50 ± 0.10\n\nA | B\n";
  std::string tabs;
  for (const char c : bars.substr(0, bars.find("A |"))) tabs += c == '|' ? '\t' : c;
  for (const std::string& text : {bars, tabs}) {
    const Imported read = pasted(text);
    ASSERT_EQ(read.rows.size(), 1U) << text;
    EXPECT_EQ(shown(read.rows[0].tokens_per_s), "12.5");
    EXPECT_EQ(shown(read.rows[0].spread_tokens_per_s), "0.1");
    EXPECT_EQ(shown(read.rows[0].weight_bytes), "4649302098");
    EXPECT_EQ(shown(read.rows[0].threads), "8");
  }
}

TEST(import_llama_bench, tests_and_sizes_are_read_however_they_are_set) {
  const Imported read =
      pasted(std::string(header) +
             "| m | 636.18MiB | 1.10B | CPU | 4 | `tg128` | 1 |\n| m | 1,5 GiB | 1 B | CPU | 4 | "
             "**TG 128** | 1 |\n| m | 17.28G | 1 B | CPU | 4 | pp512 + tg128 | 1 |\n");
  ASSERT_EQ(read.rows.size(), 3U);
  EXPECT_EQ(read.rows[0].figure, "decode");
  EXPECT_EQ(shown(read.rows[0].weight_bytes), "667083080");
  EXPECT_EQ(shown(read.rows[0].parameters), "1100000000");
  EXPECT_EQ(read.rows[1].figure, "decode");
  EXPECT_EQ(shown(read.rows[1].weight_bytes), "1610612736");
  EXPECT_EQ(read.rows[2].figure, "mixed");
  EXPECT_FALSE(available(read.rows[2].weight_bytes)) << "giga or gibi";
}

TEST(import_llama_bench, matrix_libraries_are_no_accelerators) {
  for (const char* backend : {"CPU", "cpu", "BLAS", "BLAS,CPU", "OpenBLAS", "AMX", "CPU+BLAS"}) {
    const Imported read =
        pasted(std::string(header) + "| m | 1.00 GiB | 1 B | " + backend + " | 4 | tg128 | 12.50 ± 0.10 |\n");
    EXPECT_EQ(shown(read.rows.at(0).device), "CPU") << backend;
  }
  for (const char* backend : {"CUDA", "Metal,BLAS", "RPC", "CUDA,RPC", "Vulkan", "ROCm", "CANN"}) {
    const Imported read =
        pasted(std::string(header) + "| m | 1.00 GiB | 1 B | " + backend + " | 4 | tg128 | 12.50 ± 0.10 |\n");
    EXPECT_FALSE(shown(read.rows.at(0).device).starts_with("CPU")) << backend;
  }
}

TEST(import_llama_bench, the_processor_is_found_beside_the_libraries_it_is_listed_with) {
  for (const char* devices :
       {"OpenBLAS, AMD Ryzen 9 7950X 16-Core Processor", "AMD Ryzen 9 7950X 16-Core Processor",
        "AMD Ryzen 9 7950X 16-Core Processor   , Intel MKL"}) {
    const Imported read =
        pasted(std::string(R"({"n_prompt":0,"n_gen":8,"avg_ts":3.5,"backends":"BLAS","cpu_info":")") +
               devices + "\"}");
    EXPECT_EQ(shown(read.rows.at(0).cpu), "AMD Ryzen 9 7950X 16-Core Processor");
  }
  EXPECT_FALSE(available(
      pasted(R"({"n_prompt":0,"n_gen":8,"avg_ts":3.5,"cpu_info":"Accelerate, CPU"})").rows.at(0).cpu));
}

TEST(import_llama_bench, an_accelerator_that_was_switched_off_took_no_part) {
  const Imported read = pasted(
      "| model | backend | ngl | dev | test | t/s |\n|-|-|-|-|-|-|\n| m | CUDA | 99 | none | tg128 | 1 |\n"
      "| m | CUDA | 99 | CUDA0 | tg128 | 1 |\n| m | CUDA | 0 | CUDA0 | tg128 | 1 |\n| m | CUDA | -1 | auto | "
      "tg128 | 1 |\n");
  EXPECT_EQ(shown(read.rows.at(0).device), "CPU (CUDA switched off)");
  EXPECT_EQ(shown(read.rows.at(1).device), "CUDA");
  EXPECT_EQ(shown(read.rows.at(2).device), "CPU (CUDA with 0 layers)");
  EXPECT_EQ(shown(read.rows.at(3).device), "CUDA");
}

TEST(import_llama_bench, a_comparison_of_two_builds_is_a_row_of_each) {
  const Imported read = pasted(
      "| CPU | Model | Model size [GiB] | Threads | Test | t/s master | t/s my-branch | Speedup |\n"
      "|:----|:------|-----------------:|--------:|:-----|-----------:|--------------:|--------:|\n"
      "| AMD Ryzen 9 7950X 16-Core Processor | llama 8B Q4_0 | 4.33 | 8 | tg128 | 12.50 | 13.00 | 1.04 |\n");
  ASSERT_EQ(read.rows.size(), 2U);
  EXPECT_EQ(shown(read.rows[0].tokens_per_s), "12.5");
  EXPECT_EQ(shown(read.rows[1].tokens_per_s), "13");
  EXPECT_EQ(shown(read.rows[1].program), "llama.cpp my-branch");
  EXPECT_EQ(shown(read.rows[0].cpu), "AMD Ryzen 9 7950X 16-Core Processor");
  EXPECT_EQ(shown(read.rows[0].weight_bytes), "4649302098");
  EXPECT_EQ(shown(read.rows[0].model), "llama 8B Q4_0");
}

TEST(import_llama_bench, every_format_reads_the_same_when_a_mail_quotes_it) {
  for (const char* file :
       {"readme_b5163_or_later.json", "readme_b5163_or_later.jsonl", "readme_b5163_or_later.sql",
        "readme_b5163_or_later.csv", "md_ryzen7950x_llama3.2_1b.md"}) {
    const std::string plain = read_file(file);
    std::string quoted = "> ";
    for (const char c : plain) quoted += c == '\n' ? "\r\n> > " : std::string(1, c);
    EXPECT_EQ(read_llama_bench(import_text(quoted, file), file).rows, read(file).rows) << file;
  }
}

TEST(import_llama_bench, records_behind_the_time_of_a_log_and_deep_in_other_json_are_found) {
  const std::string record = R"({"build_commit":"f","n_prompt":0,"n_gen":8,"avg_ts":3.5})";
  EXPECT_EQ(pasted("bench-1  | 2026-01-02 INFO " + record + "\nbench-1  | " + record + "\n").rows.size(), 2U);
  EXPECT_EQ(pasted(R"({"runs":[{"cmd":"x","out":{"results":[)" + record + "]}}]}").rows.size(), 1U);
}

TEST(import_llama_bench, a_build_above_all_tables_names_them) {
  const std::string row = std::string(header) + "| m | 1 GiB | 1 B | CPU | 4 | tg128 | 1 |\n\n";
  const Imported above = pasted("`build: 9c699074c (8664)`\n\n" + row + row);
  EXPECT_EQ(shown(above.rows.at(1).program), "llama.cpp 9c699074c (8664)");
  const Imported below = pasted(row + "build: a (1)\n" + row + "build: b (2)\n");
  EXPECT_EQ(shown(below.rows.at(0).program), "llama.cpp a (1)");
  EXPECT_EQ(shown(below.rows.at(1).program), "llama.cpp b (2)");
}

/// A log of a million lines took an hour when each document counted the lines before it anew.
TEST(import_llama_bench, a_log_of_many_other_documents_is_read_in_one_walk) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "{\"a\":1}\n";
  const Imported read = pasted(text + R"({"n_prompt":0,"n_gen":8,"avg_ts":3.5})" + "\n");
  ASSERT_EQ(read.rows.size(), 1U);
  EXPECT_EQ(read.rows[0].line, 50'001);
}

}  // namespace
}  // namespace harness
