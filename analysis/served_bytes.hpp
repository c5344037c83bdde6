// Which level of memory serves each kind of bytes that a token reads. Pure.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "analysis/level_shares.hpp"
#include "harness/submission.hpp"
#include "models/shape.hpp"
#include "models/token_work.hpp"

namespace analysis {

struct ServedBytes {
  LevelShares dense, experts, kv;
  double constant_from_bytes = 0;  ///< the last-level cache from which all experts are served alike; 0: none
  double last_cache_bytes = 0;     ///< what this machine's holds
};

/// After how many seconds half of what nobody touches has left a level ("l2" | "l3"), by derived.retention;
/// levels whose end was not seen are left out.
std::map<std::string, harness::Interval> half_lives_s(const harness::Submission& probed);

/// One value of each.
using HalfLives = std::map<std::string, double>;

/// Says what serves the bytes of `uses`, a token of which takes token_s: that long the experts that it does
/// not visit are left alone, and what it reads until the next. 0: nothing is lost meanwhile.
///   evict_flush   weights from memory, K and V from L2: a flush spares them, and nothing is read after it
///   evict_stream  all from memory
///   other modes   by the read curve at what a token reads, less what a token longer than the curve's lap
///                 loses; experts by expert_hit_ratio. Of several threads
///                 each has its own L2 with its part of the weights
/// Unavailable with what load_bandwidth or the topology do not tell.
harness::Reading<ServedBytes> served_bytes(const harness::Submission& probed,
                                           const std::vector<models::KernelUse>& uses,
                                           const models::Shape& shape, const harness::DecodeKey& key,
                                           double token_s = 0, const HalfLives& half_lives = {});

/// Returns hits_left() of a cyclic read of `bytes`, by load_bandwidth; 1 where it has not run.
double hits_left(const harness::Submission& probed, double bytes, double time_ratio);

}  // namespace analysis
