#include "analysis/expert_residency.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

namespace analysis {
namespace {

/// The number after "KIND:", as documents write routings.
double parameter_of(const std::string& routing) {
  const size_t colon = routing.find(':');
  double value = 0;
  if (colon != std::string::npos)
    std::from_chars(routing.data() + colon + 1, routing.data() + routing.size(), value);
  return value;
}

/// Solves rising(x) = goal on [0, high] by halving.
template <class F>
double solve(const F& rising, double goal, double high) {
  while (rising(high) < goal && high < 1e12) high *= 2;
  double low = 0;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (rising(middle) < goal ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// The probability that a token visits each expert: k draws with weights 1/rank^s, those already chosen drawn
/// again. As if each were drawn m times with repeats, m such that k different ones are expected.
std::vector<double> visit_probabilities(const ExpertPool& pool, double exponent) {
  std::vector<double> weights(static_cast<size_t>(pool.experts));
  double sum = 0;
  for (size_t i = 0; i < weights.size(); ++i)
    sum += weights[i] = std::pow(static_cast<double>(i + 1), -exponent);
  const auto seen = [&](double weight, double draws) { return 1 - std::pow(1 - weight / sum, draws); };
  const double draws = solve(
      [&](double m) {
        double different = 0;
        for (const double weight : weights) different += seen(weight, m);
        return different;
      },
      pool.top_k, pool.top_k);
  for (double& weight : weights) weight = seen(weight, draws);
  return weights;
}

/// Σ visit (1 − visit)^(j − 1) kept^j over j = 1 … tokens: how much of an expert is left when it is visited
/// again.
double left_at_next(double visit, double tokens, double kept) {
  const double missed = (1 - visit) * kept;
  return visit * kept * (1 - std::pow(missed, tokens)) / (1 - missed);
}

/// How many tokens back a cache reaches that holds this share of experts visited with one probability.
double reach(double visit, double held) {
  return held >= 1 ? std::numeric_limits<double>::infinity() : std::log1p(-held) / std::log1p(-visit);
}

/// `visit`: no number where a model's experts are known by their bytes alone.
double uniform_hits(double visit, double held, double kept) {
  if (kept >= 1) return held;
  if (!(visit < 1)) return held * kept;  // all experts at every token, or nobody knows how many
  return left_at_next(visit, reach(visit, held), kept);
}

/// `held`: the share of the pool that the cache holds.
double skewed_hits(const std::vector<double>& visits, double held, double kept) {
  const auto resident = [](double visit, double tokens) { return 1 - std::pow(1 - visit, tokens); };
  const double tokens = held >= 1 ? std::numeric_limits<double>::infinity()
                                  : solve(
                                        [&](double t) {
                                          double sum = 0;
                                          for (const double visit : visits) sum += resident(visit, t);
                                          return sum / static_cast<double>(visits.size());
                                        },
                                        held, 1);
  double hits = 0, all = 0;
  for (const double visit : visits) {
    hits += visit * left_at_next(visit, tokens, kept);
    all += visit;
  }
  return hits / all;
}

}  // namespace

harness::Reading<double> expert_hit_ratio(const ExpertPool& pool, double cache_bytes,
                                          const std::string& routing, double kept) {
  if (routing.starts_with("file:"))
    return harness::Unavailable{"which experts the file's trace repeats is not known"};
  const double room = cache_bytes - pool.dense_bytes;
  const bool all = room >= pool.pool_bytes;
  if (all && kept >= 1) return 1.0;
  if (room < pool.token_bytes) return 0.0;
  const double held = all ? 1 : room / pool.pool_bytes, experts = pool.experts, chosen = pool.top_k;
  if (routing.starts_with("zipf:"))
    return skewed_hits(visit_probabilities(pool, parameter_of(routing)), held, kept);
  if (routing.starts_with("sticky:")) {
    // Kept for the next token, or drawn anew: then it was not among those of the token before.
    const double rho = parameter_of(routing);
    const double drawn = experts > chosen ? std::min((1 - rho) * chosen / (experts - chosen), 1.0) : 1;
    return rho * kept + (drawn > 0 ? (1 - rho) * kept * uniform_hits(drawn, held, kept) : 0);
  }
  return uniform_hits(chosen / experts, held, kept);
}

}  // namespace analysis
