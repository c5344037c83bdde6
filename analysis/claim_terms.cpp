#include "analysis/claim_terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "analysis/derive_parts.hpp"
#include "models/shape.hpp"

namespace analysis {
namespace {

/// Any size of the family has the same context and positions.
constexpr const char* any_of_family = "coreflow_x4096kib";

/// What a term measures, constants of its plan left out.
std::string measured_by(const Quantity& term, const Claim& claim) {
  if (kind_of(term) == TermKind::decode) {
    const Blocks blocks = blocks_of_term(term, claim);
    return fmt::format("decode {} {} {}:{}", plan_of_term(term, claim), term.keys.at("mode"), blocks.first,
                       blocks.last);
  }
  std::string text = term.name;
  for (const auto& [key, value] : term.keys) text += fmt::format(" {}={}", key, value);
  return text;
}

void count_powers(const Quantity& quantity, const Claim& claim, int sign,
                  std::map<std::string, int>& powers) {
  if (quantity.operands.empty()) {
    powers[measured_by(quantity, claim)] += sign;
    return;
  }
  count_powers(quantity.operands[0], claim, sign, powers);
  count_powers(quantity.operands[1], claim, -sign, powers);
}

}  // namespace

std::optional<Positions> timed_positions(const ClaimPlan& plan) {
  if (!plan.positions.empty()) return positions_of(plan.positions);
  const models::Shape* shape = models::known_shape(plan.l3_share > 0 ? any_of_family : plan.model);
  if (shape == nullptr) return std::nullopt;
  return Positions{shape->default_position_first, shape->default_position_last};
}

Blocks blocks_of_term(const Quantity& term, const Claim& claim) {
  const ClaimPlan& claimed = claim.plans[plan_of_term(term, claim)];
  const auto timed = timed_positions(claimed);
  if (!timed) return {};
  harness::Plan plan;
  plan.position_first = timed->first;
  plan.position_last = timed->last;
  const auto positions = term.keys.find("positions");
  const Positions asked = positions == term.keys.end() ? *timed : positions_of(positions->second);
  Blocks found;
  for (int64_t block = 0; block < blocks_per_pass(plan); ++block) {
    const int64_t first = plan.position_first + block * plan.block_tokens;
    if (first < asked.first || first + tokens_in_block(plan, block) - 1 > asked.last) continue;
    if (found.last < found.first) found.first = block;
    found.last = block;
  }
  return found;
}

bool cancels(const Quantity& quantity, const Claim& claim) {
  std::map<std::string, int> powers;
  count_powers(quantity, claim, 1, powers);
  return std::all_of(powers.begin(), powers.end(), [](const auto& entry) { return entry.second == 0; });
}

double most_possible(const Quantity& quantity) {
  const auto figure = quantity.keys.find("figure");
  const bool share = quantity.name == "cpu_share" ||
                     (figure != quantity.keys.end() && figure->second == "clear_match_ratio");
  return share ? 1 : std::numeric_limits<double>::infinity();
}

}  // namespace analysis
