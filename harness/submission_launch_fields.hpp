// The keys of `plans` and `launches`. Part of submission_json.cpp, which alone includes it.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "harness/submission.hpp"
#include "harness/submission_reader.hpp"
#include "harness/submission_writer.hpp"

namespace harness {

template <class Io, Like<Plan> T>
void fields(Io& io, T& value) {
  io("model", value.model);
  io("isa", value.isa);
  io("arithmetic", value.arithmetic);
  io("weights", value.weights);
  io("weights_seed", value.weights_seed);
  io("routing", value.routing);
  io("page_bytes", value.page_bytes);
  io("threads", value.threads);
  io("position_first", value.position_first);
  io("position_last", value.position_last);
  io.optional("positions", value.positions);
  io.unless_zero("evict_stream_bytes", value.evict_stream_bytes);
  io("warmup_tokens", value.warmup_tokens);
  io("block_tokens", value.block_tokens);
  io("launches", value.launches);
  io("samples_per_arm", value.samples_per_arm);
  io.optional("golden", value.golden);
  io("weight_bytes_per_token", value.weight_bytes_per_token);
  io("kernel_version", value.kernel_version);
  io("arms", value.arms);
  io.optional("placement", value.placement);
}

template <class Io, Like<Totals> T>
void fields(Io& io, T& value) {
  io("wall_ns", value.wall_ns);
  io("cpu_ns", value.cpu_ns);
  io.unless_zero("steal_ns", value.steal_ns);
  io.unless_zero("involuntary_switches", value.involuntary_switches);
  io.unless_zero("minor_faults", value.minor_faults);
  io.unless_zero("major_faults", value.major_faults);
  io.unless_zero("core_clock_low_hz", value.core_clock_low_hz);
  io.unless_zero("core_clock_high_hz", value.core_clock_high_hz);
}

constexpr std::array<std::string_view, 3> status_names{"ok", "unavailable", "failed"};

template <class Io, Like<Series> T>
void status_field(Io& io, T& value) {
  if constexpr (Io::writing) {
    io("status", std::string(status_names[static_cast<size_t>(value.status)]));
  } else {
    std::string name;
    io("status", name);
    size_t i = 0;
    while (i < status_names.size() && status_names[i] != name) ++i;
    if (i == status_names.size()) Io::refuse(io.place("status"), "ok, unavailable or failed");
    value.status = static_cast<Status>(i);
  }
}

/// An arm that is named after its mode does not say it twice.
template <class Io, Like<Series> T>
void mode_field(Io& io, T& value) {
  if constexpr (Io::writing) {
    if (value.mode != value.arm) io.optional("mode", value.mode);
  } else {
    io.optional("mode", value.mode);
    if (value.mode.empty()) value.mode = value.arm;
  }
}

template <class Io, Like<Series> T>
void fields(Io& io, T& value) {
  io.unless("probe", value.probe, "decode");
  io.optional("model", value.model);
  io.optional("arm", value.arm);
  mode_field(io, value);
  io.unless("placement", value.placement, "none");
  status_field(io, value);
  io.optional("reason", value.reason);
  io.optional("params", value.params);
  io.optional("sizes_bytes", value.sizes_bytes);
  io.optional("work_per_sample", value.work_per_sample);
  io.optional("work_unit", value.work_unit);
  // One key holds either shape: a list per size for a curve, a plain list otherwise.
  if (value.sizes_bytes.empty()) {
    io.optional("samples", value.samples);
  } else {
    io.optional("samples", value.samples_by_size);
  }
  io.optional("disturbed", value.disturbed);
  io("totals", value.totals);
}

template <class Io, Like<Launch> T>
void fields(Io& io, T& value) {
  io("purpose", value.purpose);
  io.optional("plan", value.plan);
  io("round", value.round);
  io("start_ns", value.start_ns);
  io("wall_ns", value.wall_ns);
  io.optional("arm_order", value.arm_order);
  io("order_seed", value.order_seed);
  io.optional("golden_got", value.golden_got);
  io("counters", value.counters);
  if constexpr (Io::writing) {
    if (value.plan) {  // which names the model for all of them
      std::vector<Series> series = value.series;
      for (Series& each : series) each.model.clear();
      io("series", series);
      return;
    }
  }
  io("series", value.series);
}

/// Gives the arms of each launch the model that its plan names for them.
inline void name_models(Submission& submission) {
  for (Launch& launch : submission.launches) {
    if (!launch.plan || *launch.plan < 0 || static_cast<size_t>(*launch.plan) >= submission.plans.size())
      continue;
    for (Series& series : launch.series) {
      if (!series.arm.empty() && series.model.empty())
        series.model = submission.plans[static_cast<size_t>(*launch.plan)].model;
    }
  }
}

template <class Io, Like<Interruption> T>
void fields(Io& io, T& value) {
  io("before_launch", value.before_launch);
  io("cause", value.cause);
  io("paused_ns", value.paused_ns);
  io("resumed_ns", value.resumed_ns);
}

}  // namespace harness
