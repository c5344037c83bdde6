#include "harness/store_history.hpp"

#include <gtest/gtest.h>

#include "harness/store_fixture.hpp"

namespace harness {
namespace {

/// A run with its positions in blocks; `number` makes it one of its own.
Submission run(int number) {
  Submission submission = example_submission();
  submission.nonce = fmt::format("{:032x}", number);
  submission.plans[0].positions.clear();
  submission.suite.git_commit = std::string(40, 'c');
  submission.derived.roofs.push_back(
      {"l1", "uniform", 1, 4096, 24576, Interval{2e11, 1.9e11, 2.1e11}, Unavailable{"-"}});
  return submission;
}

TEST_F(StoreTest, the_history_has_figures_with_roofs_machine_and_build) {
  Store store(path_);
  store.add(to_canonical_json(run(1)));
  const SpeedHistory history = read_history(store);
  ASSERT_EQ(history.sittings.size(), 1U);
  const Sitting& sitting = history.sittings[0];
  EXPECT_EQ(sitting.created_utc, "2026-01-02T03:04:05Z");
  EXPECT_EQ(sitting.git_commit, std::string(40, 'c'));
  EXPECT_EQ(sitting.compiler, "GNU 12.2.0");
  EXPECT_TRUE(sitting.git_dirty);
  EXPECT_EQ(sitting.author, "");
  EXPECT_EQ(sitting.family, example_machine().family);
  EXPECT_EQ(sitting.model_number, example_machine().model);
  ASSERT_EQ(history.figures.size(), 1U);
  EXPECT_EQ(history.figures[0].key, example_key("warm"));
  EXPECT_EQ(history.figures[0].weight_bytes_per_s, 1.289e10);
  ASSERT_FALSE(history.roofs.empty());
  EXPECT_EQ(history.roofs.back().level, "l1");
  EXPECT_EQ(history.roofs.back().read_bytes_per_s, 2e11);
  ASSERT_EQ(history.outputs.size(), 1U);
  EXPECT_EQ(history.outputs[0].golden, example_hash);
  EXPECT_EQ(history.outputs[0].wrong, "");
}

TEST_F(StoreTest, the_history_knows_the_size_of_one_cache_of_each_level) {
  Submission submission = run(1);
  submission.machine.caches = {{2, "instruction", 111, 64, 8, 1, 2, "hwloc", ""},
                               {2, "unified", 1048576, 64, 16, 1, 2, "hwloc", ""},
                               {3, "unified", 222, 64, 16, 2, 1, "hwloc", "memory_side"},
                               {3, "unified", 33554432, 64, 16, 2, 1, "hwloc", ""}};
  Store store(path_);
  store.add(to_canonical_json(submission));
  const SpeedHistory history = read_history(store);
  EXPECT_EQ(history.sittings[0].l2_bytes, 1048576);
  EXPECT_EQ(history.sittings[0].l3_bytes, 33554432);
}

TEST_F(StoreTest, the_history_leaves_out_controls_impossible_figures_and_spread_tokens) {
  Store store(path_);
  store.add(to_canonical_json(example_submission()));  // of spread positions
  Submission submission = run(2);
  submission.derived.decode[0].arm = "aa";
  store.add(to_canonical_json(submission));
  submission = run(3);
  submission.derived.decode[0].invalid = "faster than light";
  store.add(to_canonical_json(submission));
  EXPECT_TRUE(read_history(store).figures.empty());
  EXPECT_EQ(read_history(store).sittings.size(), 3U);
}

TEST_F(StoreTest, the_history_takes_model_isa_mode_and_machine) {
  Store store(path_);
  store.add(to_canonical_json(run(1)));
  EXPECT_EQ(read_history(store, {"coreflow_1_9m", "avx2", "warm", "aaaa"}).figures.size(),
            example_hash.substr(0, 4) == "aaaa" ? 1U : 0U);
  EXPECT_EQ(read_history(store, {"coreflow_1_9m", "avx2", "warm", run(1).machine.machine_key.substr(0, 4)})
                .figures.size(),
            1U);
  for (const HistoryFilter& filter :
       {HistoryFilter{"x", "", "", ""}, HistoryFilter{"", "x", "", ""}, HistoryFilter{"", "", "x", ""}}) {
    EXPECT_TRUE(read_history(store, filter).figures.empty());
    EXPECT_TRUE(read_history(store, filter).outputs.empty());
  }
}

TEST_F(StoreTest, the_history_says_which_outputs_are_wrong) {
  Submission other = run(1);
  other.launches[1].golden_got = std::string(64, 'e');
  Submission failed = run(2);
  failed.launches[1].series[0].status = Status::failed;
  failed.launches[1].series[0].reason = "a timed pass chose other tokens";
  Submission not_evicted = failed;
  not_evicted.nonce = std::string(32, '3');
  not_evicted.launches[1].series[0].mode = "evict_flush";
  Submission failure = other;
  failure.kind = "failure";
  failure.nonce = std::string(32, '4');
  Store store(path_);
  for (const Submission& submission : {other, failed, not_evicted, failure})
    store.add(to_canonical_json(submission));
  const SpeedHistory history = read_history(store);
  ASSERT_EQ(history.outputs.size(), 4U);
  EXPECT_EQ(history.outputs[0].wrong.substr(0, 19), "logits eeeeeeeeeeee");
  EXPECT_EQ(history.outputs[1].wrong, "a timed pass chose other tokens");
  EXPECT_EQ(history.outputs[2].wrong, "");
  EXPECT_NE(history.outputs[3].wrong, "");
  EXPECT_EQ(history.figures.size(), 3U) << "a failure repeats a run";
}

}  // namespace
}  // namespace harness
