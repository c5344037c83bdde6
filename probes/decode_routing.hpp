// The experts that a plan's tokens visit.
#pragma once
#include <optional>
#include <string>

#include "harness/submission.hpp"
#include "models/routing.hpp"
#include "models/shape.hpp"

namespace probes {

/// Makes the trace of a plan's routing, which covers each position that a pass decodes; nothing when the
/// model's own router chooses. `file` is the path of the trace that file:SHA256 names. The same plan makes
/// the same trace. Throws Error(usage) for a routing that is none, for a model without experts, and for a
/// file that is not the one named; Error(invalid_input) for a trace file of another shape or with too few
/// tokens.
std::optional<models::RoutingTrace> make_plan_trace(const harness::Plan& plan, const models::Shape& shape,
                                                    const std::string& file);

}  // namespace probes
