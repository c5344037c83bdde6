// The arms of a decode launch: which exist, in which order they run, how many samples they give. Pure.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/submission.hpp"

namespace probes {

/// One way to decode. The A/A arm is "aa": warm once more, under its own name.
struct Arm {
  const char* id;
  const char* mode;
  bool flushes;  ///< weights are flushed before each token
  bool walks;    ///< a thread on another PU walks memory all the while
};

/// Throws Error(usage) that names the nearest arm.
const Arm& find_arm(const std::string& id);

/// Returns the order in which arms run in a launch: a seeded order and its mirror, so that drift falls on all
/// alike.
std::vector<std::string> arm_order(const std::vector<std::string>& arms, uint64_t seed);

/// Returns how many positions one pass times.
int timed_positions(const harness::Plan& plan);

/// Returns how many samples one arm of this plan gives: blocks of block_tokens over the positions (the last
/// may be shorter), times the two passes.
int samples_per_arm(const harness::Plan& plan);

}  // namespace probes
