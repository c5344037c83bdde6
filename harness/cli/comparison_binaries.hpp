// Compares two executables of tokroof on this machine: their launches take turns.
#pragma once
#include <string>
#include <vector>

#include "harness/cli/comparison_report.hpp"

namespace cli {

struct BinaryOptions {
  std::vector<std::string> binaries;  ///< old, new
  std::vector<std::string> models;
  std::vector<std::string> decode_arguments;  ///< passed on to both: --mode, --isa, …
  std::vector<std::string> count_arguments;   ///< those of them that `counts` has
  int launches = 0;                           ///< 0: as many as a pilot says
  uint64_t seed = 1;
};

/// Asks both for `decode MODEL --launches 1 --json` in rounds, the order seeded and mirrored in the next
/// round. What a token is made of is compared first, as counts. A pilot of five rounds tells how many; a
/// change that is found is measured once more. Throws Error(unavailable) with the binary's own words when one
/// cannot decode.
ComparisonReport compare_binaries(const BinaryOptions& options, const analysis::ComparisonRule& rule,
                                  const Terminal& terminal);

}  // namespace cli
