// Which machines a claim is about, and under which conditions a run does not count: "l3_bytes >= 4194304".
// A predicate knows facts and conditions alone: no outcome has a name here, so none can decide what counts.
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/submission.hpp"

namespace analysis {

using PredicateValue = std::variant<double, std::string>;

/// FIELD OP VALUE, OP one of == != < <= > >=; texts know == and != alone.
struct Predicate {
  std::string field, op;
  PredicateValue value;
};

/// Parses a predicate on a machine, or on the conditions of a run. Throws Error(invalid_input) that lists the
/// fields there are.
Predicate parse_population(const std::string& text);
Predicate parse_exclusion(const std::string& text);

/// Returns what is wrong with predicates taken together, "" when nothing is: a population that no machine can
/// belong to; exclusions that exclude every run, or one that excludes none. Each field is held over what it
/// can be: shares 0 to 1, switches 0 or 1, counts whole.
std::string fault_of_population(const std::vector<std::string>& texts);
std::string fault_of_exclusions(const std::vector<std::string>& texts);

/// Returns whether it holds; nullopt where the machine or the system does not say.
std::optional<bool> holds(const Predicate& predicate, const harness::Machine& machine);
std::optional<bool> holds(const Predicate& predicate, const harness::Conditions& conditions);

}  // namespace analysis
