// Which machines does a kernel's regression hit? Of every kernel over all machines: a sign test, and the
// group of machines that the data single out. Pure; docs/regressions.md gives the rule.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/machine_groups.hpp"
#include "analysis/regression.hpp"

namespace analysis {

/// What is said of one kernel over all machines. word: "everywhere", "group" (some machines alone),
/// "machines" (too few, or no group of them), "none", "cannot_tell" (fewer machines than a sign test needs).
struct KernelVerdict {
  harness::DecodeKey key;  ///< without ISA and core kind
  int64_t weight_bytes_per_token = 0;
  std::string word = "cannot_tell";
  std::string group;                 ///< e.g. "avx2, 256 KiB L2"; "" unless a group
  std::vector<std::string> same_as;  ///< other descriptions of exactly the same machines
  std::optional<int64_t> commit;     ///< rank of the first commit after the change
  std::string commit_name;
  std::vector<size_t> regressed;     ///< indices of its series that have regressed
  int machines = 0;                  ///< with enough points to be judged
  int regressed_machines = 0;        ///< of these: with a series that has regressed
  GroupTest inside;                  ///< of the group, or of all
  std::optional<GroupTest> outside;  ///< all others, where there is a group
  double group_p = 1;                ///< hypergeometric, times the groups that were looked at
  std::vector<std::string> flags;    ///< what is one-sided about the results
  /// Whether more is said than of single machines.
  [[nodiscard]] bool claimed() const { return word == "everywhere" || word == "most" || word == "group"; }
};

/// Judges every kernel, in the order of its first series. `verdicts` are those of judge_series.
std::vector<KernelVerdict> judge_kernels(const std::vector<SpeedSeries>& series,
                                         const std::vector<SeriesVerdict>& verdicts,
                                         const RegressionRule& rule);

}  // namespace analysis
