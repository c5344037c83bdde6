#include "analysis/claim_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "analysis/claim_check_plans.hpp"
#include "analysis/claim_predicate.hpp"
#include "analysis/claim_quantity.hpp"
#include "analysis/claim_terms.hpp"
#include "harness/error.hpp"
#include "models/shape.hpp"

namespace analysis {
namespace {

/// Launches of one machine never agree better: a smaller spread would buy power with a wish.
constexpr double least_spread = 0.01;

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

void check_predicates(const std::string& where, const std::vector<std::string>& texts,
                      std::string (*fault_of)(const std::vector<std::string>&), Refusals& refusals) {
  gather(refusals, where, [&] {
    const std::string fault = fault_of(texts);
    if (!fault.empty()) refusals.push_back(where + ": " + fault);
  });
}

void check_due(const Claim& claim, Refusals& refusals) {
  // The schema has seen that there are digits.
  const std::chrono::year_month_day day{
      std::chrono::year(std::stoi(claim.due_utc.substr(0, 4))),
      std::chrono::month(static_cast<unsigned>(std::stoi(claim.due_utc.substr(5, 2)))),
      std::chrono::day(static_cast<unsigned>(std::stoi(claim.due_utc.substr(8, 2))))};
  if (!day.ok()) refusals.push_back(fmt::format("due_utc: {} is no day", claim.due_utc.substr(0, 10)));
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
  for (const Quantity* term : terms_of(quantity)) {
    check_term(*term, claim);
    if (kind_of(*term) != TermKind::decode) continue;
    if (const Blocks blocks = blocks_of_term(*term, claim); blocks.last < blocks.first)
      throw harness::Error(
          harness::ExitCode::invalid_input,
          fmt::format("{}: no whole block of its plan lies in positions {}: it would never have a value",
                      term->name, term->keys.count("positions") ? term->keys.at("positions") : "of its own"));
  }
  if (cancels(quantity, claim))
    throw harness::Error(harness::ExitCode::invalid_input,
                         "cannot lose: its terms cancel, so that every machine gives the same value");
  if ((claim.test == "exact") != is_exact(quantity))
    throw harness::Error(harness::ExitCode::invalid_input,
                         claim.test == "exact"
                             ? "test \"exact\" is for fidelity and cpu_share, which do not scatter"
                             : "fidelity and cpu_share do not scatter: test \"exact\" judges them");
  if ((claim.test == "exact") != (part.spread == 0))
    throw harness::Error(harness::ExitCode::invalid_input,
                         claim.test == "exact" ? "an exact quantity has spread 0"
                                               : "measured launches scatter: spread must be above 0");
  if (part.spread != 0 && part.spread < least_spread)
    throw harness::Error(
        harness::ExitCode::invalid_input,
        fmt::format("spread {:g}: launches never scatter by less than {:g}", part.spread, least_spread));
  if (part.support.high > most_possible(quantity))
    throw harness::Error(harness::ExitCode::invalid_input,
                         fmt::format("support ends at {:g}, and a share is at most 1", part.support.high));
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

/// The support as far as any machine reaches it.
Region possible_support(const ClaimPart& part) {
  try {
    const Region any = possible(parse_quantity(part.quantity));
    return {std::max(part.support.low, any.low), std::min(part.support.high, any.high)};
  } catch (const harness::Error&) {
    return part.support;  // the quantity is refused by itself
  }
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
  const Region support = possible_support(part);
  const double first = std::max(support.low, part.region.low * in),
               last = std::min(support.high, part.region.high / in);
  if (first > last)
    refusals.push_back(
        fmt::format("{}: cannot be supported: an interval of × and ÷ {:.4g} ({} launches, spread {:g}) fits "
                    "into the region {} "
                    "from {:.4g} on, but only up to {:.4g} within the support {:g} … {:g}",
                    where, in, claim.launches, part.spread, region_text(part.region), first, last,
                    support.low, support.high));
  if (support.low >= part.region.low / out && support.high <= part.region.high * out)
    refusals.push_back(fmt::format(
        "{}: cannot lose: no value of the support {:g} … {:g} lies outside the region {} by the "
        "half-width of an "
        "interval, × {:.4g} ({} launches, spread {:g})",
        where, support.low, support.high, region_text(part.region), out, claim.launches, part.spread));
  const auto outside = [&](double value) { return !support.holds(value); };
  if (outside(part.true_value) || !part.region.holds(part.true_value))
    refusals.push_back(
        fmt::format("{}: true_value {:g} lies outside region or support", where, part.true_value));
  if (outside(part.false_value) || part.region.holds(part.false_value))
    refusals.push_back(fmt::format("{}: false_value {:g} lies in the region, or outside the support", where,
                                   part.false_value));
}

/// What the launches decide at the value that was published: where that is an end of the region, by luck.
void check_published(const Claim& claim, const ClaimPart& part, ClaimCheck& check) {
  if (part.published_value == 0) return;
  const Region& region = part.region;
  const double at = part.published_value, alpha = claim.alpha / static_cast<double>(claim.parts.size());
  const double inside = power_inside({claim.launches, at, part.spread, claim.alpha}, region),
               outside = power_outside({claim.launches, at, part.spread, alpha}, region);
  const std::string sum = fmt::format(
      "part {}: at the published {:g} it is supported with probability {:.3f} and falsified with {:.3f}{}",
      part.name, at, inside, outside,
      at == region.low || at == region.high ? " (the region's end: a truth there is not decided)" : "");
  check.sums.push_back(sum);
  if (at == region.low || at == region.high) return;
  if ((region.holds(at) ? inside : outside) < least_power)
    check.refusals.push_back(fmt::format("underpowered: {}, less than {:g}", sum, least_power));
}

/// Of values that do not scatter by measuring no power is computed; what decides is said.
void tell_exact(const Claim& claim, ClaimCheck& check) {
  for (const ClaimPart& part : claim.parts)
    check.sums.push_back(fmt::format(
        "part {}: exact: supported when the value of every one of {} launches lies in {}, falsified when "
        "one lies outside; no interval and no power: what scatters with the drawn tokens may fall "
        "outside by chance",
        part.name, claim.launches, region_text(part.region)));
}

void check_power(const Claim& claim, ClaimCheck& check) {
  if (claim.test == "exact") return tell_exact(claim, check);
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
    check_published(claim, part, check);
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
  check_due(claim, refusals);
  check_predicates("population", claim.population, fault_of_population, refusals);
  check_predicates("exclusions", claim.exclusions, fault_of_exclusions, refusals);
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
  check_goldens(claim, refusals);
  check_power(claim, check);
  check_use(claim, refusals);
  check_census(claim, refusals);
  check_contradictions(claim, refusals);
  return check;
}

}  // namespace analysis
