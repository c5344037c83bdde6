#include "analysis/claim_check_plans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include "analysis/claim_plan.hpp"
#include "analysis/claim_terms.hpp"
#include "models/golden.hpp"

namespace analysis {
namespace {

/// The kernel tables of all architectures: a claim may be checked where its own is not compiled in.
constexpr std::array<const char*, 7> known_isas{"chosen",    "scalar", "avx2_rowmajor", "avx2",
                                                "avx2_vnni", "avx512", "avx512_vnni"};

void check_model(const ClaimPlan& plan, const Claim& claim, Refusals& refusals) {
  const std::string where = plan.name.empty() ? "fidelity" : "plan " + plan.name;
  if (plan.l3_share > 0) {
    if (plan.model != "coreflow_x")
      refusals.push_back(where + ": l3_share sizes the family coreflow_x, no other model");
    return;
  }
  const models::Shape* shape = models::known_shape(plan.model);
  if (shape == nullptr) {
    refusals.push_back(fmt::format("{}: '{}' is no built-in model, which everybody has (tokroof models)",
                                   where, plan.model));
    return;
  }
  const std::string expected = models::expected_golden(*shape, plan.arithmetic);
  const auto stated = claim.golden.find(golden_key(plan));
  if (expected.empty()) return;
  if (stated == claim.golden.end()) {
    refusals.push_back(fmt::format("golden: lacks \"{}\": \"{}\", the digest of {}'s logits",
                                   golden_key(plan), expected, plan.model));
  } else if (stated->second != expected) {
    refusals.push_back(fmt::format("golden: {} is {}, this version computes {}", golden_key(plan),
                                   stated->second, expected));
  }
}

/// As documents write it: a routing from a file is not what everybody has.
bool is_routing(const std::string& text) {
  if (text == "none" || text == "uniform") return true;
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return false;
  const std::string name = text.substr(0, colon), rest = text.substr(colon + 1);
  double parameter = 0;
  const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), parameter);
  if (read.ec != std::errc() || fmt::format("{}", parameter) != rest) return false;
  return (name == "zipf" && parameter >= 0.01 && parameter <= 10) ||
         (name == "sticky" && parameter >= 0 && parameter <= 1);
}

/// Throws for what no run could decode.
void check_runnable(const ClaimPlan& plan) {
  const auto refuse = [](const std::string& why) {
    throw harness::Error(harness::ExitCode::invalid_input, why);
  };
  if (std::find(known_isas.begin(), known_isas.end(), plan.isa) == known_isas.end())
    refuse(fmt::format("isa {} is none of {}", plan.isa, fmt::join(known_isas, ", ")));
  const models::Shape* shape = models::known_shape(plan.l3_share > 0 ? plan.model + "4096kib" : plan.model);
  if (shape == nullptr) return;
  if (!is_routing(plan.routing))
    refuse(
        fmt::format("routing {}: give none, uniform, zipf:S (0.01 to 10) or sticky:RHO (0 to 1), in the "
                    "fewest digits",
                    plan.routing));
  if (plan.routing != "none" && shape->experts.count == 0)
    refuse(fmt::format("routing {}: {} has no experts", plan.routing, plan.model));
  const auto positions = timed_positions(plan);
  if (positions && positions->last >= shape->context)
    refuse(fmt::format("positions {} end beyond {}, the last of {}'s context", plan.positions,
                       shape->context - 1, plan.model));
}

/// Where two parts are about one quantity, or one about the other's inverse, that both regions hold.
Region common_region(const Region& a, const Region& b, bool inverse) {
  const Region other =
      inverse ? Region{b.high > 0 ? 1 / b.high : 0, b.low > 0 ? 1 / b.low : Region{}.high} : b;
  return {std::max(a.low, other.low), std::min(a.high, other.high)};
}

std::map<std::string, int> inverse_of(std::map<std::string, int> powers) {
  for (auto& entry : powers) entry.second = -entry.second;
  return powers;
}

}  // namespace

void check_census(const Claim& claim, Refusals& refusals) {
  if (!claim.plans.empty() || !claim.probes.empty() || !claim.fidelity.empty()) return;
  if (!claim.population.empty()) refusals.emplace_back("population: a census takes no machine, give []");
  if (!claim.exclusions.empty()) refusals.emplace_back("exclusions: a census has no run to exclude, give []");
  if (claim.launches != 1)
    refusals.push_back(
        fmt::format("launches: a census is counted once, give 1 instead of {}", claim.launches));
}

void check_contradictions(const Claim& claim, Refusals& refusals) {
  std::vector<std::map<std::string, int>> powers;
  try {
    for (const ClaimPart& part : claim.parts)
      powers.push_back(powers_of(parse_quantity(part.quantity), claim));
  } catch (const std::exception&) {
    return;  // was refused by itself
  }
  for (size_t i = 0; i < powers.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const bool inverse = powers[i] == inverse_of(powers[j]);
      if (powers[i].empty() || (powers[i] != powers[j] && !inverse)) continue;
      const Region common = common_region(claim.parts[i].region, claim.parts[j].region, inverse);
      if (common.low < common.high || (claim.test == "exact" && common.low == common.high)) continue;
      refusals.push_back(
          fmt::format("part {}: cannot be supported together with part {}: they are about one "
                      "quantity, and no value lies in both regions",
                      claim.parts[i].name, claim.parts[j].name));
    }
  }
}

void check_plans(const Claim& claim, Refusals& refusals) {
  std::set<std::string> names;
  for (const ClaimPlan& plan : claim.plans) {
    const std::string where = "plan " + plan.name;
    if (!names.insert(plan.name).second) refusals.push_back(where + ": the name is there twice");
    const std::set<std::string> arms(plan.arms.begin(), plan.arms.end());
    if (arms.size() != plan.arms.size()) refusals.push_back(where + ": an arm is there twice");
    if (!arms.count("warm") || !arms.count("aa"))
      refusals.push_back(where + ": needs the arms warm and aa: a figure without a control is none");
    gather(refusals, where, [&] { check_runnable(plan); });
    check_model(plan, claim, refusals);
  }
}

void check_goldens(const Claim& claim, Refusals& refusals) {
  const bool census = std::any_of(claim.parts.begin(), claim.parts.end(), [](const ClaimPart& part) {
    return part.quantity.find("cpu_share") != std::string::npos;
  });
  for (const auto& golden : claim.golden) {
    const std::string& key = golden.first;
    const bool used = std::any_of(claim.plans.begin(), claim.plans.end(),
                                  [&](const ClaimPlan& plan) { return golden_key(plan) == key; }) ||
                      std::count(claim.fidelity.begin(), claim.fidelity.end(), key) > 0;
    if (!used && !(census && key == catalogue_golden_key))
      refusals.push_back(fmt::format("golden: {} is of nothing that the claim takes", key));
  }
  for (const std::string& model : claim.fidelity) {
    ClaimPlan plan;  // without a name: no plan of the claim's
    plan.model = model;
    check_model(plan, claim, refusals);
  }
  if (!census) return;
  const auto stated = claim.golden.find(catalogue_golden_key);
  if (stated == claim.golden.end())
    refusals.push_back(fmt::format("golden: lacks \"{}\": \"{}\", the SHA-256 of the catalogue it counts",
                                   catalogue_golden_key, catalogue_digest()));
  else if (stated->second != catalogue_digest())
    refusals.push_back(fmt::format("golden: {} is {}, this version's catalogue has {}", catalogue_golden_key,
                                   stated->second, catalogue_digest()));
}

void check_use(const Claim& claim, Refusals& refusals) {
  std::set<size_t> used;
  std::set<std::string> probed, held;
  for (const ClaimPart& part : claim.parts) {
    try {
      const Quantity quantity = parse_quantity(part.quantity);
      for (const Quantity* term : terms_of(quantity)) {
        if (kind_of(*term) == TermKind::decode) used.insert(plan_of_term(*term, claim));
        if (kind_of(*term) == TermKind::fidelity) held.insert(term->keys.at("model"));
        if (kind_of(*term) == TermKind::probe) probed.insert(probe_of_term(*term));
      }
    } catch (const std::exception&) {  // a key may lack, too
      return;                          // was refused by itself
    }
  }
  for (size_t i = 0; i < claim.plans.size(); ++i) {
    if (!used.count(i)) refusals.push_back(fmt::format("plan {}: no part is about it", claim.plans[i].name));
  }
  for (const std::string& probe : claim.probes) {
    if (!probed.count(probe)) refusals.push_back(fmt::format("probes: no part is about {}", probe));
  }
  for (const std::string& model : claim.fidelity) {
    if (!held.count(model)) refusals.push_back(fmt::format("fidelity: no part is about {}", model));
  }
}

}  // namespace analysis
