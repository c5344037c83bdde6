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
    for (const auto& p : later.differs_p) p_values.push_back(p ? json(rounded(*p)) : json());
    text["replications"].push_back(
        {{"document", later.document}, {"intervals", intervals}, {"mann_whitney_p", p_values}});
  }
  return text;
}

/// What is wrong with a member of a stored verdict; thrown and caught here alone.
struct Fault {
  std::string why;
};

const json& member(const json& object, const char* key, bool (*is_right)(const json&), const char* expected) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end() || !is_right(*found))
    throw Fault{fmt::format("{} is no {}", key, expected)};
  return *found;
}

bool is_text(const json& value) {
  return value.is_string();
}
bool is_yes_or_no(const json& value) {
  return value.is_boolean();
}
bool is_list(const json& value) {
  return value.is_array();
}
bool is_count(const json& value) {
  return value.is_number_integer() && value.get<int64_t>() >= 0;
}
bool is_word(const json& value) {
  return value == "supported" || value == "falsified" || value == "inconclusive" || value == "not_applicable";
}
bool is_region(const json& value) {
  const auto end = [&](const char* key) { return !value.contains(key) || value.at(key).is_number(); };
  return value.is_object() && end("low") && end("high");
}
bool is_interval(const json& value) {
  const auto end = [&](const char* key) { return value.contains(key) && value.at(key).is_number(); };
  return value.is_object() && end("median") && end("low") && end("high");
}

void check_machine(const json& machine) {
  member(machine, "verdict", is_word, "word of a verdict");
  member(machine, "unproven", is_yes_or_no, "yes or no");
  member(machine, "cpu_model", is_text, "text");
  for (const json& part : member(machine, "parts", is_list, "list")) {
    member(part, "name", is_text, "text");
    member(part, "region", is_region, "region");
    member(part, "interval", is_interval, "interval");
    member(part, "launches", is_count, "count");
    member(part, "missing", is_count, "count");
  }
  for (const json& control : member(machine, "controls", is_list, "list"))
    member(control, "holds", is_yes_or_no, "yes or no");
}

}  // namespace

std::string fault_of_verdict(const std::string& text, const std::string& claim, const std::string& seal) {
  const json verdict = json::parse(text, nullptr, /*allow_exceptions=*/false);
  try {
    member(verdict, "verdict", is_word, "word of a verdict");
    member(verdict, "unproven", is_yes_or_no, "yes or no");
    if (verdict.contains("doubts")) member(verdict, "doubts", is_list, "list");
    for (const auto& [key, wanted] :
         {std::pair<const char*, const std::string&>{"claim", claim}, {"seal", seal}}) {
      if (member(verdict, key, is_text, "text") != wanted)
        throw Fault{fmt::format("it is of another {}", key)};
    }
    const json& machines = member(verdict, "machines", is_list, "list");
    if (machines.empty()) throw Fault{"it is of no machine"};
    for (const json& machine : machines) check_machine(machine);
  } catch (const Fault& fault) {
    return fault.why;
  }
  return "";
}

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
  for (const EarlierVerdict& earlier : verdict.earlier)
    text["earlier"].push_back(
        {{"seal", earlier.seal}, {"verdict", earlier.word}, {"unproven", earlier.unproven}});
  for (const LeftOut& left : verdict.left_out)
    text["left_out"].push_back({{"document", left.document}, {"why", left.why}});
  return harness::canonical_text(text);
}

}  // namespace analysis
