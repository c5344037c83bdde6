// Documents that pass every gate and rule and were measured nowhere: for tests and for measuring the store.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/submission.hpp"

namespace cli {

/// Makes a run of a machine that does not exist ("Synthetic CPU n") from a seed: probes, decode launches with
/// an A/A arm, forecasts, derived figures. Small: one launch and short curves, some 9 kB instead of 27 kB.
/// Sittings of one machine have different samples.
harness::Submission synthetic_submission(uint64_t seed, bool small, uint64_t sitting = 0);

/// Makes documents of `machines` synthetic machines in turn, each with its own nonce and time. The figures of
/// small ones repeat from round to round, so that making one costs next to nothing beside checking it; others
/// have samples of their own, as no run has another's (rule P09).
class SyntheticDocuments {
 public:
  SyntheticDocuments(int machines, bool small);
  /// Returns the canonical text of document `number`.
  [[nodiscard]] std::string text(int64_t number) const;

 private:
  bool small_;
  std::vector<std::string> texts_;
};

}  // namespace cli
