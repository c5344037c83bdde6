#include "harness/cli/protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/derive.hpp"
#include "analysis/eviction.hpp"
#include "analysis/forecast.hpp"
#include "harness/cli/terminal.hpp"
#include "models/decoder.hpp"
#include "models/kernels/select.hpp"
#include "probes/decode.hpp"
#include "probes/neighbour.hpp"
#include "probes/probe.hpp"

namespace cli {
namespace {

/// Seconds that one probe size and one decode launch take, seen on 2-core VMs; only for the estimate shown at
/// the start.
constexpr double seconds_per_probe_size = 0.05, seconds_per_launch = 0.8, seconds_per_stream_launch = 2,
                 seconds_roofs_after = 1;

uint64_t run_seed(const harness::Submission& submission) {
  return std::stoull(submission.nonce.substr(0, 16), nullptr, 16);
}

double probe_seconds(const Session& session, const Protocol& protocol) {
  const harness::Cache* llc = harness::last_level_cache(session.topology);
  const auto sizes =
      probes::working_sets(llc == nullptr ? 0 : static_cast<int64_t>(llc->bytes), protocol.sizes_per_octave);
  return seconds_per_probe_size * 2 * static_cast<double>(sizes.size());
}

/// The other ISAs of a protocol that this binary has and this CPU runs, without the session's own.
std::vector<std::string> isas_beside(const Session& session, const Protocol& protocol) {
  std::vector<std::string> isas;
  for (const models::Kernels* table : models::kernel_tables()) {
    const bool wanted = std::find(protocol.other_isas.begin(), protocol.other_isas.end(), table->isa) !=
                        protocol.other_isas.end();
    if (wanted && table != session.kernels && models::missing_feature(*table, session.features).empty())
      isas.emplace_back(table->isa);
  }
  return isas;
}

/// The plans of one model: all arms, the same on other ISAs, and single positions evicted by a stream as long
/// as the probes in `submission` call for.
std::vector<harness::Plan> plans_of(const Session& session, const Protocol& protocol,
                                    const models::Shape& shape, const harness::Submission& submission) {
  std::vector<harness::Plan> plans{make_plan(session, shape, protocol.arms)};
  for (const std::string& isa : isas_beside(session, protocol)) {
    plans.push_back(plans.front());
    plans.back().isa = isa;
  }
  if (protocol.evict_stream) plans.push_back(make_stream_plan(session, shape, submission));
  return plans;
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

/// Takes one launch of each plan per round; odd rounds take them in the mirrored order.
void take_rounds(const Session& session, const Protocol& protocol, uint64_t seed, Stages& stages,
                 harness::Submission& submission) {
  const size_t plans = submission.plans.size();
  for (int round = 0; round < protocol.launches; ++round) {
    for (size_t i = 0; i < plans; ++i) {
      const size_t index = round % 2 == 0 ? i : plans - 1 - i;
      const harness::Plan& plan = submission.plans[index];
      const std::string stage =
          fmt::format("{} on {}, round {} of {}", plan.model, plan.isa, round + 1, protocol.launches);
      const double seconds = plan.positions.empty() ? seconds_per_launch : seconds_per_stream_launch;
      harness::Launch launch =
          launch_decode(session, plan, seed + 1 + static_cast<uint64_t>(round), stages.enter(stage, seconds));
      launch.plan = static_cast<int>(index);
      launch.round = round;
      submission.launches.push_back(std::move(launch));
    }
  }
}

}  // namespace

Protocol quick_protocol() {
  return {"quick", 2, 5, {"coreflow_1_9m"}, {"warm", "aa", "evict_flush", "evict_read"}, 5};
}

Protocol default_protocol() {
  Protocol protocol = quick_protocol();
  protocol.name = "default";
  protocol.sizes_per_octave = 4;
  protocol.probes.emplace_back("eviction");
  protocol.launches = 10;
  protocol.other_isas = {"avx2_rowmajor"};
  protocol.evict_stream = true;
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
  plan.warmup_tokens = std::min(plan.warmup_tokens, shape.context);
  plan.arms = arms;
  plan.samples_per_arm = probes::samples_per_arm(plan);
  return plan;
}

harness::Plan make_stream_plan(const Session& session, const models::Shape& shape,
                               const harness::Submission& submission) {
  harness::Plan plan = make_plan(session, shape, {"warm", "aa", "evict_stream"});
  probes::time_single_positions(plan);
  const auto cold = analysis::cold_bytes(submission);
  if (harness::available(cold)) plan.evict_stream_bytes = std::get<int64_t>(cold);
  return plan;
}

void add_forecasts(const Session& session, harness::Submission& submission, const harness::Plan& plan) {
  const auto neighbour = probes::neighbour_at(session.topology, session.pu, plan.placement);
  for (const std::string& id : plan.arms) {
    const probes::Arm& arm = probes::find_arm(id);
    if (id != arm.mode) continue;  // the A/A arm is forecast as the mode it repeats
    const bool placed = probes::is_concurrent(arm) && harness::available(neighbour);
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
  double round_s = static_cast<double>(1 + isas_beside(session, protocol).size()) * seconds_per_launch;
  if (protocol.evict_stream) round_s += seconds_per_stream_launch;
  return probe_seconds(session, protocol) +
         static_cast<double>(protocol.models.size()) * protocol.launches * round_s + seconds_roofs_after;
}

void take_protocol(const Session& session, const Protocol& protocol, harness::Submission& submission,
                   const OnStage& on_stage) {
  Stages stages{on_stage, estimate_seconds(session, protocol)};
  const uint64_t seed = run_seed(submission);
  ProbeRequest before;
  before.ids = protocol.probes;
  before.sizes_per_octave = protocol.sizes_per_octave;
  before.samples = protocol.probe_samples;
  before.seed = seed;
  submission.launches.push_back(
      launch_probes(session, before, stages.enter("probes", probe_seconds(session, protocol))));
  for (const std::string& name : protocol.models) {
    for (harness::Plan& plan : plans_of(session, protocol, models::find_shape(name), submission)) {
      plan.launches = protocol.launches;
      add_forecasts(session, submission, plan);  // fixed before any decode
      submission.plans.push_back(std::move(plan));
    }
  }
  take_rounds(session, protocol, seed, stages, submission);
  ProbeRequest after = before;
  after.purpose = "roofs_after";
  after.ids = {"load_bandwidth", "dram_stream", "core_clock"};
  after.sizes_bytes = {kib * 16, kib * 256, kib * 1024, kib * 2048,
                       kib * 16384};  // one inside each usual level at least
  submission.launches.push_back(
      launch_probes(session, after, stages.enter("roofs again", seconds_roofs_after)));
}

harness::ExitCode outcome(const harness::Submission& submission) {
  // A model without a committed digest is held to its own first launch: all launches must agree.
  std::map<std::string, std::string> first;
  for (const harness::Launch& launch : submission.launches) {
    if (!launch.plan || !launch.golden_got) continue;
    const harness::Plan& plan = submission.plans[static_cast<size_t>(*launch.plan)];
    const std::string key =
        fmt::format("{} {} {} {}", plan.model, plan.weights, plan.weights_seed, plan.arithmetic);
    const std::string& expected =
        plan.golden.empty() ? first.try_emplace(key, *launch.golden_got).first->second : plan.golden;
    if (*launch.golden_got != expected) return harness::ExitCode::wrong_result;
  }
  for (const auto& [key, digest] : first) {
    note(fmt::format("{} has no committed logits: its launches were compared with each other alone",
                     key.substr(0, key.find(' '))));
  }
  return harness::ExitCode::ok;
}

}  // namespace cli
