// The decode measurement: one launch that holds all arms of one model and ISA.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "harness/clock.hpp"
#include "harness/submission.hpp"
#include "harness/topology.hpp"
#include "models/i8_file.hpp"
#include "probes/decode_arms.hpp"

namespace probes {

struct DecodeContext {
  const harness::Topology& topology;
  harness::Clock clock;
  int pu = -1;                           ///< the PU this thread is pinned to; antagonists go elsewhere
  uint64_t order_seed = 1;               ///< decides the order of arms; its recordable part is stored
  std::function<void(double)> progress;  ///< called after each pass with the fraction done; may be empty
  const models::I8Model* file =
      nullptr;                 ///< weights to decode instead of synthetic ones; plan.weights is its SHA-256
  std::string routing_file{};  ///< the trace that a plan's routing file:SHA256 names
};

/// Throws Error(usage) for a plan that cannot run: an unknown arm, model or ISA, positions outside the
/// context or in disorder, blocks of no tokens, a routing for a model without experts; Error(unavailable) for
/// an ISA that this CPU lacks; Error(invalid_input) for a trace file that is not the model's or ends too
/// early.
void check_plan(const harness::Plan& plan, const models::I8Model* file = nullptr,
                const std::string& routing_file = "");

/// What the reason of every series says when a timed pass chose other tokens: the result is wrong.
inline constexpr std::string_view other_tokens = "decoded other tokens than the first";

/// Runs a launch: the golden pass (untimed, with the model's own routing), then every pass of arm_order: 64
/// untimed tokens under the arm's conditions, state reset, untimed prefill to position_first, then the timed
/// blocks. Arms:
///   warm, aa      back to back (aa is warm again: the A/A control)
///   evict_flush   all weight lines flushed before every timed token, outside the timed part
///   evict_stream  plan.evict_stream_bytes of other memory read before every timed token, likewise
///   evict_read    a thread on another PU reads 64 MiB, one byte per line, all the while
///   evict_write   … writes it
///   spin          … multiplies in a register        the controls: what the mere presence of a busy thread
///   own_l1        … reads within its own L1         costs, and what the traffic of a stream costs
///   stream_llc    … reads half of its last-level cache
///   stream_dram   … reads four times that and more
/// That PU is the nearest, or the nearest at plan.placement.
/// One series per arm of the plan, in the plan's order. An arm that cannot run here is `unavailable` and
/// stands not in arm_order; likewise evict_stream without a size to stream, which is `failed`:
/// "not_evicted". A golden mismatch makes every series `failed`, without samples. The launch's
/// start_ns is 0: the parent knows when the run began.
harness::Launch run_decode_launch(const harness::Plan& plan, const DecodeContext& context);

}  // namespace probes
