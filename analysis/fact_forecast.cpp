#include "analysis/fact_forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace analysis {

using harness::Interval;
using harness::Reading;
using harness::Unavailable;

namespace {

// Changes whenever the same facts would give another figure.
constexpr const char* version = "1";

bool is_cache(const LevelFacts& level) {
  return level.level != "dram";
}

/// The share of a token's weight bytes that caches up to this size serve.
double resident_share(const Work& work, double cache_bytes) {
  if (work.weight_bytes <= 0) return 1;
  if (work.pool_bytes <= 0 || cache_bytes <= work.dense_bytes) {
    const double all = work.dense_bytes > 0 ? work.dense_bytes : work.pool_bytes;
    const double dense = work.pool_bytes > 0 ? work.dense_bytes : work.weight_bytes;
    return cyclic_residency(all, cache_bytes) * dense / work.weight_bytes;
  }
  // Experts drawn uniformly: as many of them are found as fit beside what every token reads.
  const double found = std::clamp((cache_bytes - work.dense_bytes) / work.pool_bytes, 0.0, 1.0);
  return (work.dense_bytes + (work.weight_bytes - work.dense_bytes) * found) / work.weight_bytes;
}

std::vector<LevelShare> shares_of(const CoreFacts& core, const Work& work) {
  std::vector<LevelShare> shares;
  double served = 0;
  for (const LevelFacts& level : core.levels) {
    double upto = 1;
    if (is_cache(level))
      upto = std::max(served, resident_share(work, level.usable_bytes->value - work.kv_bytes));
    shares.push_back({level.level, upto - served});
    served = upto;
  }
  return shares;
}

const Fact* known(const Reading<Fact>& reading) {
  return std::get_if<Fact>(&reading);
}

/// Adds a reason to `why` unless the fact is there.
bool missing(const Reading<Fact>& reading, std::string& why) {
  if (const auto* reason = std::get_if<Unavailable>(&reading)) why = reason->reason;
  return known(reading) == nullptr;
}

/// Says why a token's time cannot be told; "" when it can.
std::string missing_fact(const CoreFacts& core, const Work& work) {
  std::string why;
  const std::vector<LevelShare> shares = shares_of(core, work);
  for (size_t i = 0; i < core.levels.size(); ++i) {
    if (shares[i].share > 0 && missing(core.levels[i].read_bytes_per_s, why)) return why;
  }
  if (!work.knows_compute) return "";
  for (const auto* fact : {&core.macs_per_s, &core.attention_macs_per_s, &core.values_per_s}) {
    if (missing(*fact, why)) return why;
  }
  return "";
}

/// The parts of a token's time before those that overlap are joined. Needs that no fact is missing.
struct Parts {
  std::vector<double> weights;  ///< per level, seconds
  double macs = 0, kv = 0, attention = 0, values = 0;
};

Parts parts_of(const CoreFacts& core, const Work& work) {
  Parts parts;
  double weight_seconds = 0;
  const std::vector<LevelShare> shares = shares_of(core, work);
  for (size_t i = 0; i < core.levels.size(); ++i) {
    const Fact* rate = known(core.levels[i].read_bytes_per_s);
    parts.weights.push_back(rate == nullptr ? 0 : shares[i].share * work.weight_bytes / rate->value);
    weight_seconds += parts.weights.back();
  }
  if (!work.knows_compute) return parts;
  parts.macs = work.macs / known(core.macs_per_s)->value;
  // K and V lie where the weights lie, near enough.
  parts.kv = work.kv_bytes * weight_seconds / work.weight_bytes;
  parts.attention = work.attention_macs / known(core.attention_macs_per_s)->value;
  parts.values = work.values / known(core.values_per_s)->value;
  return parts;
}

/// Reading and multiplying overlap in part: the root of their squares, as our own runs showed.
double token_seconds(const CoreFacts& core, const Work& work) {
  const Parts parts = parts_of(core, work);
  double weights = 0;
  for (const double seconds : parts.weights) weights += seconds;
  return core.formula.value *
         (std::hypot(weights, parts.macs) + std::hypot(parts.kv, parts.attention) + parts.values);
}

std::vector<Term> terms_of(const CoreFacts& core, const Work& work) {
  const Parts parts = parts_of(core, work);
  std::vector<Term> terms;
  for (size_t i = 0; i < core.levels.size(); ++i)
    terms.push_back({"weights from " + core.levels[i].level, parts.weights[i]});
  terms.push_back({"multiply-adds", parts.macs});
  terms.push_back({"K and V", std::hypot(parts.kv, parts.attention)});
  terms.push_back({"norms and activations", parts.values});
  terms.erase(std::remove_if(terms.begin(), terms.end(), [](const Term& term) { return term.seconds <= 0; }),
              terms.end());
  std::stable_sort(terms.begin(), terms.end(),
                   [](const Term& a, const Term& b) { return a.seconds > b.seconds; });
  return terms;
}

/// A fact of a core by the name that people read, and what to run to know it better.
struct NamedFact {
  std::string name, narrow;
  Fact* fact = nullptr;
};

std::vector<NamedFact> facts_in(CoreFacts& core) {
  std::vector<NamedFact> facts;
  for (LevelFacts& level : core.levels) {
    const bool cache = is_cache(level);
    if (auto* rate = std::get_if<Fact>(&level.read_bytes_per_s)) {
      facts.push_back({"read rate of " + level.level,
                       cache ? "tokroof probe there, then predict --machine its document"
                             : "give what is fitted (--what-if dram=40GB/s), or tokroof probe there",
                       rate});
    }
    if (cache && level.usable_bytes)
      facts.push_back(
          {"usable size of " + level.level, "tokroof probe cache_capacity there", &*level.usable_bytes});
  }
  const auto add = [&facts](const char* name, const char* narrow, Reading<Fact>& reading) {
    if (auto* fact = std::get_if<Fact>(&reading)) facts.push_back({name, narrow, fact});
  };
  add("multiply-adds per second", "tokroof bench there", core.macs_per_s);
  add("attention", "tokroof decode --profile there", core.attention_macs_per_s);
  add("norms and activations", "tokroof decode --profile there", core.values_per_s);
  facts.push_back({"the formula itself", "tokroof run --quick there", &core.formula});
  return facts;
}

/// How long the formats of a model take against int8 is a property of the model's work, not of the core.
Contribution square_of_formats(const CoreFacts& core, const Work& work) {
  Work more = work, less = work;
  more.macs *= work.macs_spread;
  less.macs /= work.macs_spread;
  const double half = (std::log(token_seconds(core, more)) - std::log(token_seconds(core, less))) / 2;
  return {"kernels of few bits",
          half * half,
          work.macs_spread,
          false,
          "GEMV of this format against int8, unverified",
          "tokroof bench there"};
}

/// Moves each fact to both ends of its interval and sees what that does to the time: `share` of each is the
/// square of its half width on logarithms.
std::vector<Contribution> squares_of(const CoreFacts& core, const Work& work) {
  std::vector<Contribution> squares;
  CoreFacts moved = core;
  for (const NamedFact& named : facts_in(moved)) {
    const Fact original = *named.fact;
    named.fact->value = original.value * original.spread;
    const double above = std::log(token_seconds(moved, work));
    named.fact->value = original.value / original.spread;
    const double half = (above - std::log(token_seconds(moved, work))) / 2;
    *named.fact = original;
    squares.push_back(
        {named.name, half * half, original.spread, original.verified, original.source, named.narrow});
  }
  if (work.knows_compute && work.macs_spread > 1) squares.push_back(square_of_formats(core, work));
  return squares;
}

double sum_of(const std::vector<Contribution>& contributions) {
  double sum = 0;
  for (const Contribution& contribution : contributions) sum += contribution.share;
  return sum;
}

std::vector<Contribution> contributions_of(const CoreFacts& core, const Work& work) {
  constexpr double least = 0.005;  // what rounds to 0 % explains nothing
  std::vector<Contribution> why = squares_of(core, work);
  const double sum = sum_of(why);
  for (Contribution& contribution : why) contribution.share /= sum > 0 ? sum : 1;
  std::stable_sort(why.begin(), why.end(),
                   [](const Contribution& a, const Contribution& b) { return a.share > b.share; });
  why.erase(std::remove_if(why.begin(), why.end(), [](const Contribution& c) { return c.share < least; }),
            why.end());
  return why;
}

Reading<Interval> roof(const Reading<Fact>& rate, const Work& work) {
  if (const auto* why = std::get_if<Unavailable>(&rate)) return *why;
  const Fact& fact = std::get<Fact>(rate);
  const double tokens = fact.value / work.weight_bytes;
  return Interval{tokens, tokens / fact.spread, tokens * fact.spread};
}

Reading<Interval> cache_roof(const CoreFacts& core, const Work& work) {
  int64_t largest = 0;
  for (const LevelFacts& level : core.levels) {
    if (!is_cache(level)) continue;
    if (static_cast<double>(level.reported_bytes) >= work.weight_bytes)
      return roof(level.read_bytes_per_s, work);
    largest = std::max(largest, level.reported_bytes);
  }
  if (largest == 0) return Unavailable{"no data cache is known"};
  return Unavailable{
      fmt::format("no cache holds {:.0f} bytes of weights; the largest has {}", work.weight_bytes, largest)};
}

Reading<Interval> prior(const CoreFacts& core, const Work& work) {
  const std::string why = missing_fact(core, work);
  if (!why.empty()) return Unavailable{why};
  const double tokens = 1 / token_seconds(core, work);
  const double width = std::exp(std::sqrt(sum_of(squares_of(core, work))));
  return Interval{tokens, tokens / width, tokens * width};
}

Reading<int64_t> half_l3(const CoreFacts& core) {
  for (const LevelFacts& level : core.levels) {
    if (level.level == "l3" && level.reported_bytes > 0) return level.reported_bytes / 2;
  }
  return Unavailable{"this core has no L3"};
}

std::string limit_of(const std::vector<Term>& terms) {
  double sum = 0;
  for (const Term& term : terms) sum += term.seconds;
  const Term& longest = terms.front();
  const bool reads = longest.name.starts_with("weights from ");
  const std::string what =
      reads ? "the bandwidth of " + longest.name.substr(std::string("weights from ").size())
      : longest.name == "multiply-adds" ? "compute: multiply-adds per cycle"
                                        : longest.name;
  return fmt::format("{} ({:.0f} % of what a token costs)", what, 100 * longest.seconds / sum);
}

const char* format_name(models::Format format) {
  return format == models::Format::ternary  ? "ternary"
         : format == models::Format::group3 ? "group3"
         : format == models::Format::group4 ? "group4"
                                            : "int8";
}

/// Sets the multiply-adds as many of int8 as take as long. The head is of the embedding's format, all else is
/// counted with the blocks'.
void set_macs(Work& work, const models::Shape& shape, double macs) {
  const auto speed = [](models::Format format) {
    return fact_of(shared_priors().format_speed.at(format_name(format)), "");
  };
  const double head = static_cast<double>(shape.vocab) * shape.d;
  const Fact body = speed(shape.body_format), embedding = speed(shape.embedding_format);
  work.macs = head / embedding.value + (macs - head) / body.value;
  work.macs_spread = std::max(body.spread, embedding.spread);
}

}  // namespace

double cyclic_residency(double bytes, double cache_bytes) {
  if (cache_bytes <= 0) return 0;
  const double ratio = bytes / cache_bytes;
  if (ratio <= 1) return 1;
  // The fixed point below 1 attracts: 200 steps reach it to 1e-6 from ratio 1.05 on, and near 1 it is near 1.
  double h = 0;
  for (int i = 0; i < 200; ++i) h = std::exp(-ratio * (1 - h));
  return h;
}

Work work_of(const models::Shape& shape) {
  const models::Cost cost = models::cost(shape);
  Work work;
  work.name = shape.name;
  work.knows_compute = true;
  work.weight_bytes = static_cast<double>(cost.weight_bytes_per_token);
  work.dense_bytes = work.weight_bytes;
  const double unread = static_cast<double>(cost.weight_bytes - cost.weight_bytes_per_token);
  if (shape.experts.count > shape.experts.top_k) {
    // Of all weights a token leaves out (count − top_k) experts of each block: that tells what one weighs.
    work.pool_bytes = unread * shape.experts.count / (shape.experts.count - shape.experts.top_k);
    work.dense_bytes = static_cast<double>(cost.weight_bytes) - work.pool_bytes;
  }
  set_macs(work, shape, static_cast<double>(cost.macs_per_token));
  work.mean_position = (shape.default_position_first + shape.default_position_last) / 2.0;
  const double blocks = static_cast<double>(shape.blocks.size());
  const double attention =
      static_cast<double>(std::count(shape.blocks.begin(), shape.blocks.end(), models::Block::attention));
  work.attention_macs = 2.0 * attention * shape.heads * shape.head_dim * (work.mean_position + 1);
  work.kv_bytes = static_cast<double>(cost.kv_bytes) * (work.mean_position + 1) / shape.context;
  const int visited = shape.experts.count > 0 ? shape.experts.top_k + shape.experts.shared : 1;
  work.values = blocks * (7.0 * shape.d + 2.0 * shape.ff * visited);
  return work;
}

Work work_of_bytes(int64_t weight_bytes, int64_t active_bytes) {
  Work work;
  work.name = "a model without a description";
  work.weight_bytes = static_cast<double>(active_bytes);
  // Nothing says which part of the weights every token reads: all of it may be drawn.
  work.dense_bytes = active_bytes < weight_bytes ? 0 : work.weight_bytes;
  work.pool_bytes = active_bytes < weight_bytes ? static_cast<double>(weight_bytes) : 0;
  return work;
}

CoreForecast forecast_core(const CoreFacts& core, const Work& work) {
  CoreForecast forecast;
  forecast.core_kind = core.core_kind;
  forecast.isa = core.isa;
  forecast.forecasts = {{"dram_roof", version, roof(core.levels.back().read_bytes_per_s, work)},
                        {"cache_roof", version, cache_roof(core, work)},
                        {"catalogue_prior", version, prior(core, work)}};
  if (core.levels.size() > 1) forecast.served_by = shares_of(core, work);
  const std::string why = missing_fact(core, work);
  forecast.limit = Unavailable{why};
  if (why.empty()) {
    forecast.terms = terms_of(core, work);
    forecast.limit = limit_of(forecast.terms);
    forecast.why = contributions_of(core, work);
  }
  forecast.fit_half_l3_bytes = half_l3(core);
  forecast.fit_half_life_bytes = Unavailable{"the half-life of lines in its last level is not known"};
  return forecast;
}

}  // namespace analysis
