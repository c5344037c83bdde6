// What `tokroof regress` found, and how it is shown.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/regression_groups.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/error.hpp"

namespace cli {

struct RegressionReport {
  std::string store;  ///< as the user named it
  analysis::RegressionRule rule;
  std::string since;  ///< as asked; "" for all
  std::vector<analysis::SpeedSeries> series;
  std::vector<analysis::SeriesVerdict> verdicts;  ///< of each series
  std::vector<analysis::KernelVerdict> kernels;
  std::map<std::string, int> left_out;  ///< figures by reason
  int commits = 0;
};

/// How much is shown. Of many series those alone that are not as they were, unless all are asked for.
struct RegressionForm {
  bool markdown = false, all = false;
};

/// Returns the tables: series by machine, then kernels over all machines.
std::string to_text(const Terminal& terminal, const RegressionReport& report, const RegressionForm& form);

/// `points`: with every sitting of every series.
nlohmann::ordered_json to_json(const RegressionReport& report, bool points);

/// The exit code: wrong_result before regressed before inconclusive; not_enough_data when nothing was judged.
harness::ExitCode outcome(const RegressionReport& report);

// Sentences that all forms share. Foreign text in them is in one line, and drives nothing.

/// "coreflow_1_9m warm, avx2"
std::string name_of(const analysis::SpeedSeries& series);
/// "coreflow_1_9m warm, 2 threads": what tells a kernel from all others, without its ISA.
std::string kernel_name(const analysis::KernelVerdict& kernel);
/// "−5.0 % [−5.6 % … −4.4 %] since abc1234..def5678, 20 sittings"
std::string change_of(const analysis::SpeedSeries& series, const analysis::SeriesVerdict& verdict);
/// "coreflow_1_9m warm: slower on machines with avx2, 256 KiB L2 alone: 12 of 12 …"; "" when nothing is
/// claimed.
std::string claim_of(const analysis::KernelVerdict& kernel);

/// "12 series over 50 commits: 1 regressed, 11 no worse"
std::string counts_of(const RegressionReport& report);

}  // namespace cli
