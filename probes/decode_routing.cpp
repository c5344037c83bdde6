#include "probes/decode_routing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/error.hpp"

namespace probes {
namespace {

constexpr uint64_t routing_seed = 1;

}  // namespace

std::optional<models::RoutingTrace> make_plan_trace(const harness::Plan& plan, const models::Shape& shape,
                                                    const std::string& file) {
  models::Routing routing = models::parse_routing(plan.routing);
  if (routing.kind == models::Routing::Kind::none) return std::nullopt;
  if (shape.experts.count == 0) {
    throw harness::Error(
        harness::ExitCode::usage,
        fmt::format("routing {}: {} has no experts to choose from; leave it out", plan.routing, shape.name));
  }
  if (routing.kind == models::Routing::Kind::file) {
    routing.path = file;
    if (models::routing_text(routing) != plan.routing) {
      throw harness::Error(harness::ExitCode::usage,
                           fmt::format("{}: is not the trace {} that the plan names", file, plan.routing));
    }
  }
  // A warm-up begins at position 0, too.
  const int tokens = std::max(plan.position_last + 1, plan.warmup_tokens);
  return models::make_trace(
      routing, {shape.experts.count, shape.experts.top_k, static_cast<int>(shape.blocks.size()), tokens},
      routing_seed);
}

}  // namespace probes
