#include "probes/decode_conditions.hpp"

#include <utility>

#include "harness/cpu_features.hpp"
#include "harness/error.hpp"

namespace probes {
namespace {

constexpr uint64_t stream_seed = 3;  // its data mean nothing

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
                                   const harness::Topology& topology, int pu)
    : plan_(plan), decoder_(decoder), topology_(topology), pu_(pu) {}

Obstacle DecodeConditions::prepare(const Arm& arm) {
  if (is_concurrent(arm)) return prepare_walk(arm);
  if (arm.condition == Condition::stream) return prepare_stream();
  if (arm.condition == Condition::flush &&
      !harness::flush_from_caches(decoder_.weight_regions().front().data(), 1)) {
    return unavailable("this CPU has no user-space cache flush");
  }
  return {};
}

Obstacle DecodeConditions::prepare_walk(const Arm& arm) {
  const auto neighbour = nearest_neighbour(topology_, pu_);
  if (!harness::available(neighbour)) return unavailable(std::get<harness::Unavailable>(neighbour).reason);
  neighbour_ = std::get<Neighbour>(neighbour);
  return tried([&] {
    if (!walked_) walked_.emplace(static_cast<size_t>(memory_walk_bytes), harness::Pages::huge);
    const auto walks_for_a_moment = antagonist(arm);
  });
}

Obstacle DecodeConditions::prepare_stream() {
  if (plan_.evict_stream_bytes == 0) {
    return {harness::Status::failed,
            "not_evicted: no amount of streamed memory is known to evict the weights"};
  }
  return tried([&] {
    stream_.emplace(std::vector<int64_t>{plan_.evict_stream_bytes}, harness::read_cpu_features(),
                    stream_seed);
  });
}

std::string DecodeConditions::placement(const Arm& arm) const {
  return is_concurrent(arm) && neighbour_.pu >= 0 ? neighbour_.placement : "none";
}

std::map<std::string, harness::Param> DecodeConditions::params(const Arm& arm) const {
  if (arm.condition == Condition::flush) return {{"flush_bytes", flushed_bytes(decoder_)}};
  if (is_concurrent(arm)) return {{"antagonist_bytes", memory_walk_bytes}};
  return {};  // what is streamed stands in the plan
}

std::function<void()> DecodeConditions::evictor(const Arm& arm) {
  if (arm.condition == Condition::flush) return [this] { flush_weights(decoder_); };
  if (arm.condition == Condition::stream)
    return [this] { streams_were_right_ &= stream_->evict(plan_.evict_stream_bytes); };
  return {};
}

std::unique_ptr<MemoryWalk> DecodeConditions::antagonist(const Arm& arm) const {
  if (!is_concurrent(arm)) return nullptr;
  return std::make_unique<MemoryWalk>(topology_, neighbour_.pu, *walked_,
                                      arm.condition == Condition::walk_read ? Walk::read : Walk::write);
}

}  // namespace probes
