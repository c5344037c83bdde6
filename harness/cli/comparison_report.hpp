// What `tokroof compare` found, and how it is shown.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/comparison.hpp"
#include "harness/cli/comparison_counts.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/error.hpp"
#include "harness/submission.hpp"

namespace cli {

/// Which kernels one side ran.
struct ComparedSide {
  std::string from;                    ///< as the user named it
  std::vector<harness::Suite> suites;  ///< of its documents, each once
  int documents = 0;
};

/// The decodes of one machine, compared.
struct ComparedMachine {
  std::string machine_key, cpu_model;
  std::string unit;  ///< "round" | "launch" | "document"
  std::vector<analysis::ComparedRow> rows;
};

struct ComparisonReport {
  analysis::ComparisonRule rule;
  ComparedSide before, after;
  std::vector<ComparedMachine> machines;
  std::vector<ComparedCounts> counts;  ///< of executables, each model once; asked before anything is timed
  std::vector<std::string> notes;
  int pilot_rounds = 0;  ///< 0: the number of launches was given
};

enum class ComparisonFormat { text, markdown };

/// Returns the table, like benchstat's: `~` where no difference is shown.
std::string to_text(const Terminal& terminal, const ComparisonReport& report, ComparisonFormat format);
nlohmann::ordered_json to_json(const ComparisonReport& report);

/// The exit code of a comparison: wrong_result before regressed before inconclusive; not_enough_data when
/// nothing was in common.
harness::ExitCode outcome(const ComparisonReport& report);

}  // namespace cli
