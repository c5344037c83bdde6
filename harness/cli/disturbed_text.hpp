// How many samples something disturbed, in a sentence.
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/submission.hpp"

namespace cli {

/// How many of some series' samples are marked, and how many by which reason; one sample may have several.
struct DisturbedCount {
  size_t samples = 0, disturbed = 0;
  std::map<std::string, size_t> by_reason;
};

/// Adds the samples of an ok series to the count.
void count_disturbed(const harness::Series& series, DisturbedCount& count);

/// "3 of 200 samples disturbed: 2 involuntary_switch, 1 steal"; "none of 200 samples disturbed".
std::string to_sentence(const DisturbedCount& count);

/// One line for the probes and one per arm, over all launches; "" without samples.
std::string disturbed_text(const std::vector<harness::Launch>& launches);

}  // namespace cli
