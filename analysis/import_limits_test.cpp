#include "analysis/import_limits.hpp"

#include <gtest/gtest.h>

namespace analysis {
namespace {

using harness::ImportedRow;
using harness::Unavailable;

/// A 7B model of 4 bits: 3.83 GB, on a CPU of two channels of DDR4-2666 (42.7 GB/s) and 12 MiB of L3.
ImportedRow row_at(double tokens_per_s) {
  ImportedRow row;
  row.figure = "decode";
  row.mode = std::string("warm");
  row.cpu = std::string("Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz");
  row.device = std::string("CPU");
  row.model = std::string("llama 7B Q4_0");
  row.weight_bytes = int64_t{3825065984};
  row.parameters = int64_t{6738415616};
  row.threads = int64_t{6};
  row.streams = int64_t{1};
  row.tokens_per_s = tokens_per_s;
  return row;
}

TEST(import_limits, a_decode_within_the_memory_of_its_cpu_is_possible) {
  EXPECT_EQ(check_limit(row_at(10)).word, "possible");
  EXPECT_NEAR(std::get<double>(check_limit(row_at(10)).tokens_per_s), 42.656 / 3.825, 0.1);
}

TEST(import_limits, a_decode_that_no_memory_of_it_could_feed_is_refuted_with_the_sum) {
  const harness::ImportLimit limit = check_limit(row_at(100));
  EXPECT_EQ(limit.word, "refuted");
  for (const char* part : {"3.825 GB per token", "100 tok/s", "382.5 GB/s", "42.66 GB/s", "only"})
    EXPECT_NE(limit.detail.find(part), std::string::npos) << limit.detail;
}

TEST(import_limits, what_faster_memory_or_an_embedding_could_explain_cannot_be_told) {
  EXPECT_EQ(check_limit(row_at(13)).word, "cannot_tell");
  EXPECT_EQ(check_limit(row_at(18.5)).word, "refuted");
}

TEST(import_limits, what_cache_residency_explains_is_not_refuted) {
  ImportedRow row = row_at(20000);
  row.weight_bytes = int64_t{4'000'000};
  EXPECT_EQ(check_limit(row).word, "cache_resident");
  row.mode = std::string("evict_flush");  // caches held nothing
  EXPECT_EQ(check_limit(row).word, "refuted");
}

TEST(import_limits, cores_bound_what_caches_deliver) {
  ImportedRow row = row_at(1e6);
  row.weight_bytes = int64_t{4'000'000};  // 4 TB/s; six cores load 128 bytes 4.6e9 times a second: 3.5 TB/s
  row.parameters = Unavailable{"not stated"};
  row.model = Unavailable{"not stated"};
  EXPECT_EQ(check_limit(row).word, "cannot_tell");
  row.threads = int64_t{1};
  EXPECT_EQ(check_limit(row).word, "refuted");
}

TEST(import_limits, what_is_not_known_is_not_checked_and_says_why) {
  const auto why = [](const auto& change) {
    ImportedRow row = row_at(1000);
    change(row);
    EXPECT_EQ(check_limit(row).word, "not_checked");
    return check_limit(row).detail;
  };
  EXPECT_EQ(why([](ImportedRow& row) { row.figure = "prompt"; }), "not a decode");
  EXPECT_EQ(why([](ImportedRow& row) { row.device = std::string("CUDA"); }), "it did not run on the CPU");
  EXPECT_EQ(why([](ImportedRow& row) { row.streams = int64_t{8}; }), "several texts share what is read");
  EXPECT_EQ(why([](ImportedRow& row) { row.cpu = Unavailable{"x"}; }),
            "the CPU is not stated; name it with --cpu");
  EXPECT_NE(why([](ImportedRow& row) { row.cpu = std::string("Cyrix 6x86"); }).find("Cyrix 6x86"),
            std::string::npos);
  EXPECT_EQ(why([](ImportedRow& row) { row.model = std::string("deepseek2 671B IQ4_K_R4"); }),
            "how much of this model a token reads is not known");
  EXPECT_EQ(why([](ImportedRow& row) { row.file = std::string("mixtral-8x7b.gguf"); }),
            "how much of this model a token reads is not known");
  EXPECT_EQ(why([](ImportedRow& row) { row.cpu = std::string("Xeon Max 9480"); }),
            "part of its memory is not in the catalogue");
  EXPECT_EQ(why([](ImportedRow& row) { row.weight_bytes = Unavailable{"x"}; }),
            "the size of the weights is not stated");
}

TEST(import_limits, servers_may_have_two_sockets_and_as_many_as_the_threads_need) {
  ImportedRow row = row_at(10);
  row.cpu = std::string("Intel Xeon E5-2690 v2");
  const double two = std::get<double>(check_limit(row).tokens_per_s);
  row.threads = int64_t{80};                                                    // 4 x 20
  EXPECT_NEAR(std::get<double>(check_limit(row).tokens_per_s) / two, 2, 0.05);  // caches of four sockets, too
}

TEST(import_limits, a_token_reads_at_least_half_of_a_file) {
  ImportedRow row = row_at(1);
  row.parameters = Unavailable{"not stated"};
  EXPECT_EQ(least_bytes_per_token(row), 3825065984 / 2.0);
  row = row_at(1);
  EXPECT_NEAR(least_bytes_per_token(row) / 3825065984, 0.81, 0.01);
  row.parameters = int64_t{1000};
  EXPECT_EQ(least_bytes_per_token(row), 3825065984 / 2.0);
}

}  // namespace
}  // namespace analysis
