// The keys of `plans` and `launches`. Part of submission_json.cpp, which alone includes it.
#pragma once
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "harness/submission.hpp"
#include "harness/submission_reader.hpp"
#include "harness/submission_series_fields.hpp"
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

/// The passes of a launch are those of each arm and their mirror: the first half says it all.
template <class Io, Like<Launch> T>
void arm_order_field(Io& io, T& value) {
  if constexpr (Io::writing) {
    std::vector<std::string> order = value.arm_order;
    const bool mirrored = order.size() % 2 == 0 && std::equal(order.begin(), order.end(), order.rbegin());
    if (mirrored) order.resize(order.size() / 2);
    const bool tells = mirrored && std::set<std::string>(order.begin(), order.end()).size() == order.size();
    io.optional("arm_order", tells ? order : value.arm_order);
  } else {
    std::vector<std::string>& order = value.arm_order;
    io.optional("arm_order", order);
    if (std::set<std::string>(order.begin(), order.end()).size() != order.size()) return;
    for (size_t i = order.size(); i > 0; --i) order.push_back(order[i - 1]);
  }
}

template <class Io, Like<Launch> T>
void fields(Io& io, T& value) {
  io("purpose", value.purpose);
  io.optional("plan", value.plan);
  io("round", value.round);
  io("start_ns", value.start_ns);
  io("wall_ns", value.wall_ns);
  arm_order_field(io, value);
  io.defaulted("order_seed", value.order_seed);  // of a submission: restore_repeats
  io.optional("golden_got", value.golden_got);
  io.defaulted("counters", value.counters);
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

/// Leaves out the order seed that the launch before has, too, and the counts of the last launch of the plan.
inline nlohmann::json without_repeats(const std::vector<Launch>& launches) {
  nlohmann::json written = JsonWriter::to_json("launches", launches);
  std::map<int, const CounterValues*> counters;
  for (size_t i = 0; i < launches.size(); ++i) {
    const Launch& launch = launches[i];
    if (i > 0 && launch.order_seed == launches[i - 1].order_seed) written[i].erase("order_seed");
    if (!launch.plan) continue;
    const CounterValues*& last = counters[*launch.plan];
    if (last != nullptr && *last == launch.counters) written[i].erase("counters");
    last = &launch.counters;
  }
  return written;
}

/// Gives every launch that was read what it left out.
inline void restore_repeats(const JsonReader& io, std::vector<Launch>& launches) {
  std::map<int, const CounterValues*> counters;
  for (size_t i = 0; i < launches.size(); ++i) {
    Launch& launch = launches[i];
    const JsonReader launch_json = io.at("launches", i);
    if (!launch_json.has("order_seed")) {
      if (i == 0) JsonReader::refuse(launch_json.place("order_seed"), "a value");
      launch.order_seed = launches[i - 1].order_seed;
    }
    const CounterValues** last = launch.plan ? &counters[*launch.plan] : nullptr;
    if (!launch_json.has("counters")) {
      if (last == nullptr || *last == nullptr) JsonReader::refuse(launch_json.place("counters"), "a value");
      launch.counters = **last;
    }
    if (last != nullptr) *last = &launch.counters;
  }
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

template <class Io, Like<Submission> T>
void launches_field(Io& io, T& value) {
  if constexpr (Io::writing) {
    io.json("launches", without_repeats(value.launches));
  } else {
    io.defaulted("launches", value.launches);
    restore_repeats(io, value.launches);
    name_models(value);
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
