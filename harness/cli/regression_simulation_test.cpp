// The simulation that script/prove-regress runs with 200 machines and 20 seeds, small.
#include "harness/cli/regression_simulation.hpp"

#include <gtest/gtest.h>

#include "analysis/regression_groups.hpp"
#include "analysis/speed_history.hpp"

namespace cli {
namespace {

struct Found {
  int right = 0, told = 0, planted = 0;
  std::map<std::string, std::string> words;  ///< of kernels, by model and mode
};

Found find(const SimulationPlan& plan) {
  const Simulation simulation = simulate(plan);
  const analysis::SeriesOfHistory history = analysis::series_of(simulation.history, {});
  const std::vector<analysis::SeriesVerdict> verdicts = analysis::judge_series(history.series, {});
  Found found;
  found.planted = static_cast<int>(simulation.planted.size());
  for (size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i].word != "regressed") continue;
    ++found.told;
    found.right += static_cast<int>(
        simulation.planted.count({history.series[i].machine.machine_key, history.series[i].key}));
  }
  for (const analysis::KernelVerdict& kernel : analysis::judge_kernels(history.series, verdicts, {}))
    found.words[kernel.key.model + " " + kernel.key.mode] = kernel.word;
  return found;
}

TEST(regression_simulation, planted_regressions_are_found_and_hardly_anything_else) {
  const Found found = find({40, 50, 0.05, 7});
  EXPECT_GE(found.right, 0.9 * found.planted);
  EXPECT_GE(found.right, 0.9 * found.told);
  EXPECT_EQ(found.words.at("coreflow_1_9m warm"), "everywhere");
  EXPECT_EQ(found.words.at("moe_ternary_105m warm"), "group");
  EXPECT_NE(found.words.at("coreflow_1_9m evict_flush"), "everywhere");
  EXPECT_NE(found.words.at("coreflow_1_9m evict_flush"), "group");
}

TEST(regression_simulation, nothing_is_found_where_nothing_was_planted) {
  const Found found = find({40, 50, 0, 8});
  EXPECT_LE(found.told, 2);
  for (const auto& [kernel, word] : found.words) {
    EXPECT_NE(word, "everywhere") << kernel;
    EXPECT_NE(word, "group") << kernel;
  }
}

TEST(regression_simulation, a_seed_always_gives_the_same) {
  const Simulation a = simulate({3, 12, 0.05, 5}), b = simulate({3, 12, 0.05, 5}),
                   c = simulate({3, 12, 0.05, 6});
  ASSERT_EQ(a.history.figures.size(), b.history.figures.size());
  EXPECT_EQ(a.history.figures.back().tokens_per_s, b.history.figures.back().tokens_per_s);
  EXPECT_NE(a.history.figures.back().tokens_per_s, c.history.figures.back().tokens_per_s);
  EXPECT_EQ(a.planted, b.planted);
}

}  // namespace
}  // namespace cli
