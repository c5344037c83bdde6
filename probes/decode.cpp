#include "probes/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "harness/buffer.hpp"
#include "harness/counters.hpp"
#include "harness/cpu_features.hpp"
#include "harness/error.hpp"
#include "models/decoder.hpp"
#include "models/kernels/select.hpp"
#include "models/shape.hpp"
#include "models/weights.hpp"
#include "probes/decode_pass.hpp"
#include "probes/memory_walk.hpp"
#include "probes/order.hpp"

namespace probes {
namespace {

constexpr uint64_t prompt_seed = 2;  // not the golden pass's: one does not warm the other's path

/// What the arms of this launch need beside the decoder.
struct Antagonist {
  std::optional<harness::Buffer> memory;
  Neighbour neighbour;
};

int64_t flushed_bytes(const models::Decoder& decoder) {
  int64_t bytes = 0;
  for (const auto region : decoder.weight_regions()) bytes += static_cast<int64_t>(region.size());
  return bytes;
}

/// Tries out once what an arm needs; returns why it cannot run here, or "".
std::string reason_against(const Arm& arm, const models::Decoder& decoder, const DecodeContext& context,
                           Antagonist& antagonist) {
  if (arm.flushes) {
    const auto region = decoder.weight_regions().front();
    if (!harness::flush_from_caches(region.data(), 1)) return "this CPU has no user-space cache flush";
  }
  if (arm.walks) {
    const auto neighbour = nearest_neighbour(context.topology, context.pu);
    if (!harness::available(neighbour)) return std::get<harness::Unavailable>(neighbour).reason;
    antagonist.neighbour = std::get<Neighbour>(neighbour);
    try {
      antagonist.memory.emplace(static_cast<size_t>(memory_walk_bytes), harness::Pages::huge);
      const MemoryWalk walk(context.topology, antagonist.neighbour.pu, *antagonist.memory);
    } catch (const harness::Error& error) {
      if (error.code() != harness::ExitCode::unavailable) throw;
      return error.what();
    }
  }
  return "";
}

harness::Series make_series(const harness::Plan& plan, const Arm& arm, const models::Decoder& decoder) {
  harness::Series series;
  series.probe = "decode";
  series.model = plan.model;
  series.arm = arm.id;
  series.mode = arm.mode;
  series.placement = "none";
  if (arm.flushes) series.params["flush_bytes"] = flushed_bytes(decoder);
  if (arm.walks) series.params["antagonist_bytes"] = memory_walk_bytes;
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
  series.totals.wall_ns += pass.totals.wall_ns;
  series.totals.cpu_ns += pass.totals.cpu_ns;
  series.totals.steal_ns += pass.totals.steal_ns;
  series.totals.involuntary_switches += pass.totals.involuntary_switches;
  series.totals.minor_faults += pass.totals.minor_faults;
  series.totals.major_faults += pass.totals.major_faults;
}

void fail_all(harness::Launch& launch, const std::string& reason) {
  for (harness::Series& series : launch.series) {
    series.status = harness::Status::failed;
    series.reason = reason;
  }
}

PassResult run_arm_pass(const Arm& arm, const PassSetup& setup, const DecodeContext& context,
                        const Antagonist& antagonist, harness::Counters& counters) {
  std::unique_ptr<MemoryWalk> walk;
  if (arm.walks)
    walk = std::make_unique<MemoryWalk>(context.topology, antagonist.neighbour.pu, *antagonist.memory);
  return run_pass(setup, arm.flushes, counters);
}

/// Runs the passes of `launch.arm_order` into the series of their arms.
void run_passes(const PassSetup& setup, const DecodeContext& context, const Antagonist& antagonist,
                harness::Launch& launch) {
  harness::Counters counters;
  std::map<std::string, harness::Series*> series_of;
  for (harness::Series& series : launch.series) series_of[series.arm] = &series;
  std::optional<uint64_t> tokens_digest;
  for (size_t i = 0; i < launch.arm_order.size(); ++i) {
    const Arm& arm = find_arm(launch.arm_order[i]);
    const PassResult pass = run_arm_pass(arm, setup, context, antagonist, counters);
    add_pass(*series_of.at(arm.id), pass);
    add_counters(launch.counters, pass.counters);
    if (tokens_digest.value_or(pass.tokens_digest) != pass.tokens_digest) {
      fail_all(launch, fmt::format("pass {} ({}) decoded other tokens than the first", i, arm.id));
      return;
    }
    tokens_digest = pass.tokens_digest;
    if (context.progress)
      context.progress(static_cast<double>(i + 1) / static_cast<double>(launch.arm_order.size()));
  }
}

[[noreturn]] void refuse(const std::string& why) {
  throw harness::Error(harness::ExitCode::usage, why);
}

const models::Shape& shape_of(const harness::Plan& plan, const models::I8Model* file) {
  return file == nullptr ? models::find_shape(plan.model) : file->shape;
}

/// Rows wider than this are multiplied in float by the published runtime, which this version cannot.
constexpr int widest_int8_row = 512;

void check_widths(const models::Shape& shape) {
  const int widest = std::max({shape.d, shape.ff, shape.heads * shape.head_dim});
  if (widest <= widest_int8_row) return;
  throw harness::Error(
      harness::ExitCode::unavailable,
      fmt::format("rows of {} columns cannot be decoded: above {} they need float arithmetic, which "
                  "this version does not have",
                  widest, widest_int8_row));
}

}  // namespace

void check_plan(const harness::Plan& plan, const models::I8Model* file) {
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
  if (!plan.positions.empty()) refuse("single positions cannot be timed yet: give a range");
  if (plan.weights != (file == nullptr ? "synthetic" : file->sha256)) {
    refuse(fmt::format("the plan asks for weights {}, which are not there", plan.weights));
  }
  check_widths(shape);
  if (plan.arithmetic != "int8" || plan.routing != "none" || plan.threads != 1) {
    refuse(
        fmt::format("only int8 arithmetic, routing none and one thread can be decoded yet, not {}, {} and {}",
                    plan.arithmetic, plan.routing, plan.threads));
  }
}

harness::Launch run_decode_launch(const harness::Plan& plan, const DecodeContext& context) {
  check_plan(plan, context.file);
  const int64_t start_ns = context.clock.now_ns();
  const models::Shape& shape = shape_of(plan, context.file);
  const models::Kernels& kernels =
      models::select_kernels(models::kernel_tables(), harness::read_cpu_features(), plan.isa);
  models::Decoder decoder(
      shape,
      context.file == nullptr ? models::synthetic_weights(shape, plan.weights_seed) : context.file->weights,
      kernels);

  harness::Launch launch;
  launch.purpose = "decode";
  launch.order_seed = recordable_seed(context.order_seed);
  for (const std::string& id : plan.arms) launch.series.push_back(make_series(plan, find_arm(id), decoder));
  launch.golden_got = models::golden_digest(decoder, shape);
  if (!plan.golden.empty() && *launch.golden_got != plan.golden) {
    fail_all(launch, fmt::format("wrong logits: the golden pass gave {}, expected {}", *launch.golden_got,
                                 plan.golden));
    launch.wall_ns = context.clock.now_ns() - start_ns;
    return launch;
  }

  Antagonist antagonist;
  std::vector<std::string> runnable;
  for (harness::Series& series : launch.series) {
    const Arm& arm = find_arm(series.arm);
    series.reason = reason_against(arm, decoder, context, antagonist);
    if (arm.walks && antagonist.neighbour.pu >= 0) series.placement = antagonist.neighbour.placement;
    if (series.reason.empty()) {
      runnable.push_back(series.arm);
    } else {
      series.status = harness::Status::unavailable;
    }
  }
  launch.arm_order = arm_order(runnable, context.order_seed);
  const auto prompt = models::seeded_tokens(shape, prompt_seed, std::max(plan.position_first, 1));
  run_passes({decoder, plan, context.clock, prompt}, context, antagonist, launch);
  launch.wall_ns = context.clock.now_ns() - start_ns;
  return launch;
}

}  // namespace probes
