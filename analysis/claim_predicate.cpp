#include "analysis/claim_predicate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

#include "analysis/probe_series.hpp"
#include "harness/error.hpp"

namespace analysis {
namespace {

using Fields = std::map<std::string, std::optional<PredicateValue>>;

double number(bool value) {
  return value ? 1 : 0;
}

template <class T>
std::optional<PredicateValue> told(const harness::Reading<T>& reading) {
  if (!harness::available(reading)) return std::nullopt;
  if constexpr (std::is_same_v<T, std::string>)
    return std::get<T>(reading);
  else
    return static_cast<double>(std::get<T>(reading));
}

double cache_bytes(const harness::Machine& machine, int level) {
  const harness::Cache* cache = level_cache(machine, level);
  return cache == nullptr ? 0 : static_cast<double>(cache->bytes);
}

Fields fields_of(const harness::Machine& machine) {
  return {{"arch", machine.arch},
          {"vendor", machine.vendor},
          {"cores", static_cast<double>(machine.cores)},
          {"threads", static_cast<double>(machine.threads)},
          {"smt", number(machine.smt)},
          {"affinity_pus", static_cast<double>(machine.affinity_pus)},
          {"numa_nodes", static_cast<double>(machine.numa_nodes)},
          {"memory_gib", static_cast<double>(machine.memory_gib)},
          {"huge_pages_granted", told(machine.huge_pages_granted)},
          {"virtualised", number(machine.virtualised)},
          {"container", number(machine.container)},
          {"l1_bytes", cache_bytes(machine, 1)},
          {"l2_bytes", cache_bytes(machine, 2)},
          {"l3_bytes", cache_bytes(machine, 3)}};
}

Fields fields_of(const harness::Conditions& conditions) {
  return {{"governor", told(conditions.governor)},
          {"turbo", told(conditions.turbo)},
          {"smt_sibling", conditions.smt_sibling},
          {"load1", told(conditions.load1)},
          {"steal_ratio", told(conditions.steal_ratio)},
          {"psi_cpu_some", told(conditions.psi_cpu_some)},
          {"clock_resolution_ns", static_cast<double>(conditions.clock_resolution_ns)},
          {"involuntary_switches", static_cast<double>(conditions.involuntary_switches)},
          {"major_faults", static_cast<double>(conditions.major_faults)}};
}

/// Fields that are numbers where they are told.
bool is_text(const std::string& field) {
  return field == "arch" || field == "vendor" || field == "governor" || field == "smt_sibling";
}

Predicate parse(const std::string& text, const Fields& known, const char* what) {
  std::istringstream words(text);
  Predicate predicate;
  std::string value, more;
  words >> predicate.field >> predicate.op >> value >> more;
  const auto refuse = [&](const std::string& why) {
    throw harness::Error(harness::ExitCode::invalid_input, fmt::format("{} '{}': {}", what, text, why));
  };
  if (value.empty() || !more.empty()) refuse("expected FIELD OP VALUE");
  if (!known.count(predicate.field)) {
    std::vector<std::string> names;
    for (const auto& [name, field] : known) names.push_back(name);
    refuse(fmt::format("'{}' is none of {}", predicate.field, fmt::join(names, ", ")));
  }
  constexpr std::array<const char*, 6> ops{"==", "!=", "<", "<=", ">", ">="};
  if (std::find(ops.begin(), ops.end(), predicate.op) == ops.end())
    refuse("expected ==, !=, <, <=, > or >= after the field");
  if (is_text(predicate.field)) {
    if (predicate.op != "==" && predicate.op != "!=") refuse("a text is compared with == or !=");
    predicate.value = value;
    return predicate;
  }
  double amount = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), amount);
  if (read.ec != std::errc() || read.ptr != value.data() + value.size() || !std::isfinite(amount))
    refuse("expected a number at the end");
  predicate.value = amount;
  return predicate;
}

template <class T>
bool compare(const std::string& op, const T& left, const T& right) {
  if (op == "==") return left == right;
  if (op == "!=") return left != right;
  if (op == "<") return left < right;
  if (op == "<=") return left <= right;
  if (op == ">") return left > right;
  return left >= right;
}

bool compares(const Predicate& predicate, const PredicateValue& value) {
  if (const auto* text = std::get_if<std::string>(&value))
    return compare(predicate.op, *text, std::get<std::string>(predicate.value));
  return compare(predicate.op, std::get<double>(value), std::get<double>(predicate.value));
}

std::optional<bool> evaluate(const Predicate& predicate, const Fields& fields) {
  const auto& told = fields.at(predicate.field);
  if (!told || told->index() != predicate.value.index()) return std::nullopt;
  return compares(predicate, *told);
}

/// What a number of a field can be.
struct Range {
  double least = 0, most = std::numeric_limits<double>::infinity();
  bool whole = true;
};
Range range_of(const std::string& field) {
  for (const char* share : {"steal_ratio", "psi_cpu_some"}) {
    if (field == share) return {0, 1, false};
  }
  for (const char* yes_or_no : {"smt", "huge_pages_granted", "virtualised", "container", "turbo"}) {
    if (field == yes_or_no) return {0, 1};
  }
  for (const char* at_least_one : {"cores", "threads", "affinity_pus"}) {
    if (field == at_least_one) return {1};
  }
  return {0, std::numeric_limits<double>::infinity(), field != "load1"};
}

/// Values that stand for all that a field can be, as far as predicates tell them apart: their own, and those
/// next to them.
std::vector<PredicateValue> values_of(const std::string& field, const std::vector<Predicate>& predicates) {
  std::vector<PredicateValue> values;
  if (is_text(field)) {
    if (field == "smt_sibling") return {"none", "idle", "busy"};
    values.emplace_back("any other");
    for (const Predicate& predicate : predicates) values.push_back(predicate.value);
    return values;
  }
  const Range range = range_of(field);
  constexpr double many = 1e18;
  std::vector<double> near{range.least, std::min(range.most, many)};
  for (const Predicate& predicate : predicates) {
    const double at = std::get<double>(predicate.value);
    for (const double value : {at, std::floor(at), std::ceil(at), at - 1, at + 1, std::nextafter(at, -many),
                               std::nextafter(at, 2 * many)})
      near.push_back(value);
  }
  for (const double value : near) {
    if (value >= range.least && value <= range.most && (!range.whole || value == std::floor(value)))
      values.emplace_back(value);
  }
  return values;
}

using ByField = std::map<std::string, std::vector<Predicate>>;

template <class Parse>
ByField by_field(const std::vector<std::string>& texts, const Parse& parse_one) {
  ByField fields;
  for (const std::string& text : texts) {
    const Predicate predicate = parse_one(text);
    fields[predicate.field].push_back(predicate);
  }
  return fields;
}

/// Between what predicates leave a whole number.
struct Bounds {
  double least = 0, most = 0;
};
Bounds bounds_of(const ByField& fields, const std::string& field) {
  const Range range = range_of(field);
  Bounds bounds{range.least, range.most};
  const auto found = fields.find(field);
  if (found == fields.end()) return bounds;
  for (const Predicate& predicate : found->second) {
    const double at = std::get<double>(predicate.value);
    if (predicate.op == ">=" || predicate.op == "==") bounds.least = std::max(bounds.least, std::ceil(at));
    if (predicate.op == "<=" || predicate.op == "==") bounds.most = std::min(bounds.most, std::floor(at));
    if (predicate.op == ">") bounds.least = std::max(bounds.least, std::floor(at) + 1);
    if (predicate.op == "<") bounds.most = std::min(bounds.most, std::ceil(at) - 1);
  }
  return bounds;
}

/// Two fields that no machine has together; "" when there are none. x86 cores have one or two threads.
std::string fault_across_fields(const ByField& fields) {
  const Bounds cores = bounds_of(fields, "cores"), threads = bounds_of(fields, "threads"),
               pus = bounds_of(fields, "affinity_pus"), smt = bounds_of(fields, "smt"),
               l1 = bounds_of(fields, "l1_bytes"), l2 = bounds_of(fields, "l2_bytes");
  const double of_cores = cores.most * (smt.most < 1 ? 1 : 2);
  const auto fault = [](const char* what, double least, const char* other, double most) {
    return fmt::format("no machine can belong to it: {} of at least {:g} and {} of at most {:g}", what, least,
                       other, most);
  };
  if (cores.least > threads.most) return fault("cores", cores.least, "threads", threads.most);
  if (threads.least > of_cores) return fault("threads", threads.least, "cores", cores.most);
  if (smt.least > 0 && threads.most <= cores.least)
    return fault("smt and cores", cores.least, "threads", threads.most);
  if (pus.least > threads.most) return fault("affinity_pus", pus.least, "threads", threads.most);
  if (pus.least > of_cores) return fault("affinity_pus", pus.least, "cores", cores.most);
  if (l2.least > 0 && l1.least > l2.most) return fault("l1_bytes", l1.least, "l2_bytes", l2.most);
  return "";
}

}  // namespace

std::string fault_of_population(const std::vector<std::string>& texts) {
  const ByField fields = by_field(texts, parse_population);
  for (const auto& entry : fields) {
    const std::string& field = entry.first;
    const std::vector<Predicate>& predicates = entry.second;
    const auto values = values_of(field, predicates);
    const bool any = std::any_of(values.begin(), values.end(), [&](const PredicateValue& value) {
      return std::all_of(predicates.begin(), predicates.end(),
                         [&](const Predicate& predicate) { return compares(predicate, value); });
    });
    if (!any) return fmt::format("no machine can belong to it: no {} is like that", field);
  }
  return fault_across_fields(fields);
}

std::string fault_of_exclusions(const std::vector<std::string>& texts) {
  for (const auto& entry : by_field(texts, parse_exclusion)) {
    const std::string& field = entry.first;
    const std::vector<Predicate>& predicates = entry.second;
    const auto values = values_of(field, predicates);
    const bool all = std::all_of(values.begin(), values.end(), [&](const PredicateValue& value) {
      return std::any_of(predicates.begin(), predicates.end(),
                         [&](const Predicate& predicate) { return compares(predicate, value); });
    });
    if (all) return fmt::format("whatever {} is, the run is excluded: no run could count", field);
    for (const Predicate& predicate : predicates) {
      const bool some = std::any_of(values.begin(), values.end(),
                                    [&](const PredicateValue& value) { return compares(predicate, value); });
      if (!some) return fmt::format("{} can never be like that: it excludes nothing", field);
    }
  }
  return "";
}

Predicate parse_population(const std::string& text) {
  return parse(text, fields_of(harness::Machine{}), "population");
}

Predicate parse_exclusion(const std::string& text) {
  return parse(text, fields_of(harness::Conditions{}), "exclusion");
}

std::optional<bool> holds(const Predicate& predicate, const harness::Machine& machine) {
  return evaluate(predicate, fields_of(machine));
}

std::optional<bool> holds(const Predicate& predicate, const harness::Conditions& conditions) {
  return evaluate(predicate, fields_of(conditions));
}

}  // namespace analysis
