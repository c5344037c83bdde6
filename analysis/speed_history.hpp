// From a store's figures to series that can be judged: the order of commits, the roof that a fraction is of,
// and which logits are right. Pure.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "analysis/regression.hpp"
#include "harness/store_history.hpp"

namespace analysis {

/// How a history is read.
struct HistoryRule {
  std::vector<std::string> commits;  ///< oldest first: only these; empty: by version, then first seen
  std::string since;  ///< changes before it are not judged: a date, a UTC time, or a commit's first digits
};

/// Series with what was left out on the way.
struct SeriesOfHistory {
  std::vector<SpeedSeries> series;      ///< by machine, then decode
  std::map<std::string, int> left_out;  ///< figures by reason
  int commits = 0;                      ///< different ones that were taken
  bool since_found = true;  ///< false: nothing is as new as HistoryRule::since, or no commit is called so
};

/// Makes the series. A figure is taken as the fraction of a read roof of its own sitting, of one kind in all
/// sittings of a series (steadiest_roof); a sitting without that is left out. A sitting with wrong logits, or
/// others than the first of the same machine, model, weights and kernel version, gives no figure; a series
/// whose newest sitting is such a one is wrong.
SeriesOfHistory series_of(const harness::SpeedHistory& history, const HistoryRule& rule);

}  // namespace analysis
