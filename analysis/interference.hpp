// How much a busy thread slows a read from the caches, from the samples of the probe `interference`.
#pragma once
#include <string>
#include <vector>

#include "harness/submission.hpp"

namespace analysis {

/// Returns for each place, antagonist and working set the ratio of the times of neighbouring samples, with it
/// ÷ idle: t interval on logarithms over rounds, at 95 %; of the A/A controls ("idle_again") at 1 − 0.05/m
/// with m of them, so that any of a run fails by chance once in twenty runs. Series that are not ok, and
/// places without an idle one, give none.
std::vector<harness::Interference> derive_interference(const harness::Submission& submission);

}  // namespace analysis
