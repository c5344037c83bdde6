// What a run takes: probes before, forecasts, decode launches in rounds, roofs after.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/cli/session.hpp"
#include "models/shape.hpp"

namespace cli {

/// The probes that forecasts and the checks of plausibility need: what every protocol takes.
std::vector<std::string> forecast_probes();

/// The fixed part of a run. docs/submission.md lists what quick and default are.
struct Protocol {
  std::string name;
  int sizes_per_octave = 2;
  int probe_samples = 5;
  std::vector<std::string> models;
  std::vector<std::string> arms;
  int launches = 5;
  std::vector<std::string> probes = forecast_probes();
  std::vector<std::string> other_isas = {};  ///< each decoded, too, where this CPU runs it
  bool evict_stream = false;                 ///< a plan of single positions, evicted by a stream, is added
};
Protocol quick_protocol();
Protocol default_protocol();

inline constexpr int64_t kib = 1024;

/// Makes the plan of one model on this session's kernels; positions are the model's own unless given.
harness::Plan make_plan(const Session& session, const models::Shape& shape,
                        const std::vector<std::string>& arms);

/// Makes the plan that compares `evict_stream` with `warm` at the same single positions of the model's range.
/// It streams what the eviction probe in `submission` found cold; without such a size the arm will fail.
harness::Plan make_stream_plan(const Session& session, const models::Shape& shape,
                               const harness::Submission& submission);

/// Makes all forecasts for the modes of a plan from the probe launches in `submission`, and stamps them.
void add_forecasts(const Session& session, harness::Submission& submission, const harness::Plan& plan);

/// Returns how long a protocol takes here, in s: rough, and replaced by the pace once it runs.
double estimate_seconds(const Session& session, const Protocol& protocol);

/// Tells the stage that runs and the fraction of the whole that is done.
using OnStage = std::function<void(const std::string&, double)>;

/// Takes a whole protocol into `submission`: launches and forecasts, in the order that docs/method.md gives.
/// Throws Interrupted or Error with what was taken so far left in `submission`.
void take_protocol(const Session& session, const Protocol& protocol, harness::Submission& submission,
                   const OnStage& on_stage);

/// Returns the exit code that the document's own launches call for: a wrong result has no speed. Notes on
/// stderr which models have no committed digest to compare with.
harness::ExitCode outcome(const harness::Submission& submission);

}  // namespace cli
