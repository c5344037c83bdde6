#include "probes/decode_arms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/error.hpp"
#include "harness/nearest_name.hpp"
#include "probes/order.hpp"

namespace probes {
namespace {

constexpr std::array<Arm, 10> arms{{
    {"warm", "warm", Condition::none},
    {"aa", "warm", Condition::none},
    {"evict_flush", "evict_flush", Condition::flush},
    {"evict_stream", "evict_stream", Condition::stream},
    {"evict_read", "evict_read", Condition::antagonist, Antagonism::walk_read},
    {"evict_write", "evict_write", Condition::antagonist, Antagonism::walk_write},
    {"spin", "spin", Condition::antagonist, Antagonism::spin},
    {"own_l1", "own_l1", Condition::antagonist, Antagonism::own_l1},
    {"stream_llc", "stream_llc", Condition::antagonist, Antagonism::stream_llc},
    {"stream_dram", "stream_dram", Condition::antagonist, Antagonism::stream_dram},
}};

}  // namespace

const Arm& find_arm(const std::string& id) {
  std::vector<std::string_view> ids;
  for (const Arm& arm : arms) {
    if (arm.id == id) return arm;
    ids.emplace_back(arm.id);
  }
  throw harness::Error(harness::ExitCode::usage,
                       fmt::format("unknown mode '{}'{}", id, harness::did_you_mean(id, ids)));
}

std::vector<std::string> arm_order(const std::vector<std::string>& ids, uint64_t seed) {
  std::vector<std::string> order;
  for (const size_t position : shuffled_positions(ids.size(), seed)) order.push_back(ids[position]);
  for (size_t i = ids.size(); i > 0; --i) order.push_back(order[i - 1]);
  return order;
}

void time_single_positions(harness::Plan& plan, int count) {
  const int64_t range = int64_t{plan.position_last} - plan.position_first + 1;
  const int64_t parts = std::min<int64_t>(count, range);
  plan.positions.clear();
  for (int64_t i = 0; i < parts; ++i)
    plan.positions.push_back(plan.position_first + static_cast<int>((2 * i + 1) * range / (2 * parts)));
  plan.position_first = plan.positions.front();
  plan.position_last = plan.positions.back();
  plan.block_tokens = 1;
  plan.samples_per_arm = samples_per_arm(plan);
}

int timed_positions(const harness::Plan& plan) {
  if (!plan.positions.empty()) return static_cast<int>(plan.positions.size());
  return plan.position_last - plan.position_first + 1;
}

int samples_per_arm(const harness::Plan& plan) {
  return 2 * ((timed_positions(plan) + plan.block_tokens - 1) / plan.block_tokens);
}

}  // namespace probes
