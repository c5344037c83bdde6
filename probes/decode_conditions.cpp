#include "probes/decode_conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/cpu_features.hpp"
#include "harness/error.hpp"
#include "harness/eviction_evidence.hpp"
#include "probes/handover.hpp"
#include "probes/memory_budget.hpp"

namespace probes {
namespace {

constexpr uint64_t stream_seed = 3;                    // its data mean nothing
constexpr uint64_t check_seed = 4;                     // which lines are looked at
constexpr const char* handovers_key = "handovers_ns";  // the least and the most of all looks

int64_t flushed_bytes(const models::Decoder& decoder) {
  int64_t bytes = 0;
  for (const auto region : decoder.weight_regions()) bytes += static_cast<int64_t>(region.size());
  return bytes;
}

void flush_weights(const models::Decoder& decoder) {
  for (const auto region : decoder.weight_regions()) harness::flush_from_caches(region.data(), region.size());
}

Obstacle unavailable(std::string reason) {
  return {harness::Status::unavailable, std::move(reason)};
}

/// Runs `attempt`; what the machine does not have makes an obstacle.
template <class Attempt>
Obstacle tried(const Attempt& attempt) {
  try {
    attempt();
  } catch (const harness::Error& error) {
    if (error.code() != harness::ExitCode::unavailable) throw;
    return unavailable(error.what());
  }
  return {};
}

}  // namespace

DecodeConditions::DecodeConditions(const harness::Plan& plan, const models::Decoder& decoder,
                                   const harness::Topology& topology, const harness::Clock& clock,
                                   const std::vector<int>& pus)
    : plan_(plan), decoder_(decoder), topology_(topology), clock_(clock), pus_(pus) {}

Obstacle DecodeConditions::prepare(const Arm& arm) {
  if (is_concurrent(arm)) return prepare_antagonist(arm);
  Obstacle obstacle;
  if (arm.condition == Condition::stream) obstacle = prepare_stream();
  if (arm.condition == Condition::flush &&
      !harness::flush_from_caches(decoder_.weight_regions().front().data(), 1)) {
    obstacle = unavailable("this CPU has no user-space cache flush");
  }
  if (obstacle.status == harness::Status::ok && evictor(arm)) obstacle = tried([&] { prepare_check(arm); });
  return obstacle;
}

void DecodeConditions::prepare_check(const Arm& arm) {
  const harness::Streams& streams = harness::select_streams(harness::read_cpu_features());
  if (!meter_) meter_ = ResidencyMeter::make(load_timer(), topology_, streams);
  const harness::Cache* llc = harness::last_level_cache(topology_);
  checks_.try_emplace(arm.id, decoder_.weight_regions(), clock_, streams, *meter_,
                      llc == nullptr ? 0 : llc->level, check_seed);
}

EvictionCheck* DecodeConditions::check(const Arm& arm) {
  const auto found = checks_.find(arm.id);
  return found == checks_.end() ? nullptr : &found->second;
}

Obstacle DecodeConditions::prepare_antagonist(const Arm& arm) {
  const auto neighbour = neighbour_at(without(topology_, pus_), pus_.front(), plan_.placement);
  if (!harness::available(neighbour)) {
    const std::string& reason = std::get<harness::Unavailable>(neighbour).reason;
    if (pus_.size() == 1) return unavailable(reason);
    return unavailable(
        fmt::format("beside the {} threads of the decode: {}; take fewer threads", pus_.size(), reason));
  }
  neighbour_ = std::get<Neighbour>(neighbour);
  const auto bytes = antagonist_bytes(arm.antagonism, topology_, neighbour_.pu, memory_budget_bytes());
  if (!harness::available(bytes)) return unavailable(std::get<harness::Unavailable>(bytes).reason);
  const int64_t needed = std::get<int64_t>(bytes);
  antagonist_bytes_[arm.antagonism] = needed;
  return tried([&] {
    if (needed > 0) memory_.try_emplace(needed, static_cast<size_t>(needed), harness::Pages::huge);
    const auto runs_for_a_moment = antagonist(arm);
  });
}

const harness::Buffer* DecodeConditions::memory_of(const Arm& arm) const {
  const auto found = memory_.find(antagonist_bytes_.at(arm.antagonism));
  return found == memory_.end() ? nullptr : &found->second;
}

Obstacle DecodeConditions::prepare_stream() {
  if (plan_.evict_stream_bytes == 0) {
    return {harness::Status::failed,
            "not_evicted: no amount of streamed memory is known to evict the weights"};
  }
  const harness::Cache* llc = harness::last_level_cache(topology_);
  return tried([&] {
    stream_.emplace(std::vector<int64_t>{plan_.evict_stream_bytes},
                    stream_memory_bytes(llc == nullptr ? 0 : static_cast<int64_t>(llc->bytes)),
                    harness::read_cpu_features(), stream_seed);
  });
}

std::string DecodeConditions::placement(const Arm& arm) const {
  return is_concurrent(arm) && neighbour_.pu >= 0 ? neighbour_.placement : "none";
}

std::map<std::string, harness::Param> DecodeConditions::params(const Arm& arm) const {
  if (arm.condition == Condition::flush) return {{"flush_bytes", flushed_bytes(decoder_)}};
  const auto gone_round = antagonist_bytes_.find(arm.antagonism);
  if (!is_concurrent(arm) || gone_round == antagonist_bytes_.end()) return {};  // streamed: see the plan
  if (gone_round->second == 0) return {};
  return {{"antagonist_bytes", gone_round->second}};
}

std::function<void()> DecodeConditions::evictor(const Arm& arm) {
  if (arm.condition == Condition::flush) return [this] { flush_weights(decoder_); };
  if (arm.condition == Condition::stream)
    return [this] { streams_were_right_ &= stream_->evict(plan_.evict_stream_bytes); };
  return {};
}

std::unique_ptr<Antagonist> DecodeConditions::antagonist(const Arm& arm) const {
  if (!is_concurrent(arm)) return nullptr;
  return std::make_unique<Antagonist>(topology_, neighbour_.pu, arm.antagonism, memory_of(arm));
}

void DecodeConditions::add_handover(const Arm& arm, harness::Series& series) const {
  if (!is_concurrent(arm)) return;
  const int64_t ns = handover_ns(topology_, neighbour_.pu, clock_);
  const auto before = harness::numbers_between_spaces(series.params, handovers_key);
  const std::vector<int64_t> looks =
      harness::available(before) ? std::get<std::vector<int64_t>>(before) : std::vector<int64_t>{ns, ns};
  series.params[handovers_key] =
      fmt::format("{} {}", std::min(looks.front(), ns), std::max(looks.back(), ns));
}

}  // namespace probes
