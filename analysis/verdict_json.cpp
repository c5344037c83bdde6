#include "analysis/verdict_json.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/canonical_json.hpp"

namespace analysis {
namespace {

using nlohmann::json;

/// Nine significant digits, as in documents.
double rounded(double value) {
  const std::string text = fmt::format("{:.9g}", value);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

json interval_json(const harness::Interval& interval) {
  return {
      {"median", rounded(interval.median)}, {"low", rounded(interval.low)}, {"high", rounded(interval.high)}};
}

json region_json(const Region& region) {
  json text = json::object();
  if (region.low > 0) text["low"] = region.low;
  if (std::isfinite(region.high)) text["high"] = region.high;
  return text;
}

json part_json(const PartVerdict& part) {
  json text = {{"name", part.name},
               {"quantity", part.quantity},
               {"verdict", part.verdict},
               {"region", region_json(part.region)},
               {"launches", part.values.size()},
               {"missing", part.missing},
               {"interval", interval_json(part.interval)},
               {"sign_interval", interval_json(part.sign)},
               {"bootstrap_interval", interval_json(part.bootstrap)},
               {"tost_p", rounded(part.tost_p)},
               {"outside_p", rounded(part.outside_p)},
               {"adjusted_p", rounded(part.adjusted_p)}};
  json& values = text["values"] = json::array();
  for (const double value : part.values) values.push_back(rounded(value));
  if (part.launches_needed > 0) text["launches_needed"] = part.launches_needed;
  return text;
}

json machine_json(const MachineVerdict& machine) {
  json text = {{"cpu_model", machine.cpu_model},
               {"verdict", machine.verdict},
               {"unproven", machine.unproven},
               {"parts", json::array()},
               {"controls", json::array()}};
  if (!machine.machine_key.empty()) text["machine_key"] = machine.machine_key;
  if (!machine.document.empty()) text["document"] = machine.document;
  if (!machine.why.empty()) text["why"] = machine.why;
  if (machine.verdict == "falsified") text["outside_p_over_machines"] = rounded(machine.outside_p);
  if (!machine.doubts.empty()) text["doubts"] = machine.doubts;
  for (const PartVerdict& part : machine.parts) text["parts"].push_back(part_json(part));
  for (const ControlVerdict& control : machine.controls) {
    text["controls"].push_back(
        {{"name", control.name}, {"interval", interval_json(control.interval)}, {"holds", control.holds}});
  }
  for (const Replication& later : machine.replications) {
    json intervals = json::array(), p_values = json::array();
    for (const auto& interval : later.parts) intervals.push_back(interval_json(interval));
    for (const double p : later.differs_p) p_values.push_back(rounded(p));
    text["replications"].push_back(
        {{"document", later.document}, {"intervals", intervals}, {"mann_whitney_p", p_values}});
  }
  return text;
}

}  // namespace

std::string verdict_json(const Claim& claim, const std::string& seal, const ClaimVerdict& verdict) {
  json text = {{"claim", claim.id},
               {"seal", seal},
               {"seed", claim.seed},
               {"verdict", verdict.verdict},
               {"unproven", verdict.unproven},
               {"machines", json::array()}};
  for (const MachineVerdict& machine : verdict.machines) text["machines"].push_back(machine_json(machine));
  if (verdict.runs_begun > 0)
    text["runs"] = {{"begun", verdict.runs_begun}, {"abandoned", verdict.runs_abandoned}};
  if (!verdict.doubts.empty()) text["doubts"] = verdict.doubts;
  for (const LeftOut& left : verdict.left_out)
    text["left_out"].push_back({{"document", left.document}, {"why", left.why}});
  return harness::canonical_text(text);
}

}  // namespace analysis
