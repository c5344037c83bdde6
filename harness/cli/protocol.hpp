// What a run takes: which probes, which plans in how many launches, and how long that lasts.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/cli/session.hpp"
#include "models/shape.hpp"

namespace cli {

/// The probes that forecasts and the checks of plausibility need: what every protocol takes.
std::vector<std::string> forecast_probes();

/// The fixed part of a run. docs/submission.md lists what quick, default and full are.
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
  std::vector<std::string> expert_routings = {"none"};  ///< each is a plan of models with experts
  // What a claim asks for (harness/cli/claim_protocol.hpp).
  bool forecasts = true;
  std::vector<harness::Plan> plans = {};       ///< instead of the models' own
  std::vector<std::string> round_probes = {};  ///< taken twice in every round, the second time as A/A
  std::vector<int64_t> round_probe_sizes = {};
  std::vector<std::string> fidelity_models = {};  ///< held against the reference decoder in every round
};
Protocol quick_protocol();
Protocol default_protocol();
Protocol full_protocol();

/// The session's own ISA, then the others that a protocol decodes with here.
std::vector<std::string> measured_isas(const Session& session, const Protocol& protocol);

/// Makes the plan of one model on this session's kernels; positions are the model's own unless given.
harness::Plan make_plan(const Session& session, const models::Shape& shape,
                        const std::vector<std::string>& arms);

/// Makes all plans of a protocol: of each model, and of each routing where it has experts, all arms, the same
/// on other ISAs, and single positions evicted by a stream one size longer than the probes in
/// `submission` call for. Without those probes the stream's arm will fail.
std::vector<harness::Plan> make_plans(const Session& session, const Protocol& protocol,
                                      const harness::Submission& submission);

/// Makes all forecasts for the modes of a plan from the probe launches in `submission`, and stamps them.
void add_forecasts(const Session& session, harness::Submission& submission, const harness::Plan& plan);

// How long things take here, in s: rough, and replaced by the pace once it runs.
double probe_seconds(const Session& session, const Protocol& protocol);
double launch_seconds(const harness::Plan& plan);
double extras_seconds(const Protocol& protocol);  ///< of a round: its probes and its fidelity
inline constexpr double seconds_roofs_again = 1;
double estimate_seconds(const Session& session, const Protocol& protocol);
/// … of which this much is in `submission` already.
double done_seconds(const Session& session, const Protocol& protocol, const harness::Submission& submission);

/// Returns how much memory the largest model of a protocol takes, in bytes.
int64_t largest_decode_bytes(const Protocol& protocol);

/// Returns the exit code that the document's own launches call for: a wrong result (other logits than the
/// golden ones, or a timed pass that chose other tokens) has no speed. Notes on stderr which models have no
/// committed digest to compare with.
harness::ExitCode outcome(const harness::Submission& submission);

}  // namespace cli
