// Takes a protocol: probes before, forecasts, decode launches in rounds, roofs after; and what is missing of
// one that was begun.
#pragma once
#include <functional>
#include <string>

#include "harness/cli/protocol.hpp"

namespace cli {

/// Tells the stage that runs and the fraction of the whole that is done.
using OnStage = std::function<void(const std::string&, double)>;

/// Takes what is missing of a protocol into `submission`: launches and forecasts, in the order that
/// docs/method.md gives. `on_launch` is called after each launch that was added. Roofs are read again before
/// the first decode launch behind a pause that `submission` records. Throws Interrupted or Error with what
/// was taken so far left in `submission`.
void take_protocol(const Session& session, const Protocol& protocol, harness::Submission& submission,
                   const OnStage& on_stage, const std::function<void()>& on_launch = {});

/// Reads the roofs once more, as a launch of purpose roofs_resumed or roofs_after.
void take_roofs(const Session& session, const Protocol& protocol, const std::string& purpose,
                harness::Submission& submission, const OnProgress& progress);

}  // namespace cli
