// What the arms of a decode launch do to the caches: made and tried out before anything is timed.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/buffer.hpp"
#include "harness/clock.hpp"
#include "harness/submission.hpp"
#include "harness/topology.hpp"
#include "models/decoder.hpp"
#include "probes/antagonist.hpp"
#include "probes/decode_arms.hpp"
#include "probes/eviction_check.hpp"
#include "probes/neighbour.hpp"
#include "probes/stream_eviction.hpp"

namespace probes {

/// Why an arm gives no samples here; status ok and no reason when it does.
struct Obstacle {
  harness::Status status = harness::Status::ok;
  std::string reason;
};

/// Owns the memory that arms evict with and antagonists go round.
class DecodeConditions {
 public:
  /// `pus` is where decoding runs, the calling thread on the first: antagonists go elsewhere.
  DecodeConditions(const harness::Plan& plan, const models::Decoder& decoder,
                   const harness::Topology& topology, const harness::Clock& clock,
                   const std::vector<int>& pus);
  /// Tries out once what an arm needs. `unavailable` where the machine cannot; `failed` for evict_stream
  /// without a size that is known to evict. Call it for each arm before its passes.
  Obstacle prepare(const Arm& arm);
  /// Returns where the antagonist of an arm runs: "none" for arms without one.
  [[nodiscard]] std::string placement(const Arm& arm) const;
  /// Returns the params of an arm's series: how much is flushed, streamed or gone round.
  [[nodiscard]] std::map<std::string, harness::Param> params(const Arm& arm) const;
  /// Returns what evicts before each token of an arm, outside its duration; empty when nothing does.
  [[nodiscard]] std::function<void()> evictor(const Arm& arm);
  /// Returns what verifies the evictions of an arm, or nullptr for arms that evict nothing themselves.
  [[nodiscard]] EvictionCheck* check(const Arm& arm);
  /// Returns the running antagonist of an arm, or nullptr.
  [[nodiscard]] std::unique_ptr<Antagonist> antagonist(const Arm& arm) const;
  /// Looks how far the antagonist's PU is just now (handover.hpp) and keeps the least and the most of all
  /// looks in the param `handovers_ns`; nothing for arms without one. None may be running.
  void add_handover(const Arm& arm, harness::Series& series) const;
  /// Returns whether all that was streamed so far was what had been written.
  [[nodiscard]] bool streams_were_right() const { return streams_were_right_; }

 private:
  Obstacle prepare_antagonist(const Arm& arm);
  /// Returns the memory of an arm's antagonist, or nullptr when it needs none.
  [[nodiscard]] const harness::Buffer* memory_of(const Arm& arm) const;
  Obstacle prepare_stream();
  void prepare_check(const Arm& arm);

  const harness::Plan& plan_;
  const models::Decoder& decoder_;
  const harness::Topology& topology_;
  harness::Clock clock_;
  std::vector<int> pus_;
  Neighbour neighbour_;
  std::map<int64_t, harness::Buffer> memory_;  ///< of antagonists, by its bytes: no two run at once
  std::map<Antagonism, int64_t> antagonist_bytes_;
  std::optional<StreamEviction> stream_;
  std::optional<harness::Reading<ResidencyMeter>> meter_;
  std::map<std::string, EvictionCheck> checks_;  ///< by arm
  bool streams_were_right_ = true;
};

}  // namespace probes
