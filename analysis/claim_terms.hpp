// What is known of a claim's quantity before anything is measured: a claim about a constant cannot lose.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "analysis/claim.hpp"
#include "analysis/claim_quantity.hpp"

namespace analysis {

/// The positions that a plan times, inclusive: its own, or those that its model is timed at by default.
/// nullopt for an unknown model.
std::optional<Positions> timed_positions(const ClaimPlan& plan);

/// Whole blocks of a plan, first and last, by index. Empty when last < first.
struct Blocks {
  int64_t first = 0, last = -1;
};
/// Returns the blocks of a plan that a decode term means: those that lie in its positions, or all. Throws
/// Error(invalid_input) as plan_of_term().
Blocks blocks_of_term(const Quantity& term, const Claim& claim);

/// Returns whether all terms of a ratio cancel, so that every machine gives the same value: the same arm,
/// plan and blocks above and below, where weight bytes are tokens times a constant of the plan.
bool cancels(const Quantity& quantity, const Claim& claim);

/// Returns how often each measured thing stands above less how often below: two quantities with the same
/// powers are the same quantity, however they are written. What cancels is left out.
std::map<std::string, int> powers_of(const Quantity& quantity, const Claim& claim);

/// Returns between what a quantity can lie on any machine that runs this, generously: a support beyond it is
/// a wish. tokens_per_s 1 to 1e7, bytes per second 1e6 to 1e13, latencies 0.1 ns to 0.1 ms, ratios of like to
/// like 1e-4 to 1e4.
Region possible(const Quantity& quantity);

/// Returns the most that a quantity can be at all: 1 of a share, infinity of anything else.
double most_possible(const Quantity& quantity);

}  // namespace analysis
