#include "probes/decode_arms.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "harness/error.hpp"
#include "harness/nearest_name.hpp"
#include "probes/order.hpp"

namespace probes {
namespace {

constexpr std::array<Arm, 4> arms{{
    {"warm", "warm", false, false},
    {"aa", "warm", false, false},
    {"evict_flush", "evict_flush", true, false},
    {"evict_read", "evict_read", false, true},
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

int timed_positions(const harness::Plan& plan) {
  return plan.position_last - plan.position_first + 1;
}

int samples_per_arm(const harness::Plan& plan) {
  return 2 * ((timed_positions(plan) + plan.block_tokens - 1) / plan.block_tokens);
}

}  // namespace probes
