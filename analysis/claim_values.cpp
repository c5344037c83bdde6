#include "analysis/claim_values.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/claim_plan.hpp"
#include "analysis/claim_quantity.hpp"
#include "analysis/cpu_catalogue.hpp"
#include "analysis/derive.hpp"
#include "analysis/derive_parts.hpp"
#include "harness/error.hpp"
#include "harness/statistics.hpp"

namespace analysis {
namespace {

using Value = std::optional<double>;

/// A value that is a number one can take the logarithm of.
Value usable(double value) {
  return std::isfinite(value) && value > 0 ? Value(value) : std::nullopt;
}

/// Looks values up by round; what is costly is derived once.
class Rounds {
 public:
  Rounds(const Claim& claim, const harness::Submission& submission)
      : claim_(claim), submission_(submission), arms_(collect_arms(submission)) {}

  Value of(const Quantity& quantity, int round, bool in_ratio = false) {
    if (!quantity.operands.empty()) {
      const Value above = of(quantity.operands[0], round, true),
                  below = of(quantity.operands[1], round, true);
      return above && below ? usable(*above / *below) : std::nullopt;
    }
    switch (kind_of(quantity)) {
      case TermKind::decode:
        return decode(quantity, round, in_ratio);
      case TermKind::probe:
        return probe(quantity, round, "round_probes");
      case TermKind::fidelity:
        return fidelity(quantity, round);
      case TermKind::catalogue:
        return census(quantity);
    }
    return std::nullopt;
  }

  ControlValues control_of_plan(size_t plan) {
    ControlValues control{"aa/warm of plan " + claim_.plans[plan].name, {}};
    for (int round = 0; round < claim_.launches; ++round) {
      const ArmLaunch *again = find(plan, "aa", round), *warm = find(plan, "warm", round);
      if (again != nullptr && warm != nullptr)
        control.ratios.push_back(warm->block_median_ns / again->block_median_ns);
    }
    return control;
  }

  ControlValues control_of_probe(const Quantity& term) {
    ControlValues control{term.name + " of " + term.keys.at("level") + " again", {}};
    for (int round = 0; round < claim_.launches; ++round) {
      const Value first = probe(term, round, "round_probes"),
                  again = probe(term, round, "round_probes_again");
      if (first && again) control.ratios.push_back(*again / *first);
    }
    return control;
  }

 private:
  const ArmLaunch* find(size_t plan, const std::string& arm, int round) const {
    for (const ArmRecord& record : arms_) {
      if (record.plan != plan || record.arm != arm) continue;
      for (const ArmLaunch& launch : record.launches) {
        if (launch.round == round) return &launch;
      }
    }
    return nullptr;
  }

  Value decode(const Quantity& term, int round, bool in_ratio) const {
    const size_t index = plan_of_term(term, claim_);
    const ArmLaunch* launch = find(index, term.keys.at("mode"), round);
    if (launch == nullptr || index >= submission_.plans.size()) return std::nullopt;
    const harness::Plan& plan = submission_.plans[index];
    double speed = in_ratio ? 1e9 / launch->block_median_ns : launch->tokens_per_s;
    const auto positions = term.keys.find("positions");
    if (positions != term.keys.end())
      speed = speed_at(plan, *launch, positions_of(positions->second), in_ratio);
    if (term.name == "weight_bytes_per_s") speed *= static_cast<double>(plan.weight_bytes_per_token);
    return usable(speed);
  }

  /// Of the blocks that lie in a range of positions.
  static double speed_at(const harness::Plan& plan, const ArmLaunch& launch, Positions asked, bool in_ratio) {
    const int64_t blocks = blocks_per_pass(plan);
    std::vector<double> ns;
    double tokens = 0, duration_ns = 0;
    for (size_t i = 0; i < launch.block_ns_per_token.size(); ++i) {
      const int64_t block = static_cast<int64_t>(i) % blocks, in_block = tokens_in_block(plan, block);
      const int64_t first = plan.position_first + block * plan.block_tokens;
      if (first < asked.first || first + in_block - 1 > asked.last) continue;
      ns.push_back(launch.block_ns_per_token[i]);
      tokens += static_cast<double>(in_block);
      duration_ns += ns.back() * static_cast<double>(in_block);
    }
    if (ns.empty()) return 0;
    return in_ratio ? 1e9 / harness::median(ns) : tokens / duration_ns * 1e9;
  }

  Value probe(const Quantity& term, int round, const std::string& purpose) {
    if (kernels_forced()) return std::nullopt;
    for (const harness::Roof& roof : roofs(round, purpose)) {
      if (roof.level != term.keys.at("level") || roof.threads != 1) continue;
      const auto& reading = term.name == "load_latency_ns" ? roof.load_latency_ns : roof.read_bytes_per_s;
      const auto* interval = std::get_if<harness::Interval>(&reading);
      return interval != nullptr && roof.invalid.empty() ? usable(interval->median) : std::nullopt;
    }
    return std::nullopt;
  }

  /// The roofs that one round's probes give.
  const std::vector<harness::Roof>& roofs(int round, const std::string& purpose) {
    const auto [entry, fresh] = roofs_.try_emplace({round, purpose});
    if (!fresh) return entry->second;
    harness::Submission of_round;
    of_round.machine = submission_.machine;
    for (const harness::Launch& launch : submission_.launches) {
      if (launch.purpose != purpose || launch.round != round) continue;
      of_round.launches.push_back(launch);
      break;
    }
    if (!of_round.launches.empty()) entry->second = derive_roofs(of_round, purpose);
    return entry->second;
  }

  /// Of the chosen kernels alone, which are what claims are about.
  Value fidelity(const Quantity& term, int round) const {
    if (kernels_forced()) return std::nullopt;
    for (const harness::Launch& launch : submission_.launches) {
      if (launch.purpose != "fidelity" || launch.round != round) continue;
      for (const harness::Series& series : launch.series) {
        if (series.status != harness::Status::ok) continue;
        const auto model = series.params.find("of_model"),
                   figure = series.params.find(term.keys.at("figure"));
        if (model == series.params.end() || figure == series.params.end() ||
            model->second != harness::Param(term.keys.at("model")))
          continue;
        const auto isa = series.params.find("isa");
        if (isa == series.params.end() || isa->second != harness::Param(submission_.suite.isa)) continue;
        if (const auto* whole = std::get_if<int64_t>(&figure->second)) return static_cast<double>(*whole);
        if (const auto* real = std::get_if<double>(&figure->second)) return *real;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] bool kernels_forced() const { return submission_.suite.isa_chosen_by == "forced"; }

  Value census(const Quantity& term) const {
    const auto sealed = claim_.golden.find(catalogue_golden_key);
    if (sealed != claim_.golden.end() && sealed->second != catalogue_digest())
      throw harness::Error(harness::ExitCode::unavailable,
                           claim_.id +
                               ": this version's CPU catalogue is not the one that the claim was sealed for: "
                               "judge it with the version of then, or amend it");
    const double least = std::stod(term.keys.at("bytes"));
    double large = 0;
    for (const Cpu& cpu : cpu_catalogue()) {
      const bool fits = std::any_of(cpu.kinds.begin(), cpu.kinds.end(), [&](const CpuKind& kind) {
        return std::any_of(kind.caches.begin(), kind.caches.end(), [&](const CpuCache& cache) {
          return cache.level == term.keys.at("level") && static_cast<double>(cache.bytes) >= least;
        });
      });
      large += fits ? 1 : 0;
    }
    return large / static_cast<double>(cpu_catalogue().size());
  }

  const Claim& claim_;
  const harness::Submission& submission_;
  std::vector<ArmRecord> arms_;
  std::map<std::pair<int, std::string>, std::vector<harness::Roof>> roofs_;
};

}  // namespace

ClaimValues claim_values(const Claim& claim, const harness::Submission& submission) {
  Rounds rounds(claim, submission);
  ClaimValues values;
  std::set<std::string> controlled;
  for (size_t plan = 0; plan < claim.plans.size(); ++plan)
    values.controls.push_back(rounds.control_of_plan(plan));
  for (const ClaimPart& part : claim.parts) {
    const Quantity quantity = parse_quantity(part.quantity);
    std::vector<Value>& of_part = values.parts.emplace_back();
    for (int round = 0; round < claim.launches; ++round) of_part.push_back(rounds.of(quantity, round));
    for (const Quantity* term : terms_of(quantity)) {
      if (kind_of(*term) == TermKind::probe && controlled.insert(term->name + term->keys.at("level")).second)
        values.controls.push_back(rounds.control_of_probe(*term));
    }
  }
  return values;
}

}  // namespace analysis
