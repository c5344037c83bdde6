#include "analysis/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/claim_plan.hpp"
#include "analysis/claim_predicate.hpp"
#include "analysis/verdict_conditions.hpp"
#include "analysis/verdict_machines.hpp"
#include "analysis/verdict_runs.hpp"

namespace analysis {
namespace {

constexpr int bootstrap_resamples = 2000;
constexpr double control_alpha = 0.05;
constexpr const char* excluded = "excluded: ";
constexpr int launches_per_failure = 10;  // one launch in so many may fail before it says too much

PartVerdict measured_part(const Claim& claim, const ClaimPart& part, std::vector<double> values) {
  PartVerdict verdict;
  verdict.values = std::move(values);
  const auto& v = verdict.values;
  if (v.empty()) return verdict;
  verdict.interval = harness::log_t_interval(v, 1 - claim.alpha);
  verdict.sign = harness::sign_interval(v, 1 - claim.alpha);
  verdict.tost_p = tost_p(v, part.region);
  verdict.outside_p = t_outside_p(v, part.region);
  return verdict;
}

PartVerdict exact_part(const ClaimPart& part, std::vector<double> values) {
  PartVerdict verdict;
  verdict.values = std::move(values);
  const auto& v = verdict.values;
  if (v.empty()) return verdict;
  const auto [least, most] = std::minmax_element(v.begin(), v.end());
  verdict.interval = verdict.sign = {harness::median(v), *least, *most};
  const bool all = std::all_of(v.begin(), v.end(), [&](double value) { return part.region.holds(value); });
  verdict.tost_p = all ? 0 : 1;
  verdict.outside_p = all ? 1 : 0;
  return verdict;
}

PartVerdict part_verdict(const Claim& claim, const ClaimPart& part,
                         const std::vector<std::optional<double>>& rounds) {
  std::vector<double> values;
  for (const auto& value : rounds) {
    if (value) values.push_back(*value);
  }
  PartVerdict verdict = claim.test == "exact" ? exact_part(part, std::move(values))
                                              : measured_part(claim, part, std::move(values));
  verdict.name = part.name;
  verdict.quantity = part.quantity;
  verdict.region = part.region;
  verdict.missing = claim.launches - static_cast<int>(verdict.values.size());
  return verdict;
}

/// Whether so many launches failed that those which did not may be no fair sample.
bool too_many_missing(const Claim& claim, const PartVerdict& part) {
  return part.missing > claim.launches / launches_per_failure || part.values.empty();
}

bool lies_outside(const harness::Interval& interval, const Region& region) {
  return interval.high < region.low || interval.low > region.high;
}

void decide_parts(const Claim& claim, std::vector<PartVerdict>& parts) {
  std::vector<double> p_values;
  p_values.reserve(parts.size());
  for (const PartVerdict& part : parts)
    p_values.push_back(too_many_missing(claim, part) ? 1 : part.outside_p);
  const std::vector<double> adjusted = holm_adjusted(p_values);
  for (size_t i = 0; i < parts.size(); ++i) {
    PartVerdict& part = parts[i];
    part.adjusted_p = adjusted[i];
    part.verdict = "inconclusive";
    if (too_many_missing(claim, part)) continue;
    const bool exact = claim.test == "exact";
    if (part.tost_p <= claim.alpha / 2 &&
        (exact || (part.region.holds(part.interval.low) && part.region.holds(part.interval.high)))) {
      part.verdict = "supported";
    } else if (part.adjusted_p <= claim.alpha && (exact || lies_outside(part.interval, part.region))) {
      part.verdict = "falsified";
    } else if (!exact) {
      part.launches_needed = launches_needed(log_moments(part.values), part.region, claim.alpha);
    }
  }
}

std::string word_of(const std::vector<PartVerdict>& parts) {
  const auto has = [&](const char* word) {
    return std::any_of(parts.begin(), parts.end(), [&](const auto& part) { return part.verdict == word; });
  };
  return has("falsified") ? "falsified" : has("inconclusive") ? "inconclusive" : "supported";
}

std::vector<ControlVerdict> control_verdicts(const std::vector<ControlValues>& controls) {
  std::vector<ControlVerdict> verdicts;
  for (const ControlValues& control : controls) {
    ControlVerdict& verdict = verdicts.emplace_back();
    verdict.name = control.name;
    if (control.ratios.size() < 2) continue;  // what was not controlled does not hold
    verdict.interval =
        harness::log_t_interval(control.ratios, 1 - control_alpha / static_cast<double>(controls.size()));
    verdict.holds = verdict.interval.low <= 1 && 1 <= verdict.interval.high;
  }
  return verdicts;
}

/// Why a document does not count, "" when it does.
std::string exclusion_of(const Claim& claim, const std::string& seal, const std::string& sealed_utc,
                         const ClaimDocument& document) {
  const harness::Submission& submission = document.submission;
  if (submission.claim->seal != seal) return "made for another seal of this claim: exploratory";
  if (submission.created_utc < sealed_utc || submission.claim->sealed_utc != sealed_utc)
    return fmt::format("created {}, sealed {}: data older than the claim are exploratory",
                       submission.created_utc, sealed_utc);
  if (!document.rejected.empty()) return document.rejected;
  for (const std::string& text : claim.exclusions) {
    if (holds(parse_exclusion(text), submission.conditions).value_or(false))
      return std::string(excluded) + text;
  }
  if (submission.plans.size() != claim.plans.size())
    return fmt::format("it has {} plans, the claim {}", submission.plans.size(), claim.plans.size());
  for (size_t i = 0; i < claim.plans.size(); ++i) {
    const std::string differs = difference(claim.plans[i], submission.plans[i], submission.machine,
                                           claim.launches, submission.suite.isa_chosen_by == "forced");
    if (!differs.empty()) return fmt::format("plan {}: {}", claim.plans[i].name, differs);
    if (!has_golden(claim, claim.plans[i], submission.plans[i].golden))
      return fmt::format("plan {}: its logits are not those that the claim names", claim.plans[i].name);
  }
  return "";
}

std::string outside_population(const Claim& claim, const harness::Machine& machine) {
  for (const std::string& text : claim.population) {
    if (!holds(parse_population(text), machine).value_or(false)) return "outside the population: not " + text;
  }
  return "";
}

Replication replication_of(const Claim& claim, const ClaimDocument& document, const MachineVerdict& judged) {
  const MachineVerdict later = judge_values(claim, claim_values(claim, document.submission));
  Replication replication;
  replication.document = document.sha256;
  for (size_t i = 0; i < later.parts.size(); ++i) {
    const auto &first = judged.parts[i].values, &again = later.parts[i].values;
    replication.parts.push_back(later.parts[i].interval);
    const bool comparable = !first.empty() && !again.empty();
    replication.differs_p.push_back(comparable ? std::optional(mann_whitney_p(first, again)) : std::nullopt);
  }
  return replication;
}

void doubt(MachineVerdict& verdict, const std::string& why) {
  verdict.unproven = true;
  verdict.doubts.push_back(why);
}

/// Adds the bootstrap intervals, which only show.
void add_bootstrap(const Claim& claim, MachineVerdict& verdict) {
  for (PartVerdict& part : verdict.parts) {
    if (part.values.empty()) continue;
    part.bootstrap = bootstrap_interval(part.values, 1 - claim.alpha, bootstrap_resamples, claim.seed);
  }
}

/// Judges the first document of a machine.
MachineVerdict first_of_machine(const Claim& claim, const ClaimDocument& document) {
  const harness::Submission& submission = document.submission;
  const std::string outside = outside_population(claim, submission.machine);
  MachineVerdict verdict;
  if (outside.empty()) {
    verdict = judge_values(claim, claim_values(claim, submission));
    add_bootstrap(claim, verdict);
    for (const std::string& why : doubts_of_evictions(claim, submission)) doubt(verdict, why);
    for (const std::string& why : doubts_of_conditions(claim, submission)) doubt(verdict, why);
  } else {
    verdict.verdict = "not_applicable";
    verdict.why = outside;
  }
  verdict.machine_key = submission.machine.machine_key;
  verdict.cpu_model = submission.machine.cpu_model;
  verdict.document = document.sha256;
  if (!document.implausible.empty()) doubt(verdict, "implausible: " + document.implausible);
  return verdict;
}

/// Judges a document that counts: the first of its machine, or a replication.
void judge_document(const Claim& claim, const ClaimDocument& document, const std::vector<StartedRun>& told,
                    ClaimVerdict& verdict) {
  const std::string& key = document.submission.machine.machine_key;
  auto known = std::find_if(verdict.machines.begin(), verdict.machines.end(),
                            [&](const auto& machine) { return machine.machine_key == key; });
  if (known == verdict.machines.end()) {
    verdict.machines.push_back(first_of_machine(claim, document));
    known = verdict.machines.end() - 1;
  } else if (known->verdict != "not_applicable") {
    known->replications.push_back(replication_of(claim, document, *known));
  }
  const std::string chosen = doubt_of_document(document, told);
  if (!chosen.empty()) doubt(*known, chosen);
}

/// Judges what was measured under a seal.
void judge_documents(const Claim& claim, const std::string& seal, const std::string& sealed_utc,
                     const std::vector<ClaimDocument>& documents, const ClaimRuns& runs,
                     ClaimVerdict& verdict) {
  const std::vector<StartedRun>& told = runs.told;
  for (const ClaimDocument& document : documents) {
    const std::string foreign =
        document.submission.claim->seal == seal ? why_not_ours(document, documents, runs) : "";
    if (!foreign.empty()) {
      verdict.left_out.push_back({document.sha256, foreign});
      continue;
    }
    const StartedRun* run = run_of(told, document);
    std::string why = exclusion_of(claim, seal, sealed_utc, document);
    if (run != nullptr && run->abandoned) why = "the ledger says that its run was abandoned";
    if (why.empty()) {
      judge_document(claim, document, told, verdict);
      continue;
    }
    verdict.left_out.push_back({document.sha256, why});
    if (why.starts_with(excluded)) continue;  // a condition that was named before: nobody chose
    const std::string chosen = doubt_of_left_out(document, why, told, seal);
    if (!chosen.empty()) verdict.doubts.push_back(chosen);
  }
}

}  // namespace

MachineVerdict judge_values(const Claim& claim, const ClaimValues& values) {
  MachineVerdict verdict;
  for (size_t i = 0; i < claim.parts.size(); ++i)
    verdict.parts.push_back(part_verdict(claim, claim.parts[i], values.parts[i]));
  decide_parts(claim, verdict.parts);
  verdict.verdict = word_of(verdict.parts);
  verdict.controls = control_verdicts(values.controls);
  for (const ControlVerdict& control : verdict.controls) {
    if (control.holds) continue;
    doubt(verdict, fmt::format("the control {} gives {:.4f} … {:.4f}, which excludes 1", control.name,
                               control.interval.low, control.interval.high));
  }
  return verdict;
}

bool is_census(const Claim& claim) {
  return claim.plans.empty() && claim.probes.empty() && claim.fidelity.empty();
}

ClaimVerdict judge(const Claim& claim, const std::string& seal, const std::string& sealed_utc,
                   std::vector<ClaimDocument> documents, const ClaimRuns& runs) {
  ClaimVerdict verdict;
  if (is_census(claim)) {
    verdict.machines.push_back(judge_values(claim, claim_values(claim, {})));
    add_bootstrap(claim, verdict.machines.back());
    verdict.machines.back().cpu_model = "the CPU catalogue";
    conclude(claim, verdict);
    return verdict;
  }
  documents = in_ledger_order(claim.id, std::move(documents), runs.told);
  verdict.doubts = doubts_of_runs(documents, runs);
  verdict.runs_begun = static_cast<int>(runs.told.size());
  verdict.runs_abandoned = static_cast<int>(
      std::count_if(runs.told.begin(), runs.told.end(), [](const StartedRun& run) { return run.abandoned; }));
  judge_documents(claim, seal, sealed_utc, documents, runs, verdict);
  conclude(claim, verdict);
  return verdict;
}

}  // namespace analysis
