#include "harness/cli/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "probes/decode_arms.hpp"
#include "probes/order.hpp"

namespace cli {
namespace {

constexpr int64_t kib = 1024;

uint64_t run_seed(const harness::Submission& submission) {
  return std::stoull(submission.nonce.substr(0, 16), nullptr, 16);
}

/// Maps the progress of stages with known weights to the whole.
struct Stages {
  const OnStage& on_stage;
  double total_s, done_s = 0;

  OnProgress enter(const std::string& name, double seconds) {
    const double from = done_s;
    done_s += seconds;
    if (on_stage) on_stage(name, from / total_s);
    return [this, name, from, seconds](double fraction) {
      if (on_stage) on_stage(name, (from + fraction * seconds) / total_s);
    };
  }
};

/// Whether tokens of some model leave experts alone, which others may push out of a cache meanwhile.
bool leaves_experts_alone(const Protocol& protocol) {
  return std::any_of(protocol.models.begin(), protocol.models.end(),
                     [](const std::string& model) { return models::find_shape(model).experts.count > 0; });
}

ProbeRequest probe_request(const Session& session, const Protocol& protocol,
                           const harness::Submission& submission) {
  ProbeRequest request;
  request.ids = protocol.probes;
  const bool rested = std::find(request.ids.begin(), request.ids.end(), "retention") != request.ids.end();
  if (!rested && leaves_experts_alone(protocol)) request.ids.emplace_back("retention");
  request.sizes_per_octave = protocol.sizes_per_octave;
  request.samples = protocol.probe_samples;
  request.seed = run_seed(submission);
  request.models = protocol.models;
  request.isas = measured_isas(session, protocol);
  return request;
}

bool has_launch(const harness::Submission& submission, const std::string& purpose) {
  return std::any_of(submission.launches.begin(), submission.launches.end(),
                     [&](const harness::Launch& launch) { return launch.purpose == purpose; });
}

bool has_decode(const harness::Submission& submission, size_t plan, int round) {
  return std::any_of(
      submission.launches.begin(), submission.launches.end(), [&](const harness::Launch& launch) {
        return launch.purpose == "decode" && launch.plan == static_cast<int>(plan) && launch.round == round;
      });
}

/// Returns whether nothing was measured since the last pause.
bool just_paused(const harness::Submission& submission) {
  return !submission.interruptions.empty() &&
         submission.interruptions.back().before_launch == static_cast<int>(submission.launches.size());
}

/// One launch of a plan. What this machine cannot decode at all (too little memory) is a finding about every
/// arm, not the end of a long run.
harness::Launch take_launch(const Session& session, const harness::Plan& plan, uint64_t order_seed,
                            const OnProgress& progress) {
  const int64_t start_ns = session.clock.now_ns();
  try {
    return launch_decode(session, plan, order_seed, progress);
  } catch (const harness::Error& error) {
    if (error.code() != harness::ExitCode::unavailable) throw;
    harness::Launch launch;
    launch.purpose = "decode";
    launch.start_ns = start_ns - session.start_ns;
    launch.wall_ns = session.clock.now_ns() - start_ns;
    launch.order_seed = probes::recordable_seed(order_seed);
    for (const std::string& arm : plan.arms) {
      harness::Series series;
      series.probe = "decode";
      series.model = plan.model;
      series.arm = arm;
      series.mode = probes::find_arm(arm).mode;
      series.status = harness::Status::unavailable;
      series.reason = std::string(error.what()).substr(0, 300);
      launch.series.push_back(series);
    }
    return launch;
  }
}

std::string stage_name(const harness::Plan& plan, int round, int rounds) {
  return fmt::format("{}{}{} on {}, round {} of {}", plan.model, plan.routing == "none" ? "" : " ",
                     plan.routing == "none" ? "" : plan.routing, plan.isa, round + 1, rounds);
}

bool has_extra(const harness::Submission& submission, const std::string& purpose, int round) {
  return std::any_of(
      submission.launches.begin(), submission.launches.end(),
      [&](const harness::Launch& launch) { return launch.purpose == purpose && launch.round == round; });
}

/// Takes a claim's probes or fidelity as one launch of a round, unless it is there.
void take_extra(const Session& session, const Protocol& protocol, const std::string& purpose, int round,
                harness::Submission& submission, const std::function<void()>& on_launch) {
  if (has_extra(submission, purpose, round)) return;
  const uint64_t seed = probes::recordable_seed(run_seed(submission) + 1 + static_cast<uint64_t>(round));
  harness::Launch launch;
  if (purpose == "fidelity") {
    launch = launch_fidelity(session, protocol.fidelity_models, seed, {});
  } else {
    ProbeRequest request;
    request.purpose = purpose;
    request.ids = protocol.round_probes;
    request.sizes_bytes = protocol.round_probe_sizes;
    request.samples = protocol.probe_samples;
    request.seed = seed;
    launch = launch_probes(session, request, {});
  }
  launch.round = round;
  submission.launches.push_back(std::move(launch));
  if (on_launch) on_launch();
}

/// The probes of a round stand at both its ends; odd rounds swap which of them is the A/A control.
void take_round_probes(const Session& session, const Protocol& protocol, int round, bool at_start,
                       harness::Submission& submission, const std::function<void()>& on_launch) {
  if (protocol.round_probes.empty()) return;
  const bool first = at_start == (round % 2 == 0);
  take_extra(session, protocol, first ? "round_probes" : "round_probes_again", round, submission, on_launch);
}

/// Takes one launch of each plan per round, in a seeded order; odd rounds mirror the one before.
void take_rounds(const Session& session, const Protocol& protocol, Stages& stages,
                 harness::Submission& submission, const std::function<void()>& on_launch) {
  const uint64_t seed = run_seed(submission);
  const size_t plans = submission.plans.size();
  for (int round = 0; round < protocol.launches; ++round) {
    std::vector<size_t> order = probes::shuffled_positions(plans, seed + static_cast<uint64_t>(round / 2));
    if (round % 2 == 1) std::reverse(order.begin(), order.end());
    const std::string name = fmt::format("probes, round {} of {}", round + 1, protocol.launches);
    if (extras_seconds(protocol) > 0) stages.enter(name, extras_seconds(protocol));
    take_round_probes(session, protocol, round, true, submission, on_launch);
    for (const size_t index : order) {
      const harness::Plan& plan = submission.plans[index];
      const OnProgress progress =
          stages.enter(stage_name(plan, round, protocol.launches), launch_seconds(plan));
      if (has_decode(submission, index, round)) continue;
      if (just_paused(submission)) {
        take_roofs(session, protocol, "roofs_resumed", submission, {});
        if (on_launch) on_launch();
      }
      harness::Launch launch = take_launch(session, plan, seed + 1 + static_cast<uint64_t>(round), progress);
      launch.plan = static_cast<int>(index);
      launch.round = round;
      submission.launches.push_back(std::move(launch));
      if (on_launch) on_launch();
    }
    take_round_probes(session, protocol, round, false, submission, on_launch);
    if (!protocol.fidelity_models.empty())
      take_extra(session, protocol, "fidelity", round, submission, on_launch);
  }
}

}  // namespace

void take_roofs(const Session& session, const Protocol& protocol, const std::string& purpose,
                harness::Submission& submission, const OnProgress& progress) {
  ProbeRequest request = probe_request(session, protocol, submission);
  request.purpose = purpose;
  request.ids = {"load_bandwidth", "dram_stream", "core_clock"};
  const auto& probes = protocol.probes;
  if (std::find(probes.begin(), probes.end(), "barrier") != probes.end()) request.ids.emplace_back("barrier");
  request.sizes_bytes = {kib * 16, kib * 256, kib * 1024, kib * 2048,
                         kib * 16384};  // one inside each usual level at least
  submission.launches.push_back(launch_probes(session, request, progress));
}

void take_protocol(const Session& session, const Protocol& protocol, harness::Submission& submission,
                   const OnStage& on_stage, const std::function<void()>& on_launch) {
  Stages stages{on_stage, estimate_seconds(session, protocol)};
  const OnProgress probing = stages.enter("probes", probe_seconds(session, protocol));
  if (!protocol.probes.empty() && !has_launch(submission, "probes")) {
    submission.launches.push_back(
        launch_probes(session, probe_request(session, protocol, submission), probing));
    if (on_launch) on_launch();
  }
  if (submission.plans.empty()) {
    for (harness::Plan& plan : make_plans(session, protocol, submission)) {
      if (protocol.forecasts) add_forecasts(session, submission, plan);  // fixed before any decode
      submission.plans.push_back(std::move(plan));
    }
  }
  take_rounds(session, protocol, stages, submission, on_launch);
  const OnProgress again = stages.enter("roofs again", seconds_roofs_again);
  if (protocol.probes.empty() || has_launch(submission, "roofs_after")) return;
  take_roofs(session, protocol, "roofs_after", submission, again);
  if (on_launch) on_launch();
}

}  // namespace cli
