// The PUs that a plan's threads decode on, and the pages that its memory lies on.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/clock.hpp"
#include "harness/submission.hpp"
#include "harness/topology.hpp"
#include "models/decoder.hpp"
#include "models/thread_team.hpp"
#include "probes/decode_team_control.hpp"

namespace probes {

/// Throws Error(usage) for a number of threads or a page size that cannot be.
void check_team_and_pages(const harness::Plan& plan);

/// Owns the team of a plan with more than one thread.
class DecodePlacement {
 public:
  /// `pu` is where the calling thread is pinned. Takes the controls of a team (decode_team_control.hpp)
  /// first. Throws Error(unavailable) when fewer PUs are allowed than the plan has threads.
  DecodePlacement(const harness::Plan& plan, const harness::Topology& topology, int pu,
                  const harness::Clock& clock);

  [[nodiscard]] const std::vector<int>& pus() const { return pus_; }
  [[nodiscard]] models::DecoderSetup setup() const;
  /// Looks which pages hold the weights. Returns why no arm may run: a plan for huge pages whose weights were
  /// granted less than nine tenths in them; "" when they may.
  std::string look_at_pages(const models::Decoder& decoder);
  /// Returns the params of each series: `huge_weight_bytes` of a plan for huge pages; of more than one thread
  /// `thread_pus`, how many of them are second hardware threads of a core, and the controls.
  [[nodiscard]] std::map<std::string, harness::Param> params() const;
  /// Starts to watch the CPU time of the threads beside the caller.
  void watch(int64_t now_ns);
  /// Returns the least share of the wall time since watch() that one of them had its PU; 1 without any.
  [[nodiscard]] double least_cpu_ratio(int64_t now_ns) const;
  /// Returns how often members of the team yielded their CPU since watch(); 0 without a team.
  [[nodiscard]] int64_t yields() const;

 private:
  const harness::Plan& plan_;
  std::vector<int> pus_;
  int siblings_ = 0;
  TeamControl control_;
  int64_t huge_weight_bytes_ = 0;
  std::unique_ptr<models::ThreadTeam> team_;
  std::vector<int64_t> watched_cpu_ns_;
  int64_t watched_from_ns_ = 0;
  int64_t watched_yields_ = 0;
};

/// Returns which share of the calling thread's time the decoder waits at barriers, over up to 64 tokens from
/// position 0, untimed; 0 for one thread.
double waiting_ratio(models::Decoder& decoder, const models::Shape& shape);

}  // namespace probes
