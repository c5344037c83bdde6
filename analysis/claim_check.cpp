#include "analysis/claim_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/claim_plan.hpp"
#include "analysis/claim_predicate.hpp"
#include "analysis/claim_quantity.hpp"
#include "harness/error.hpp"
#include "models/golden.hpp"

namespace analysis {
namespace {

using Refusals = std::vector<std::string>;

/// Adds what `step` throws.
template <class F>
void gather(Refusals& refusals, const std::string& where, const F& step) {
  try {
    step();
  } catch (const harness::Error& error) {
    refusals.push_back(where + ": " + error.what());
  }
}

void check_texts(const Claim& claim, Refusals& refusals) {
  for (const auto& [name, text] : {std::pair<const char*, const std::string&>{"hypothesis", claim.hypothesis},
                                   {"source", claim.source},
                                   {"published", claim.published},
                                   {"control", claim.control},
                                   {"support_means", claim.support_means}}) {
    if (text.front() == '<')
      refusals.push_back(fmt::format("{}: still the template's words; say it in yours", name));
  }
}

void check_model(const ClaimPlan& plan, const Claim& claim, Refusals& refusals) {
  const std::string where = "plan " + plan.name;
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

void check_plans(const Claim& claim, Refusals& refusals) {
  std::set<std::string> names;
  for (const ClaimPlan& plan : claim.plans) {
    const std::string where = "plan " + plan.name;
    if (!names.insert(plan.name).second) refusals.push_back(where + ": the name is there twice");
    const std::set<std::string> arms(plan.arms.begin(), plan.arms.end());
    if (arms.size() != plan.arms.size()) refusals.push_back(where + ": an arm is there twice");
    if (!arms.count("warm") || !arms.count("aa"))
      refusals.push_back(where + ": needs the arms warm and aa: a figure without a control is none");
    if (!plan.positions.empty()) gather(refusals, where, [&] { positions_of(plan.positions); });
    check_model(plan, claim, refusals);
  }
}

/// Returns whether all terms of a quantity are measured without scatter.
bool is_exact(const Quantity& quantity) {
  const auto terms = terms_of(quantity);
  return std::all_of(terms.begin(), terms.end(), [](const Quantity* term) {
    return kind_of(*term) == TermKind::fidelity || kind_of(*term) == TermKind::catalogue;
  });
}

void check_quantity(const ClaimPart& part, const Claim& claim) {
  const Quantity quantity = parse_quantity(part.quantity);
  for (const Quantity* term : terms_of(quantity)) check_term(*term, claim);
  if ((claim.test == "exact") != is_exact(quantity))
    throw harness::Error(harness::ExitCode::invalid_input,
                         claim.test == "exact"
                             ? "test \"exact\" is for fidelity and cpu_share, which do not scatter"
                             : "fidelity and cpu_share do not scatter: test \"exact\" judges them");
  if ((claim.test == "exact") != (part.spread == 0))
    throw harness::Error(harness::ExitCode::invalid_input,
                         claim.test == "exact" ? "an exact quantity has spread 0"
                                               : "measured launches scatter: spread must be above 0");
}

std::string region_text(const Region& region) {
  if (std::isinf(region.high)) return fmt::format("≥ {:g}", region.low);
  if (region.low <= 0) return fmt::format("≤ {:g}", region.high);
  return fmt::format("{:g} … {:g}", region.low, region.high);
}

/// Half an interval as a factor: what it reaches above and below its centre.
double half_width_factor(const Claim& claim, const ClaimPart& part, double alpha) {
  if (part.spread == 0 || claim.launches < 2) return 1;
  return std::exp(harness::student_t_quantile(1 - alpha / 2, claim.launches - 1) * part.spread /
                  std::sqrt(claim.launches));
}

/// Whether some centre in the support gives an interval inside the region, and one outside it.
void check_reach(const Claim& claim, const ClaimPart& part, Refusals& refusals) {
  const std::string where = "part " + part.name;
  const double alpha = claim.alpha / static_cast<double>(claim.parts.size());
  const double in = half_width_factor(claim, part, claim.alpha), out = half_width_factor(claim, part, alpha);
  if (part.region.low > part.region.high || part.support.low >= part.support.high) {
    refusals.push_back(where + ": region or support ends before it begins");
    return;
  }
  const double first = std::max(part.support.low, part.region.low * in),
               last = std::min(part.support.high, part.region.high / in);
  if (first > last)
    refusals.push_back(
        fmt::format("{}: cannot be supported: an interval of × and ÷ {:.4g} ({} launches, spread {:g}) fits "
                    "into the region {} "
                    "from {:.4g} on, but only up to {:.4g} within the support {:g} … {:g}",
                    where, in, claim.launches, part.spread, region_text(part.region), first, last,
                    part.support.low, part.support.high));
  if (part.support.low >= part.region.low / out && part.support.high <= part.region.high * out)
    refusals.push_back(
        fmt::format("{}: cannot lose: no value of the support {:g} … {:g} lies outside the region {} by the "
                    "half-width of an "
                    "interval, × {:.4g} ({} launches, spread {:g})",
                    where, part.support.low, part.support.high, region_text(part.region), out, claim.launches,
                    part.spread));
  const auto outside = [&](double value) { return !part.support.holds(value); };
  if (outside(part.true_value) || !part.region.holds(part.true_value))
    refusals.push_back(
        fmt::format("{}: true_value {:g} lies outside region or support", where, part.true_value));
  if (outside(part.false_value) || part.region.holds(part.false_value))
    refusals.push_back(fmt::format("{}: false_value {:g} lies in the region, or outside the support", where,
                                   part.false_value));
}

void check_power(const Claim& claim, ClaimCheck& check) {
  const auto parts = static_cast<double>(claim.parts.size());
  double missed = 0;
  for (const ClaimPart& part : claim.parts) {
    const double inside =
        power_inside({claim.launches, part.true_value, part.spread, claim.alpha}, part.region);
    const double outside =
        power_outside({claim.launches, part.false_value, part.spread, claim.alpha / parts}, part.region);
    missed += 1 - inside;
    const std::string sum = fmt::format(
        "part {}: {} launches of spread {:g}: at a true {:g} the {:g} % interval lies in {} with probability "
        "{:.3f}; "
        "at a false {:g} the {:.4g} % interval lies outside with probability {:.3f}",
        part.name, claim.launches, part.spread, part.true_value, 100 * (1 - claim.alpha),
        region_text(part.region), inside, part.false_value, 100 * (1 - claim.alpha / parts), outside);
    check.sums.push_back(sum);
    if (outside < least_power)
      check.refusals.push_back(fmt::format("underpowered: {}, less than {:g}", sum, least_power));
  }
  if (1 - missed < least_power) {
    check.refusals.push_back(
        fmt::format("underpowered: all {} parts are supported together with probability {:.3f} at least, "
                    "less than {:g}: more "
                    "launches, or a true_value further from the region's end",
                    claim.parts.size(), std::max(0.0, 1 - missed), least_power));
  }
}

}  // namespace

ClaimCheck check_claim(const Claim& claim) {
  ClaimCheck check;
  Refusals& refusals = check.refusals;
  check_texts(claim, refusals);
  for (const std::string& text : claim.population)
    gather(refusals, "population", [&] { parse_population(text); });
  for (const std::string& text : claim.exclusions)
    gather(refusals, "exclusions", [&] { parse_exclusion(text); });
  check_plans(claim, refusals);
  for (const std::string& model : claim.fidelity) {
    if (models::known_shape(model) == nullptr)
      refusals.push_back(fmt::format("fidelity: '{}' is no built-in model", model));
  }
  std::set<std::string> names;
  for (const ClaimPart& part : claim.parts) {
    if (!names.insert(part.name).second)
      refusals.push_back(fmt::format("part {}: the name is there twice", part.name));
    gather(refusals, "part " + part.name, [&] { check_quantity(part, claim); });
    check_reach(claim, part, refusals);
  }
  check_power(claim, check);
  return check;
}

}  // namespace analysis
