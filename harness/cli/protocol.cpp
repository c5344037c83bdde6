#include "harness/cli/protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/derive.hpp"
#include "analysis/eviction.hpp"
#include "analysis/forecast.hpp"
#include "harness/cli/decode_memory.hpp"
#include "harness/cli/terminal.hpp"
#include "models/decoder.hpp"
#include "models/fidelity.hpp"
#include "models/kernels/select.hpp"
#include "probes/decode.hpp"
#include "probes/neighbour.hpp"
#include "probes/probe.hpp"

namespace cli {
namespace {

// Seen on a 2-core Zen 5 VM with neighbours; only for the estimate shown at the start.
constexpr double seconds_per_probe_size = 0.05, seconds_per_eviction_probe = 2, seconds_per_round_probe = 0.5,
                 seconds_per_reference_mac = 3e-9, seconds_per_launch = 0.1, seconds_per_token = 10e-6,
                 seconds_per_weight_byte = 4e-9, decode_bytes_per_s = 25e9, evict_bytes_per_s = 30e9,
                 usual_stream_bytes = 256 << 20, golden_tokens = 128;

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

/// Makes the plan that compares `evict_stream` with `warm` at the same single positions of a plan's range. It
/// streams one size more than what the eviction probe in `submission` found cold.
harness::Plan make_stream_plan(harness::Plan plan, const harness::Submission& submission) {
  plan.arms = {"warm", "aa", "evict_stream"};
  probes::time_single_positions(plan);
  const auto bytes = analysis::bytes_to_stream(submission);
  if (harness::available(bytes)) plan.evict_stream_bytes = std::get<int64_t>(bytes);
  return plan;
}

}  // namespace

std::vector<std::string> measured_isas(const Session& session, const Protocol& protocol) {
  std::vector<std::string> isas = isas_beside(session, protocol);
  isas.insert(isas.begin(), session.kernels->isa);
  return isas;
}

Protocol quick_protocol() {
  return {"quick", 2, 5, {"coreflow_1_9m"}, {"warm", "aa", "evict_flush", "evict_read"}, 5};
}

Protocol default_protocol() {
  Protocol protocol = quick_protocol();
  protocol.name = "default";
  protocol.sizes_per_octave = 4;
  protocol.probes.insert(protocol.probes.end(), {"residency", "eviction"});
  protocol.launches = 10;
  protocol.other_isas = {"avx2_rowmajor"};
  protocol.evict_stream = true;
  return protocol;
}

Protocol full_protocol() {
  Protocol protocol = default_protocol();
  protocol.name = "full";
  protocol.models.clear();
  for (const models::Shape& shape : models::shapes()) protocol.models.push_back(shape.name);
  // Every mode; evict_stream has plans of its own.
  protocol.arms = {"warm", "aa",     "evict_flush", "evict_read", "evict_write",
                   "spin", "own_l1", "stream_llc",  "stream_dram"};
  protocol.other_isas.clear();
  // Company shows what the neighbours share: barriers tell whether that stays.
  protocol.probes.insert(protocol.probes.end(), {"interference", "barrier"});
  protocol.expert_routings = {"uniform", "sticky:0.45"};
  return protocol;
}

std::vector<std::string> forecast_probes() {
  return {"core_clock", "load_latency", "load_bandwidth", "dram_stream", "kernel_rates"};
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

std::vector<harness::Plan> make_plans(const Session& session, const Protocol& protocol,
                                      const harness::Submission& submission) {
  if (protocol.name == "claim") return protocol.plans;
  const std::vector<std::string> isas = isas_beside(session, protocol);
  std::vector<harness::Plan> plans;
  for (const std::string& name : protocol.models) {
    const models::Shape& shape = models::find_shape(name);
    const bool routed = shape.experts.count > 0;
    for (const std::string& routing : routed ? protocol.expert_routings : std::vector<std::string>{"none"}) {
      harness::Plan plan = make_plan(session, shape, protocol.arms);
      plan.launches = protocol.launches;
      plan.routing = routing;
      plans.push_back(plan);
      for (const std::string& isa : isas) {
        plans.push_back(plan);
        plans.back().isa = isa;
      }
      if (protocol.evict_stream) plans.push_back(make_stream_plan(plan, submission));
    }
  }
  return plans;
}

void add_forecasts(const Session& session, harness::Submission& submission, const harness::Plan& plan) {
  const harness::ModelError error = analysis::error_on(session.learnt, plan.model);
  const auto neighbour = probes::neighbour_at(session.topology, session.pu, plan.placement);
  for (const std::string& id : plan.arms) {
    const probes::Arm& arm = probes::find_arm(id);
    if (id != arm.mode) continue;  // the A/A arm is forecast as the mode it repeats
    if (probes::is_control(arm)) continue;
    const bool placed = probes::is_concurrent(arm) && harness::available(neighbour);
    const harness::DecodeKey key =
        analysis::decode_key(plan, submission.machine, arm.mode,
                             placed ? std::get<probes::Neighbour>(neighbour).placement : "none");
    for (harness::Forecast& forecast :
         analysis::make_forecasts(submission, models::find_shape(plan.model), key, error)) {
      forecast.made_ns = session.clock.now_ns() - session.start_ns;
      forecast.made_utc = harness::utc_now();
      submission.forecasts.push_back(std::move(forecast));
    }
  }
}

double probe_seconds(const Session& session, const Protocol& protocol) {
  const harness::Cache* llc = harness::last_level_cache(session.topology);
  const auto sizes =
      probes::working_sets(llc == nullptr ? 0 : static_cast<int64_t>(llc->bytes), protocol.sizes_per_octave);
  const bool evicts =
      std::find(protocol.probes.begin(), protocol.probes.end(), "eviction") != protocol.probes.end();
  return seconds_per_probe_size * 2 * static_cast<double>(sizes.size()) +
         (evicts ? seconds_per_eviction_probe : 0);
}

double launch_seconds(const harness::Plan& plan) {
  const models::Cost cost = models::cost(models::find_shape(plan.model));
  const auto timed = static_cast<double>(probes::timed_positions(plan));
  const double decoded = plan.warmup_tokens + plan.position_last + 1;
  const auto weight_bytes = static_cast<double>(cost.weight_bytes);
  const double token_s =
      seconds_per_token + static_cast<double>(cost.weight_bytes_per_token) / decode_bytes_per_s;
  double seconds = seconds_per_launch + weight_bytes * seconds_per_weight_byte + golden_tokens * token_s;
  for (const std::string& arm : plan.arms) {
    const double evicted_bytes = arm == "evict_flush"          ? weight_bytes
                                 : arm != "evict_stream"       ? 0
                                 : plan.evict_stream_bytes > 0 ? static_cast<double>(plan.evict_stream_bytes)
                                                               : usual_stream_bytes;
    seconds += 2 * (decoded * token_s + (plan.warmup_tokens + timed) * evicted_bytes / evict_bytes_per_s);
  }
  return seconds;
}

double extras_seconds(const Protocol& protocol) {
  double seconds = 0;
  if (!protocol.round_probes.empty())
    seconds += 2 * (seconds_per_launch +
                    seconds_per_round_probe * static_cast<double>(protocol.round_probes.size()));
  for (const std::string& model : protocol.fidelity_models) {
    // The reference multiplies in double precision, one weight at a time.
    const models::Shape& shape = models::find_shape(model);
    seconds += seconds_per_reference_mac * static_cast<double>(models::cost(shape).macs_per_token) *
               models::min_fidelity_tokens(shape);
  }
  return seconds;
}

double estimate_seconds(const Session& session, const Protocol& protocol) {
  double seconds = protocol.launches * extras_seconds(protocol);
  if (!protocol.probes.empty()) seconds += probe_seconds(session, protocol) + seconds_roofs_again;
  for (const harness::Plan& plan : make_plans(session, protocol, {}))
    seconds += plan.launches * launch_seconds(plan);
  return seconds;
}

double done_seconds(const Session& session, const Protocol& protocol, const harness::Submission& submission) {
  double seconds = 0;
  for (const harness::Launch& launch : submission.launches) {
    if (launch.purpose == "probes") seconds += probe_seconds(session, protocol);
    if (launch.plan) seconds += launch_seconds(submission.plans[static_cast<size_t>(*launch.plan)]);
  }
  return seconds;
}

int64_t largest_decode_bytes(const Protocol& protocol) {
  int64_t largest = 0;
  for (const std::string& name : protocol.models)
    largest = std::max(largest, decode_bytes(models::find_shape(name)));
  return largest;
}

harness::ExitCode outcome(const harness::Submission& submission) {
  // A model without a committed digest is held to its own first launch: all launches must agree.
  std::map<std::string, std::string> first;
  for (const harness::Launch& launch : submission.launches) {
    if (!launch.plan) continue;
    for (const harness::Series& series : launch.series) {
      if (series.reason.find(probes::other_tokens) != std::string::npos)
        return harness::ExitCode::wrong_result;
    }
    if (!launch.golden_got) continue;
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
