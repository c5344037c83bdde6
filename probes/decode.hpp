// The decode measurement: one launch that holds all arms of one model and ISA.
#pragma once
#include <functional>
#include <string>

#include "harness/clock.hpp"
#include "harness/submission.hpp"
#include "harness/topology.hpp"

namespace probes {

struct DecodeContext {
  const harness::Topology& topology;
  harness::Clock clock;
  int pu = -1;              ///< the PU this thread is pinned to; antagonists go elsewhere
  uint64_t order_seed = 1;  ///< decides the order of arms
  std::function<void(double)> progress;
};

/// Returns the order in which arms run in a launch: a seeded order and its mirror, so that drift falls on all
/// alike.
std::vector<std::string> arm_order(const std::vector<std::string>& arms, uint64_t seed);

/// Returns how many samples one arm of this plan gives: blocks of block_tokens over the positions, times the
/// two passes.
int samples_per_arm(const harness::Plan& plan);

/// Runs a launch: the golden pass (untimed), then every pass of arm_order: 64 untimed tokens under the arm's
/// conditions, state reset, untimed prefill to position_first, then the timed blocks. Arms:
///   warm, aa      back to back (aa is warm again: the A/A control)
///   evict_flush   all weight lines flushed before every timed token, outside the timed part
///   evict_read    a thread on another PU walks 64 MiB, one byte per line, all the while
/// The launch's start_ns is 0: the parent knows when the run began. A golden mismatch makes every series
/// `failed`.
harness::Launch run_decode_launch(const harness::Plan& plan, const DecodeContext& context);

}  // namespace probes
