// How long one core takes for a token, from facts. docs/forecasts.md, "A CPU that nobody measured".
#pragma once
#include <string>
#include <vector>

#include "analysis/machine_facts.hpp"
#include "analysis/work.hpp"

namespace analysis {

/// A level and the share of a token's weight bytes that it serves.
struct LevelShare {
  std::string level;
  double share = 0;
};

/// A part of a token's time.
struct Term {
  std::string name;  ///< "weights from l3", "multiply-adds", "K and V", "norms and activations"
  double seconds = 0;
};

bool is_cache(const LevelFacts& level);

/// Returns the share of `bytes`, read round and round, that a cache of that size serves under random
/// replacement: 1 when they fit, else the h of h = exp(−bytes ÷ cache · (1 − h)).
double cyclic_residency(double bytes, double cache_bytes);

/// Returns what each level of the core serves, in its order; the shares add up to 1.
std::vector<LevelShare> shares_of(const CoreFacts& core, const Work& work);

/// Says why a token's time cannot be told; "" when it can.
std::string missing_fact(const CoreFacts& core, const Work& work, const std::vector<LevelShare>& shares);

/// Returns the time of a token. Reading and multiplying overlap in part: the root of their squares, as our
/// own runs showed. Needs that no fact is missing.
double token_seconds(const CoreFacts& core, const Work& work, const std::vector<LevelShare>& shares);

/// Returns its parts before those that overlap are joined, the longest first. Needs that no fact is missing.
std::vector<Term> terms_of(const CoreFacts& core, const Work& work, const std::vector<LevelShare>& shares);

}  // namespace analysis
