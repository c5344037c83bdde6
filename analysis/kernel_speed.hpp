// What the probe kernel_rates says of one kernel: what a call costs and how fast its bytes come. Pure.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "analysis/level_shares.hpp"
#include "harness/submission.hpp"
#include "models/token_work.hpp"

namespace analysis {

/// How long a call lasts whose bytes all come from memory.
struct ColdCall {
  double bytes = 0, seconds = 0;
};

/// The median time of a call, and half of what holds one further sample (90 %) on its logarithm.
struct CallTime {
  double seconds = 0, log_width = 0;
};
/// Returns for each level of a series of kernel_rates, and each with "_short" and "_far", the time of one
/// call. Empty when the series is malformed.
std::map<std::string, CallTime> call_times(const harness::Series& series);

/// A kernel's time is call_s per call, and bytes ÷ rate for the bytes of each level. A rate of 0 was not
/// measured. Steps over vectors have one rate, l2_bytes_per_s.
struct KernelSpeed {
  double call_s = 0;
  double l2_bytes_per_s = 0, l3_bytes_per_s = 0, dram_bytes_per_s = 0;
  /// Half the width of the interval that holds one further sample (90 %), on the logarithm of time; the
  /// widest of the level's that serve.
  double l2_log_width = 0, l3_log_width = 0, dram_log_width = 0;
  /// Ascending in bytes, two or more; empty where calls of one length alone were measured from memory.
  std::vector<ColdCall> cold_calls = {};
  /// Of calls whose data lie apart from each other: flushed, and after a stream. As cold_calls.
  std::vector<ColdCall> apart_calls = {}, streamed_calls = {};
  double streamed_ratio = 0;  ///< time in order after a stream ÷ time flushed; 0: not measured
};

/// Returns how long a call of `bytes` lasts, on the line through the two nearest of two or more measured
/// calls; at least 0, and proportional to the nearer one where the line does not rise.
double cold_call_s(const std::vector<ColdCall>& calls, double bytes);

/// Finds the series of a use on an ISA among the probe launches and reduces it: with calls of b and B bytes
/// lasting t and T in the nearest level, R = (B − b) ÷ (T − t) and a call costs o = t − b ÷ R, at least 0;
/// in a farther level R = B ÷ (T − o). What comes from memory is also told by calls of three lengths. Medians
/// of samples; widths from the median absolute deviation, which
/// one disturbed sample of five does not move. Unavailable with the reason.
harness::Reading<KernelSpeed> kernel_speed(const harness::Submission& probed, const std::string& isa,
                                           const models::KernelUse& use);

/// Returns what it takes longer to begin a run of `bytes` of weights elsewhere than to go on: a call apart
/// less one in order, at most that of the longest measured; at least 0, and 0 where calls apart were not
/// measured.
double jump_s(const KernelSpeed& speed, double bytes, bool streamed);

/// Returns how much longer the first calls of the kernels of `uses` take after a stream than with code,
/// vectors and addresses warm, each kernel once: sums of medians, each at least 0. 0 where the probe has
/// nothing.
double first_calls_s(const harness::Submission& probed, const std::string& isa,
                     const std::vector<models::KernelUse>& uses);

/// What a thread gets at most from a level that it shares with others; 0: no limit.
struct RateLimits {
  double l3_bytes_per_s = 0, dram_bytes_per_s = 0;
};

/// How much longer calls and bytes of the nearest cache, and bytes of memory, take than they did in the
/// probe.
struct Slowing {
  double near_ratio = 1, memory_ratio = 1;
};

/// The time of calls that read `bytes` from the levels of `shares`, and its log width. The share that comes
/// from memory costs that share of cold calls, less what a call costs anyhow.
struct KernelTime {
  double seconds = 0, log_width = 0;
};
/// Unavailable when a level that serves 0.1 % or more was not measured.
harness::Reading<KernelTime> kernel_time(const KernelSpeed& speed, double calls, double bytes,
                                         const LevelShares& shares, const RateLimits& limits = {},
                                         const Slowing& slowing = {});

}  // namespace analysis
