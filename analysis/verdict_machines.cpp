#include "analysis/verdict_machines.hpp"

#include <algorithm>

namespace analysis {
namespace {

/// Adjusts what falsifies for the number of machines: each is another chance to be falsified by chance.
void adjust_over_machines(ClaimVerdict& verdict) {
  std::vector<double> p_values;
  std::vector<MachineVerdict*> applicable;
  for (MachineVerdict& machine : verdict.machines) {
    if (machine.verdict == "not_applicable") continue;
    applicable.push_back(&machine);
    double least = 1;
    for (const PartVerdict& part : machine.parts) {
      if (part.verdict == "falsified") least = std::min(least, part.adjusted_p);
    }
    p_values.push_back(least);
  }
  const std::vector<double> adjusted = holm_adjusted(p_values);
  for (size_t i = 0; i < applicable.size(); ++i) applicable[i]->outside_p = adjusted[i];
}

}  // namespace

void conclude(const Claim& claim, ClaimVerdict& verdict) {
  if (verdict.machines.empty()) return;
  adjust_over_machines(verdict);
  const auto falsifies = [&](const MachineVerdict& machine) {
    return machine.verdict == "falsified" && machine.outside_p <= claim.alpha;
  };
  const auto all = [&](const auto& holds) {
    return std::all_of(verdict.machines.begin(), verdict.machines.end(), holds);
  };
  const auto none = [](const auto& machine) { return machine.verdict == "not_applicable"; };
  const bool falsified = !all([&](const auto& machine) { return !falsifies(machine); });
  const bool supported =
      all([&](const auto& machine) { return none(machine) || machine.verdict == "supported"; });
  verdict.verdict = falsified   ? "falsified"
                    : all(none) ? "not_applicable"
                    : supported ? "supported"
                                : "inconclusive";
  // One proven counterexample suffices; whatever else is said is said of every machine that it applies to.
  const bool proven =
      falsified ? !all([&](const auto& machine) { return !falsifies(machine) || machine.unproven; })
                : all([&](const auto& machine) {
                    return !machine.unproven || (none(machine) && verdict.verdict != "not_applicable");
                  });
  verdict.unproven = !proven || !verdict.doubts.empty();
}

}  // namespace analysis
