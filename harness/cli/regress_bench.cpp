// How many planted regressions are found in simulated histories, and how many are none: for
// script/prove-regress.
//   regress_bench simulate SEED MACHINES COMMITS SLOWER MARGIN
//   regress_bench drift SEED STORES SERIES SITTINGS CORRELATION DEVIATION WAVE SLOWER HUMP
//   regress_bench documents FOLDER SEED MACHINES COMMITS SLOWER
//   regress_bench fill STORE SEED MACHINES COMMITS SLOWER
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/regression_groups.hpp"
#include "analysis/speed_history.hpp"
#include "harness/cli/regression_drift.hpp"
#include "harness/cli/regression_simulation.hpp"
#include "harness/cli/simulated_document.hpp"
#include "harness/store.hpp"

namespace {

using nlohmann::ordered_json;

double share(int part, int whole) {
  return whole > 0 ? static_cast<double>(part) / whole : 1;
}

/// Whether the claim is the planted one, of just those machines.
bool right_claim(const analysis::KernelVerdict& kernel) {
  const std::string planted = cli::planted_claim(kernel.key);
  if (planted.empty()) return !kernel.claimed();
  if (planted == "everywhere") return kernel.word == "everywhere";
  std::vector<std::string> names = kernel.same_as;
  names.push_back(kernel.group);
  return kernel.word == "group" && std::any_of(names.begin(), names.end(), [](const std::string& name) {
           return name == "256 KiB L2" || name == "avx2, 256 KiB L2";
         });
}

ordered_json trial(const cli::SimulationPlan& plan, double margin_ratio) {
  const cli::Simulation simulation = cli::simulate(plan);
  const auto start = std::chrono::steady_clock::now();
  const analysis::SeriesOfHistory history = analysis::series_of(simulation.history, {});
  analysis::RegressionRule rule;
  rule.margin_ratio = margin_ratio;
  const std::vector<analysis::SeriesVerdict> verdicts = analysis::judge_series(history.series, rule);
  const std::vector<analysis::KernelVerdict> kernels =
      analysis::judge_kernels(history.series, verdicts, rule);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::map<std::string, std::pair<int, int>> found;  // of how many, by kind
  int right = 0, told = 0, suspected = 0, gradual = 0;
  ordered_json wrong_claims = ordered_json::array();
  for (size_t i = 0; i < verdicts.size(); ++i) {
    const auto planted =
        simulation.planted.find({history.series[i].machine.machine_key, history.series[i].key});
    const bool regressed = verdicts[i].word == "regressed";
    told += regressed ? 1 : 0;
    suspected += verdicts[i].word == "suspected" ? 1 : 0;
    if (planted == simulation.planted.end()) continue;
    right += regressed ? 1 : 0;
    gradual += regressed && verdicts[i].gradual && planted->second == "gradual" ? 1 : 0;
    auto& [hits, all] = found[planted->second];
    hits += regressed ? 1 : 0;
    ++all;
  }
  int right_claims = 0;
  for (const analysis::KernelVerdict& kernel : kernels) {
    right_claims += right_claim(kernel) ? 1 : 0;
    if (!right_claim(kernel))
      wrong_claims.push_back(
          fmt::format("{} {}: {} {}", kernel.key.model, kernel.key.mode, kernel.word, kernel.group));
  }
  ordered_json made = {{"seed", plan.seed},
                       {"series", verdicts.size()},
                       {"planted", simulation.planted.size()},
                       {"told", told},
                       {"suspected", suspected},
                       {"precision", share(right, told)},
                       {"recall", share(right, static_cast<int>(simulation.planted.size()))},
                       {"claims_right", right_claims},
                       {"claims", kernels.size()},
                       {"wrong_claims", wrong_claims},
                       {"told_gradual", gradual},
                       {"seconds", seconds}};
  for (const auto& [kind, counts] : found) made["recall_" + kind] = share(counts.first, counts.second);
  return made;
}

/// Stores of so many series each, whose sittings hang together.
ordered_json drift(const std::vector<std::string>& numbers) {
  const auto number = [&](size_t i) { return std::atof(numbers[i].c_str()); };
  const auto stores = static_cast<int>(number(1)), of_a_store = static_cast<int>(number(2));
  cli::DriftPlan plan;
  plan.sittings = static_cast<size_t>(number(3));
  plan.correlation = number(4);
  plan.deviation = number(5);
  plan.wave_ratio = number(6);
  plan.slower = number(7);
  plan.hump = number(8);
  plan.seed = 1'000'003 * std::strtoull(numbers[0].c_str(), nullptr, 10);
  std::map<std::string, int> words;
  std::vector<double> correlations, detectable;
  int stores_regressed = 0;
  for (int store = 0; store < stores; ++store) {
    std::vector<analysis::SpeedSeries> all;
    for (int i = 0; i < of_a_store; ++i, ++plan.seed) all.push_back(cli::drifting_series(plan));
    bool regressed = false;
    for (const analysis::SeriesVerdict& verdict : analysis::judge_series(all, {})) {
      ++words[verdict.word];
      regressed = regressed || verdict.word == "regressed";
      correlations.push_back(verdict.lag_correlation);
      detectable.push_back(verdict.detectable_ratio);
    }
    stores_regressed += regressed ? 1 : 0;
  }
  ordered_json made = {{"stores", stores},
                       {"series", stores * of_a_store},
                       {"stores_regressed", stores_regressed},
                       {"lag_correlation", harness::median(correlations)},
                       {"detectable_ratio", harness::median(detectable)}};
  for (const char* word : {"regressed", "suspected", "improved", "no_worse"}) made[word] = words[word];
  return made;
}

cli::SimulationPlan plan_of(const std::vector<std::string>& numbers) {
  cli::SimulationPlan plan;
  plan.seed = std::strtoull(numbers[0].c_str(), nullptr, 10);
  plan.machines = std::atoi(numbers[1].c_str());
  plan.commits = std::atoi(numbers[2].c_str());
  plan.slower = std::atof(numbers[3].c_str());
  return plan;
}

void write_documents(const std::string& folder, const cli::Simulation& simulation) {
  for (size_t i = 0; i < simulation.history.sittings.size(); ++i) {
    const std::string text = harness::to_canonical_json(cli::simulated_submission(simulation, i));
    harness::write_file_atomically(fmt::format("{}/{:08}.json", folder, i), text + "\n");
  }
}

void fill_store(const std::string& path, const cli::Simulation& simulation) {
  constexpr size_t of_a_batch = 64;
  harness::Store store(path);
  std::vector<harness::NewDocument> batch;
  for (size_t i = 0; i < simulation.history.sittings.size(); ++i) {
    batch.push_back(
        harness::new_document(harness::to_canonical_json(cli::simulated_submission(simulation, i))));
    if (batch.size() < of_a_batch && i + 1 < simulation.history.sittings.size()) continue;
    store.add_all(batch);
    batch.clear();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string what =
      arguments.size() == 6 || (arguments.size() == 10 && arguments[0] == "drift") ? arguments[0] : "";
  try {
    if (what == "drift" && arguments.size() == 10) {
      fmt::print("{}\n", drift({arguments.begin() + 1, arguments.end()}).dump());
      return 0;
    }
    if (what == "simulate") {
      fmt::print("{}\n", trial(plan_of({arguments.begin() + 1, arguments.begin() + 5}),
                               std::atof(arguments[5].c_str()))
                             .dump());
      return 0;
    }
    if (what == "documents" || what == "fill") {
      const cli::Simulation simulation = cli::simulate(plan_of({arguments.begin() + 2, arguments.end()}));
      (what == "fill" ? fill_store : write_documents)(arguments[1], simulation);
      return 0;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "regress_bench: {}\n", error.what());
    return 7;
  }
  fmt::print(stderr,
             "regress_bench simulate SEED MACHINES COMMITS SLOWER MARGIN\n"
             "regress_bench drift SEED STORES SERIES SITTINGS CORRELATION DEVIATION WAVE SLOWER HUMP\n"
             "regress_bench documents FOLDER SEED MACHINES COMMITS SLOWER\n"
             "regress_bench fill STORE SEED MACHINES COMMITS SLOWER\n");
  return 2;
}
