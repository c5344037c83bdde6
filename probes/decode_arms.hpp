// The arms of a decode launch: which exist, in which order they run, how many samples they give. Pure.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/submission.hpp"
#include "probes/antagonist.hpp"

namespace probes {

/// What is done to the caches while an arm decodes.
enum class Condition {
  none,
  flush,      ///< weights are flushed before each token
  stream,     ///< other memory is read before each token, enough to leave nothing of the weights
  antagonist  ///< a thread on another PU is busy all the while
};

/// One way to decode. The A/A arm is "aa": warm once more, under its own name.
struct Arm {
  const char* id;
  const char* mode;
  Condition condition;
  Antagonism antagonism = Antagonism::walk_read;  ///< what that thread does
};

/// Returns whether a thread on another PU runs all the while.
inline bool is_concurrent(const Arm& arm) {
  return arm.condition == Condition::antagonist;
}

/// Returns whether an arm is there to explain another, as the A/A arm is.
inline bool is_control(const Arm& arm) {
  return is_concurrent(arm) && arm.antagonism != Antagonism::walk_read &&
         arm.antagonism != Antagonism::walk_write;
}

/// Throws Error(usage) that names the nearest arm.
const Arm& find_arm(const std::string& id);

/// Returns the order in which arms run in a launch: a seeded order and its mirror, so that drift falls on all
/// alike.
std::vector<std::string> arm_order(const std::vector<std::string>& arms, uint64_t seed);

/// How many single positions `evict_stream` times in a pass: an eviction takes far longer than a token.
inline constexpr int single_positions = 32;

/// Makes a plan time `count` single positions of its range, one per sample: the middles of as many equal
/// parts of it, so that their mean cost is that of the range. The range shrinks to the first and last of
/// them. A range with fewer positions is timed whole.
void time_single_positions(harness::Plan& plan, int count = single_positions);

/// Returns how many positions one pass times: those of the list, or else of the whole range.
int timed_positions(const harness::Plan& plan);

/// Returns how many samples one arm of this plan gives: blocks of block_tokens over the positions (the last
/// may be shorter), times the two passes.
int samples_per_arm(const harness::Plan& plan);

}  // namespace probes
