#include "probes/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "harness/counters.hpp"
#include "harness/cpu_features.hpp"
#include "harness/error.hpp"
#include "models/decoder.hpp"
#include "models/kernels/select.hpp"
#include "models/shape.hpp"
#include "models/weights.hpp"
#include "probes/antagonist_work.hpp"
#include "probes/decode_conditions.hpp"
#include "probes/decode_pass.hpp"
#include "probes/decode_placement.hpp"
#include "probes/decode_routing.hpp"
#include "probes/decode_verification.hpp"
#include "probes/evidence.hpp"
#include "probes/memory_budget.hpp"
#include "probes/order.hpp"
#include "probes/working_sets.hpp"

namespace probes {
namespace {

constexpr uint64_t prompt_seed = 2;  // not the golden pass's: one does not warm the other's path

harness::Series make_series(const harness::Plan& plan, const Arm& arm) {
  harness::Series series;
  series.probe = "decode";
  series.model = plan.model;
  series.arm = arm.id;
  series.mode = arm.mode;
  series.placement = "none";
  return series;
}

/// Adds the counters of one pass to those of the launch. What one pass lacks, the launch lacks.
void add_counters(harness::CounterValues& total, const harness::CounterValues& pass) {
  for (const auto& [event, value] : pass) {
    const auto [found, is_new] = total.try_emplace(event, value);
    if (is_new || !harness::available(found->second)) continue;
    if (harness::available(value)) {
      found->second = std::get<int64_t>(found->second) + std::get<int64_t>(value);
    } else {
      found->second = value;
    }
  }
}

void add_pass(harness::Series& series, const PassResult& pass) {
  const int first = static_cast<int>(series.samples.size());
  for (const auto& [reason, blocks] : pass.disturbed) {
    for (const int block : blocks) series.disturbed[reason].push_back(first + block);
  }
  series.samples.insert(series.samples.end(), pass.block_ns.begin(), pass.block_ns.end());
  add_totals(series.totals, pass.totals);
}

/// The range of the core's clock stands only where it explains a mark, or what a spinning thread costs: an
/// arm per launch repeats it often.
void leave_out_quiet_clocks(harness::Launch& launch) {
  const auto& arms = launch.arm_order;
  const bool spins = std::find(arms.begin(), arms.end(), "spin") != arms.end();
  for (harness::Series& series : launch.series) {
    if (spins && (series.arm == "warm" || series.arm == "spin")) continue;
    if (series.disturbed.count("clock_drift") == 0)
      series.totals.core_clock_low_hz = series.totals.core_clock_high_hz = 0;
  }
}

void fail_all(harness::Launch& launch, const std::string& reason) {
  for (harness::Series& series : launch.series) {
    series.status = harness::Status::failed;
    series.reason = reason;
  }
}

/// Adds how much of its PU the worst served thread beside the caller had, the least of all passes, and how
/// often threads gave up spinning at a barrier, in all of them.
void add_team(harness::Series& series, double least_ratio, int64_t yields) {
  auto& all_yields = series.params.try_emplace("team_yields", int64_t{0}).first->second;
  all_yields = std::get<int64_t>(all_yields) + yields;
  auto& least = series.params.try_emplace("least_thread_cpu_ratio", least_ratio).first->second;
  least = std::min(std::get<double>(least), least_ratio);
}

void add_waiting(double ratio, harness::Launch& launch) {
  for (harness::Series& series : launch.series) {
    if (series.arm == "warm" && series.status == harness::Status::ok) series.params["waiting_ratio"] = ratio;
  }
}

/// Tries out what each arm needs and returns those that can run.
std::vector<std::string> prepare_arms(DecodePlacement& placement, const models::Decoder& decoder,
                                      DecodeConditions& conditions, harness::Launch& launch) {
  const std::string missing_pages = placement.look_at_pages(decoder);
  std::vector<std::string> runnable;
  for (harness::Series& series : launch.series) {
    const Arm& arm = find_arm(series.arm);
    const Obstacle obstacle = missing_pages.empty() ? conditions.prepare(arm)
                                                    : Obstacle{harness::Status::unavailable, missing_pages};
    series.placement = conditions.placement(arm);
    series.params = conditions.params(arm);
    series.status = obstacle.status;
    series.reason = obstacle.reason;
    series.params.merge(placement.params());
    if (obstacle.status == harness::Status::ok) runnable.push_back(series.arm);
  }
  return runnable;
}

/// Runs the passes of `launch.arm_order` into the series of their arms.
void run_passes(const PassSetup& setup, const DecodeContext& context, DecodeConditions& conditions,
                DecodePlacement& placement, harness::Launch& launch) {
  harness::Counters counters;
  std::map<std::string, harness::Series*> series_of;
  std::map<std::string, Work> work_of;
  for (harness::Series& series : launch.series) series_of[series.arm] = &series;
  std::optional<uint64_t> tokens_digest;
  for (size_t i = 0; i < launch.arm_order.size(); ++i) {
    const Arm& arm = find_arm(launch.arm_order[i]);
    harness::Series& series = *series_of.at(arm.id);
    conditions.add_handover(arm, series);
    auto antagonist = conditions.antagonist(arm);
    const auto evict = conditions.evictor(arm);
    verify_eviction(setup, evict, conditions.check(arm), counters);
    const Toll before = antagonist ? antagonist->toll() : Toll{};
    const int64_t start_ns = context.clock.now_ns();
    placement.watch(setup.clock.now_ns());
    const PassResult pass = run_pass(setup, evict, counters);
    if (setup.plan.threads > 1)
      add_team(series, placement.least_cpu_ratio(setup.clock.now_ns()), placement.yields());
    add_pass(series, pass);
    if (antagonist) {
      add_work(work_of[arm.id], before, antagonist->toll(), context.clock.now_ns() - start_ns);
      store_work(series, work_of[arm.id]);  // warm-up and prefill included
      antagonist.reset();
      conditions.add_handover(arm, series);
    }
    verify_eviction(setup, evict, conditions.check(arm), counters);
    add_counters(launch.counters, pass.counters);
    if (tokens_digest.value_or(pass.tokens_digest) != pass.tokens_digest) {
      fail_all(launch, fmt::format("pass {} ({}) {}", i, arm.id, other_tokens));
      return;
    }
    if (!conditions.streams_were_right()) {
      fail_all(launch, fmt::format("pass {} ({}): what was streamed is not what was written", i, arm.id));
      return;
    }
    tokens_digest = pass.tokens_digest;
    if (context.progress)
      context.progress(static_cast<double>(i + 1) / static_cast<double>(launch.arm_order.size()));
  }
  for (auto& [id, series] : series_of) {
    const EvictionCheck* check = conditions.check(find_arm(id));
    if (check != nullptr && series->status == harness::Status::ok) add_evidence(*series, *check);
  }
}

[[noreturn]] void refuse(const std::string& why) {
  throw harness::Error(harness::ExitCode::usage, why);
}

/// A list names positions of its range, ascending, from the first to the last of it.
void check_positions(const harness::Plan& plan) {
  const std::vector<int>& list = plan.positions;
  if (list.empty()) return;
  const bool ascending = std::is_sorted(list.begin(), list.end(), std::less_equal<>());
  if (ascending && list.front() == plan.position_first && list.back() == plan.position_last) return;
  refuse(
      fmt::format("the list of positions must rise from {} to {}", plan.position_first, plan.position_last));
}

const models::Shape& shape_of(const harness::Plan& plan, const models::I8Model* file) {
  return file == nullptr ? models::find_shape(plan.model) : file->shape;
}

}  // namespace

void check_plan(const harness::Plan& plan, const models::I8Model* file, const std::string& routing_file) {
  const models::Shape& shape = shape_of(plan, file);
  models::select_kernels(models::kernel_tables(), harness::read_cpu_features(), plan.isa);
  for (const std::string& arm : plan.arms) {
    find_arm(arm);
    if (std::count(plan.arms.begin(), plan.arms.end(), arm) > 1)
      refuse(fmt::format("mode {} stands twice", arm));
  }
  if (plan.arms.empty()) refuse("a plan needs at least one arm");
  if (plan.position_first < 0 || plan.position_last < plan.position_first ||
      plan.position_last >= shape.context) {
    refuse(fmt::format("positions {}:{}: give first ≤ last within 0:{}, the context of {}",
                       plan.position_first, plan.position_last, shape.context - 1, shape.name));
  }
  if (plan.warmup_tokens < 0 || plan.warmup_tokens > shape.context) {
    refuse(fmt::format("warmup_tokens {}: give 0 to {}, the context of {}", plan.warmup_tokens, shape.context,
                       shape.name));
  }
  if (plan.block_tokens < 1) refuse(fmt::format("block_tokens {}: give at least 1", plan.block_tokens));
  check_positions(plan);
  check_placement(plan.placement);
  if (plan.evict_stream_bytes < 0 || plan.evict_stream_bytes > max_buffer_bytes ||
      plan.evict_stream_bytes % size_quantum_bytes != 0) {
    refuse(fmt::format("evict_stream_bytes {}: give a multiple of {} up to {}", plan.evict_stream_bytes,
                       size_quantum_bytes, max_buffer_bytes));
  }
  if (plan.weights != (file == nullptr ? "synthetic" : file->sha256)) {
    refuse(fmt::format("the plan asks for weights {}, which are not there", plan.weights));
  }
  models::find_arithmetic(plan.arithmetic);
  check_team_and_pages(plan);
  make_plan_trace(plan, shape, routing_file);
}

harness::Launch run_decode_launch(const harness::Plan& plan, const DecodeContext& context) {
  check_plan(plan, context.file, context.routing_file);
  const int64_t start_ns = context.clock.now_ns();
  const models::Shape& shape = shape_of(plan, context.file);
  const models::Kernels& kernels =
      models::select_kernels(models::kernel_tables(), harness::read_cpu_features(), plan.isa);
  DecodePlacement placement(plan, context.topology, context.pu, context.clock);
  models::Decoder decoder(shape,
                          context.file == nullptr ? models::synthetic_source(plan.weights_seed)
                                                  : models::source_of(context.file->weights),
                          kernels, placement.setup());
  if (decoder.isa() != plan.isa)
    throw harness::Error(harness::ExitCode::internal,
                         fmt::format("asked for ISA {}, {} runs", plan.isa, decoder.isa()));

  harness::Launch launch;
  launch.purpose = "decode";
  launch.order_seed = recordable_seed(context.order_seed);
  DecodeConditions conditions(plan, decoder, context.topology, context.clock, placement.pus());
  for (const std::string& id : plan.arms) launch.series.push_back(make_series(plan, find_arm(id)));
  launch.golden_got = models::golden_digest(decoder, shape);
  if (!plan.golden.empty() && *launch.golden_got != plan.golden) {
    fail_all(launch, fmt::format("wrong logits: the golden pass gave {}, expected {}", *launch.golden_got,
                                 plan.golden));
    launch.wall_ns = context.clock.now_ns() - start_ns;
    return launch;
  }

  const std::optional<models::RoutingTrace> trace = make_plan_trace(plan, shape, context.routing_file);
  if (trace) decoder.route(&*trace);
  launch.arm_order = arm_order(prepare_arms(placement, decoder, conditions, launch), context.order_seed);
  const auto prompt = models::seeded_tokens(shape, prompt_seed, std::max(plan.position_first, 1));
  run_passes({decoder, plan, context.clock, prompt}, context, conditions, placement, launch);
  leave_out_quiet_clocks(launch);
  if (plan.threads > 1) add_waiting(waiting_ratio(decoder, shape), launch);
  launch.wall_ns = context.clock.now_ns() - start_ns;
  return launch;
}

}  // namespace probes
