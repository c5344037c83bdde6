// Tokens per second of one core from facts: what is known of a machine on which nobody has decoded.
// docs/forecasts.md, "A CPU that nobody measured", gives the arithmetic.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/machine_facts.hpp"
#include "harness/statistics.hpp"
#include "models/shape.hpp"

namespace analysis {

/// What a token of a model asks of a core.
struct Work {
  std::string name;
  double weight_bytes = 0;    ///< read per token
  double dense_bytes = 0;     ///< of these, what every token reads; the rest is drawn from the pool
  double pool_bytes = 0;      ///< all experts' weights
  double macs = 0;            ///< multiply-adds with weights, as many of int8 as take as long
  double macs_spread = 1;     ///< how far that is trusted: 1 for a model that is int8 throughout
  double kv_bytes = 0;        ///< K and V read at the mean position
  double attention_macs = 0;  ///< multiply-adds with K and V at the mean position
  double values = 0;          ///< values that norms, activations and the rest pass through
  double mean_position = 0;
  bool knows_compute = false;  ///< false: only bytes are known
};

/// Takes a model's work from its shape, at the mean of the positions that are timed by default.
Work work_of(const models::Shape& shape);
/// Makes the work of a model of which only its size and what a token reads of it are known.
Work work_of_bytes(int64_t weight_bytes, int64_t active_bytes);

/// A part of a token's time.
struct Term {
  std::string name;  ///< "weights from l3", "multiply-adds", "K and V", "norms and activations"
  double seconds = 0;
};

/// How much a fact adds to the interval.
struct Contribution {
  std::string fact;  ///< "read rate of l3", "usable size of l2", "multiply-adds", …
  double share = 0;  ///< of the variance on logarithms; all add up to 1
  double spread = 1;
  bool verified = true;
  std::string source, narrow;  ///< narrow: what to run to know it better
};

/// A level and the share of a token's weight bytes that it serves.
struct LevelShare {
  std::string level;
  double share = 0;
};

/// One forecast model's answer.
struct FactForecast {
  std::string id, version;
  harness::Reading<harness::Interval> tokens_per_s;  ///< median = point; 90 % interval
};

/// Everything that can be said of one kind of core.
struct CoreForecast {
  std::string core_kind, isa;
  std::vector<FactForecast> forecasts;  ///< dram_roof, cache_roof, catalogue_prior
  std::vector<LevelShare> served_by;    ///< ascending; empty when no level is known
  std::vector<Term> terms;              ///< of catalogue_prior; longest first
  harness::Reading<std::string> limit;  ///< in words: what most of a token's time goes to
  std::vector<Contribution> why;        ///< of catalogue_prior's interval; largest first
  harness::Reading<int64_t> fit_half_l3_bytes;
  harness::Reading<int64_t> fit_half_life_bytes;  ///< weights that one lap keeps warm
};

CoreForecast forecast_core(const CoreFacts& core, const Work& work);

/// Returns the share of `bytes`, read round and round, that a cache of that size serves under random
/// replacement: 1 when they fit, else the h of h = exp(−bytes ÷ cache · (1 − h)).
double cyclic_residency(double bytes, double cache_bytes);

}  // namespace analysis
