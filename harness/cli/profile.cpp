#include "harness/cli/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "models/tensors.hpp"

namespace cli {
namespace {

using models::Op;

constexpr std::array<Op, models::op_count> ops{Op::gemv, Op::router, Op::experts, Op::attention,
                                               Op::head, Op::rest,   Op::waiting};
constexpr std::array<const char*, models::op_count> op_names{"gemv",   "attention", "head",   "rest",
                                                             "router", "experts",   "waiting"};
constexpr double cliff_ratio = 0.10;

const char* name_of(Op op) {
  return op_names[static_cast<size_t>(op)];
}

double ns_of(const probes::RangeProfile& range, Op op) {
  return range.op_ns[static_cast<size_t>(op)];
}

std::optional<double> bound_ns(const Profile& profile, Op op, const probes::RangeProfile& range) {
  const std::optional<double> bytes = bound_bytes(profile.shape, op, range);
  if (!bytes || profile.read_bytes_per_s <= 0) return std::nullopt;
  return *bytes / profile.read_bytes_per_s * 1e9;
}

/// The op that reads a tensor; `rest` reads norms and taps.
Op op_of(const models::Shape& shape, const models::Tensor& tensor) {
  using models::TensorKind;
  if (models::is_norm(tensor.kind)) return Op::rest;
  switch (tensor.kind) {
    case TensorKind::embedding:
      return Op::head;
    case TensorKind::router:
      return Op::router;
    case TensorKind::depthwise:
      return Op::rest;
    case TensorKind::f1:
    case TensorKind::f2:
    case TensorKind::f3:
      return shape.experts.count > 0 ? Op::experts : Op::gemv;
    default:
      return Op::gemv;
  }
}

std::string positions_text(const Terminal& terminal, int first, int last) {
  return format_count(first) + (terminal.utf8 ? "–" : "-") + format_count(last);
}

std::string micros(double ns) {
  return fmt::format("{:.2f}", ns / 1e3);
}

std::string ops_table(const Terminal& terminal, const Profile& profile) {
  const std::string unit = terminal.utf8 ? "µs" : "us";
  Table table{
      {"positions", "op", unit + " / token", "share", "bound " + unit, "time / bound", "bytes"}, {}, {0, 1}};
  for (const probes::RangeProfile& range : profile.measured.ranges) {
    double sum_ns = 0;
    for (const double ns : range.op_ns) sum_ns += ns;
    for (const Op op : ops) {
      const std::optional<double> bound = bound_ns(profile, op, range);
      const double ns = ns_of(range, op);
      if (ns == 0) continue;  // a model without experts, a single thread
      table.rows.push_back(
          {op == Op::gemv ? positions_text(terminal, range.position_first, range.position_last) : "",
           name_of(op), micros(ns), fmt::format("{:.0f} %", 100 * ns / sum_ns),
           bound ? micros(*bound) : "none", bound ? fmt::format("{:.2f}", ns / *bound) : "",
           bound ? format_bytes(*bound_bytes(profile.shape, op, range)) : ""});
    }
    table.rows.push_back({"", "whole step, profiled", micros(range.profiled_ns), "", "", "", ""});
    table.rows.push_back({"", "whole step, not profiled", micros(range.unprofiled_ns), "", "", "", ""});
  }
  return to_text(terminal, table);
}

std::string steps_chart(const Terminal& terminal, const probes::DecodeProfile& measured) {
  double most_ns = 0;
  for (const probes::PositionStep& step : measured.steps) most_ns = std::max(most_ns, step.token_ns);
  Table table{{"positions", terminal.utf8 ? "µs / token" : "us / token", ""}, {}, {0, 2}};
  for (const probes::PositionStep& step : measured.steps) {
    table.rows.push_back({positions_text(terminal, step.position_first, step.position_last),
                          micros(step.token_ns), bar(terminal, step.token_ns / most_ns, 40)});
  }
  return to_text(terminal, table);
}

std::string farthest_sentence(const Terminal& terminal, const Profile& profile) {
  const Farthest farthest = farthest_from_bound(profile);
  if (farthest.time_over_bound <= 0) return "";
  const probes::RangeProfile& range = profile.measured.ranges[farthest.range];
  const std::string unit = terminal.utf8 ? "µs" : "us";
  return fmt::format("Farthest from its bound: {}, {:.2f} times it at positions {} ({} {} against {}).\n",
                     name_of(farthest.op), farthest.time_over_bound,
                     positions_text(terminal, range.position_first, range.position_last),
                     micros(ns_of(range, farthest.op)), unit, micros(*bound_ns(profile, farthest.op, range)));
}

std::string growth_sentence(const probes::DecodeProfile& measured) {
  if (measured.steps.size() < 2) return "";
  const Growth growth = growth_of(measured);
  return fmt::format(
      "From the first to the last positions a token takes {:.2f} times as long; the largest rise between "
      "neighbours "
      "is {:.1f} % at {}: {}.\n",
      growth.last_over_first, 100 * growth.largest_rise_ratio, format_count(growth.largest_rise_position),
      growth.cliff ? "a cliff" : "no cliff");
}

std::string timer_sentence(const Terminal& terminal, const probes::DecodeProfile& measured) {
  std::string text =
      fmt::format("An empty pair of clock reads takes {:.0f} ns; profiling adds", measured.clock_pair_ns);
  for (size_t i = 0; i < measured.ranges.size(); ++i) {
    const probes::RangeProfile& range = measured.ranges[i];
    text += fmt::format("{} {:.2f} {} per token ({:.0f} %) at {}", i == 0 ? "" : ",",
                        (range.profiled_ns - range.unprofiled_ns) / 1e3, terminal.utf8 ? "µs" : "us",
                        100 * (range.profiled_ns / range.unprofiled_ns - 1),
                        positions_text(terminal, range.position_first, range.position_last));
  }
  return text + ", which is spread over the ops.\n";
}

nlohmann::ordered_json range_json(const Profile& profile, const probes::RangeProfile& range) {
  nlohmann::ordered_json json;
  json["position_first"] = range.position_first;
  json["position_last"] = range.position_last;
  for (const Op op : ops) {
    if (ns_of(range, op) == 0) continue;
    nlohmann::ordered_json& entry = json["ops"][name_of(op)];
    entry["token_ns"] = ns_of(range, op);
    if (const auto bound = bound_ns(profile, op, range)) {
      entry["bytes"] = *bound_bytes(profile.shape, op, range);
      entry["bound_ns"] = *bound;
    }
  }
  json["profiled_token_ns"] = range.profiled_ns;
  json["unprofiled_token_ns"] = range.unprofiled_ns;
  return json;
}

}  // namespace

std::optional<double> bound_bytes(const models::Shape& shape, Op op, const probes::RangeProfile& range) {
  if (op == Op::rest || op == Op::waiting) return std::nullopt;
  const models::Cost cost = models::cost(shape);
  if (op == Op::attention) {
    const double mean_positions = (range.position_first + range.position_last) / 2.0 + 1;
    return static_cast<double>(cost.kv_bytes) / shape.context * mean_positions;
  }
  double bytes = 0;
  for (const models::Tensor& tensor : models::tensors(shape)) {
    if (op_of(shape, tensor) == op) bytes += static_cast<double>(models::tensor_bytes(tensor));
  }
  if (op != Op::experts) return bytes;
  const models::Experts& experts = shape.experts;
  return bytes * (experts.top_k + experts.shared) / (experts.count + experts.shared);
}

Farthest farthest_from_bound(const Profile& profile) {
  Farthest farthest;
  for (size_t i = 0; i < profile.measured.ranges.size(); ++i) {
    const probes::RangeProfile& range = profile.measured.ranges[i];
    for (const Op op : ops) {
      const std::optional<double> bound = bound_ns(profile, op, range);
      if (bound && *bound > 0 && ns_of(range, op) / *bound > farthest.time_over_bound)
        farthest = {i, op, ns_of(range, op) / *bound};
    }
  }
  return farthest;
}

Growth growth_of(const probes::DecodeProfile& measured) {
  Growth growth;
  const auto& steps = measured.steps;
  if (steps.empty()) return growth;
  growth.last_over_first = steps.back().token_ns / steps.front().token_ns;
  for (size_t i = 1; i < steps.size(); ++i) {
    const double rise = steps[i].token_ns / steps[i - 1].token_ns - 1;
    if (growth.largest_rise_position != 0 && rise <= growth.largest_rise_ratio) continue;
    growth.largest_rise_ratio = rise;
    growth.largest_rise_position = steps[i].position_first;
  }
  growth.cliff = growth.largest_rise_ratio > cliff_ratio;
  return growth;
}

std::string profile_text(const Terminal& terminal, const Profile& profile) {
  std::string text = fmt::format("{} on {}, {}, {} thread{}, {} pages, medians of {} passes\n",
                                 profile.shape.name, profile.isa, profile.arithmetic, profile.threads,
                                 profile.threads == 1 ? "" : "s", profile.pages, profile.measured.passes);
  text += ops_table(terminal, profile) + "\n";
  text += fmt::format(
      "Bounds: bytes at {}, what our read stream reads of {} on huge pages here with one thread; rest has "
      "none: its vectors stay in the nearest cache. Times are the first thread's.\n",
      format_rate(profile.read_bytes_per_s), format_bytes(static_cast<double>(profile.read_size_bytes)));
  text += farthest_sentence(terminal, profile) + timer_sentence(terminal, profile.measured) + "\n";
  return text + steps_chart(terminal, profile.measured) + growth_sentence(profile.measured);
}

std::string profile_json(const Profile& profile) {
  nlohmann::ordered_json json;
  json["model"] = profile.shape.name;
  json["isa"] = profile.isa;
  json["arithmetic"] = profile.arithmetic;
  json["threads"] = profile.threads;
  json["pages"] = profile.pages;
  json["passes"] = profile.measured.passes;
  json["clock_pair_ns"] = profile.measured.clock_pair_ns;
  json["read_size_bytes"] = profile.read_size_bytes;
  json["read_bytes_per_s"] = profile.read_bytes_per_s;
  for (const probes::RangeProfile& range : profile.measured.ranges)
    json["ranges"].push_back(range_json(profile, range));
  for (const probes::PositionStep& step : profile.measured.steps) {
    json["steps"].push_back({{"position_first", step.position_first},
                             {"position_last", step.position_last},
                             {"token_ns", step.token_ns}});
  }
  const Growth growth = growth_of(profile.measured);
  json["growth"] = {{"last_over_first_ratio", growth.last_over_first},
                    {"largest_rise_ratio", growth.largest_rise_ratio},
                    {"largest_rise_position", growth.largest_rise_position},
                    {"cliff", growth.cliff}};
  const Farthest farthest = farthest_from_bound(profile);
  json["farthest"] = {{"op", name_of(farthest.op)},
                      {"range", farthest.range},
                      {"time_over_bound_ratio", farthest.time_over_bound}};
  return json.dump(2) + "\n";
}

}  // namespace cli
