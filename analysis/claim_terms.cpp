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

/// Whether an arm has a neighbour, whose place is then part of what it measures.
bool has_neighbour(const std::string& arm) {
  return arm != "warm" && arm != "aa" && arm != "evict_flush" && arm != "evict_stream";
}

/// What an arm of a plan decodes, whatever the plan is called and whether it spells its defaults out.
std::string decoded_by(const ClaimPlan& plan, const std::string& arm, const Blocks& blocks) {
  const int block_tokens = harness::Plan().block_tokens;
  const Positions timed = timed_positions(plan).value_or(Positions{});
  const int64_t first = timed.first + blocks.first * block_tokens,
                last = std::min<int64_t>(timed.last, timed.first + (blocks.last + 1) * block_tokens - 1);
  const std::string place = plan.placement.empty() ? "nearest" : plan.placement;
  return fmt::format("decode {} {} {} {} {} {} {} threads {} {} {}:{}", arm, plan.model, plan.l3_share,
                     plan.isa, plan.arithmetic, plan.routing, plan.pages, plan.threads,
                     has_neighbour(arm) ? place : "", first, last);
}

/// What a term measures, constants of its plan left out.
std::string measured_by(const Quantity& term, const Claim& claim) {
  if (kind_of(term) == TermKind::decode)
    return decoded_by(claim.plans[plan_of_term(term, claim)], term.keys.at("mode"),
                      blocks_of_term(term, claim));
  std::string text = term.name;
  for (const auto& [key, value] : term.keys) text += fmt::format(" {}={}", key, value);
  return text;
}

/// Of every measured thing, how often it stands above less how often below. `named`: as tokens or as bytes.
void count_powers(const Quantity& quantity, const Claim& claim, int sign, bool named,
                  std::map<std::string, int>& powers) {
  if (quantity.operands.empty()) {
    powers[(named ? quantity.name + " " : "") + measured_by(quantity, claim)] += sign;
    return;
  }
  count_powers(quantity.operands[0], claim, sign, named, powers);
  count_powers(quantity.operands[1], claim, -sign, named, powers);
}

/// In what a quantity is counted; "" for a pure number.
std::string unit_of(const Quantity& quantity) {
  if (!quantity.operands.empty()) {
    const std::string above = unit_of(quantity.operands[0]), below = unit_of(quantity.operands[1]);
    return above == below ? "" : above + "/" + below;
  }
  if (quantity.name == "tokens_per_s") return "tokens/s";
  if (quantity.name == "load_latency_ns") return "ns";
  return kind_of(quantity) == TermKind::decode || kind_of(quantity) == TermKind::probe ? "bytes/s" : "";
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
  count_powers(quantity, claim, 1, false, powers);
  return std::all_of(powers.begin(), powers.end(), [](const auto& entry) { return entry.second == 0; });
}

std::map<std::string, int> powers_of(const Quantity& quantity, const Claim& claim) {
  std::map<std::string, int> powers;
  count_powers(quantity, claim, 1, true, powers);
  std::erase_if(powers, [](const auto& entry) { return entry.second == 0; });
  return powers;
}

Region possible(const Quantity& quantity) {
  if (!quantity.operands.empty()) {
    if (unit_of(quantity).empty()) return {1e-4, 1e4};
    const Region above = possible(quantity.operands[0]), below = possible(quantity.operands[1]);
    return {above.low / below.high, above.high / below.low};
  }
  const std::string unit = unit_of(quantity);
  if (unit == "tokens/s") return {1, 1e7};
  if (unit == "bytes/s") return {1e6, 1e13};
  if (unit == "ns") return {0.1, 1e5};
  return {0, std::min(1e3, most_possible(quantity))};
}

double most_possible(const Quantity& quantity) {
  const auto figure = quantity.keys.find("figure");
  const bool share = quantity.name == "cpu_share" ||
                     (figure != quantity.keys.end() && figure->second == "clear_match_ratio");
  return share ? 1 : std::numeric_limits<double>::infinity();
}

}  // namespace analysis
