#include "harness/cli/protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/derive.hpp"
#include "analysis/forecast.hpp"
#include "models/decoder.hpp"
#include "probes/decode.hpp"
#include "probes/memory_walk.hpp"
#include "probes/probe.hpp"

namespace cli {
namespace {

/// Seconds that one probe size and one decode launch take, seen on 2-core VMs; only for the estimate shown at
/// the start.
constexpr double seconds_per_probe_size = 0.05, seconds_per_launch = 0.8, seconds_roofs_after = 1;

uint64_t run_seed(const harness::Submission& submission) {
  return std::stoull(submission.nonce.substr(0, 16), nullptr, 16);
}

double probe_seconds(const Session& session, const Protocol& protocol) {
  const harness::Cache* llc = harness::last_level_cache(session.topology);
  const auto sizes =
      probes::working_sets(llc == nullptr ? 0 : static_cast<int64_t>(llc->bytes), protocol.sizes_per_octave);
  return seconds_per_probe_size * 2 * static_cast<double>(sizes.size());
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

}  // namespace

Protocol quick_protocol() {
  return {"quick", 2, 5, {"coreflow_1_9m"}, {"warm", "aa", "evict_flush", "evict_read"}, 5};
}

Protocol default_protocol() {
  Protocol protocol = quick_protocol();
  protocol.name = "default";
  protocol.sizes_per_octave = 4;
  protocol.launches = 10;
  return protocol;
}

std::vector<std::string> forecast_probes() {
  return {"core_clock", "load_latency", "load_bandwidth", "dram_stream"};
}

harness::Plan make_plan(const Session& session, const models::Shape& shape,
                        const std::vector<std::string>& arms) {
  harness::Plan plan;
  plan.model = shape.name;
  plan.isa = session.kernels->isa;
  plan.position_first = shape.default_position_first;
  plan.position_last = shape.default_position_last;
  plan.kernel_version = models::kernel_version;
  plan.golden = models::expected_golden(shape);
  plan.weight_bytes_per_token = models::cost(shape).weight_bytes_per_token;
  plan.arms = arms;
  plan.samples_per_arm = probes::samples_per_arm(plan);
  return plan;
}

void add_forecasts(const Session& session, harness::Submission& submission, const harness::Plan& plan) {
  const auto neighbour = probes::nearest_neighbour(session.topology, session.pu);
  for (const std::string& id : plan.arms) {
    const probes::Arm& arm = probes::find_arm(id);
    if (id != arm.mode) continue;  // the A/A arm is forecast as the mode it repeats
    const bool placed = arm.walks && harness::available(neighbour);
    const harness::DecodeKey key =
        analysis::decode_key(plan, submission.machine, arm.mode,
                             placed ? std::get<probes::Neighbour>(neighbour).placement : "none");
    for (harness::Forecast& forecast :
         analysis::make_forecasts(submission, models::find_shape(plan.model), key)) {
      forecast.made_ns = session.clock.now_ns() - session.start_ns;
      forecast.made_utc = harness::utc_now();
      submission.forecasts.push_back(std::move(forecast));
    }
  }
}

double estimate_seconds(const Session& session, const Protocol& protocol) {
  const double launches = static_cast<double>(protocol.models.size()) * protocol.launches;
  return probe_seconds(session, protocol) + launches * seconds_per_launch + seconds_roofs_after;
}

void take_protocol(const Session& session, const Protocol& protocol, harness::Submission& submission,
                   const OnStage& on_stage) {
  Stages stages{on_stage, estimate_seconds(session, protocol)};
  const uint64_t seed = run_seed(submission);
  ProbeRequest before;
  before.ids = forecast_probes();
  before.sizes_per_octave = protocol.sizes_per_octave;
  before.samples = protocol.probe_samples;
  before.seed = seed;
  submission.launches.push_back(
      launch_probes(session, before, stages.enter("probes", probe_seconds(session, protocol))));
  for (const std::string& name : protocol.models) {
    submission.plans.push_back(make_plan(session, models::find_shape(name), protocol.arms));
    add_forecasts(session, submission, submission.plans.back());  // fixed before any decode
  }
  for (int round = 0; round < protocol.launches; ++round) {
    for (size_t i = 0; i < submission.plans.size(); ++i) {
      // Odd rounds take the plans in the mirrored order.
      const size_t plan = round % 2 == 0 ? i : submission.plans.size() - 1 - i;
      const std::string stage =
          fmt::format("{}, launch {} of {}", submission.plans[plan].model, round + 1, protocol.launches);
      harness::Launch launch =
          launch_decode(session, submission.plans[plan], seed + 1 + static_cast<uint64_t>(round),
                        stages.enter(stage, seconds_per_launch));
      launch.plan = static_cast<int>(plan);
      launch.round = round;
      submission.launches.push_back(std::move(launch));
    }
  }
  ProbeRequest after = before;
  after.purpose = "roofs_after";
  after.ids = {"load_bandwidth", "dram_stream", "core_clock"};
  after.sizes_bytes = {kib * 16, kib * 256, kib * 1024, kib * 2048,
                       kib * 16384};  // one inside each usual level at least
  submission.launches.push_back(
      launch_probes(session, after, stages.enter("roofs again", seconds_roofs_after)));
}

harness::ExitCode outcome(const harness::Submission& submission) {
  for (const harness::Launch& launch : submission.launches) {
    if (launch.plan && launch.golden_got &&
        *launch.golden_got != submission.plans[static_cast<size_t>(*launch.plan)].golden) {
      return harness::ExitCode::wrong_result;
    }
  }
  return harness::ExitCode::ok;
}

}  // namespace cli
