#include "analysis/fact_width.hpp"

#include <algorithm>
#include <cmath>

namespace analysis {

using harness::Reading;

namespace {

// With the probes' curves and kernel rates, ecm needs no prior at all.
constexpr const char* probe = "tokroof probe";

/// A fact of a core by the name that people read.
struct NamedFact {
  std::string name;
  Fact* fact = nullptr;
  bool moves_shares = false;  ///< what each level serves depends on it
};

std::vector<NamedFact> facts_in(CoreFacts& core) {
  std::vector<NamedFact> facts;
  for (LevelFacts& level : core.levels) {
    if (auto* rate = std::get_if<Fact>(&level.read_bytes_per_s))
      facts.push_back({"read rate of " + level.level, rate});
    if (is_cache(level) && level.usable_bytes)
      facts.push_back({"usable size of " + level.level, &*level.usable_bytes, true});
  }
  const auto add = [&facts](const char* name, Reading<Fact>& reading) {
    if (auto* fact = std::get_if<Fact>(&reading)) facts.push_back({name, fact});
  };
  add("multiply-adds per second", core.macs_per_s);
  add("attention", core.attention_macs_per_s);
  add("norms and activations", core.values_per_s);
  facts.push_back({"the formula itself", &core.formula});
  return facts;
}

/// How long the formats of a model take against int8 is a property of the model's work, not of the core.
Contribution square_of_formats(const CoreFacts& core, const Work& work,
                               const std::vector<LevelShare>& shares) {
  Work more = work, less = work;
  more.macs *= work.macs_spread;
  less.macs /= work.macs_spread;
  const double half =
      (std::log(token_seconds(core, more, shares)) - std::log(token_seconds(core, less, shares))) / 2;
  return {"kernels of few bits",
          half * half,
          work.macs_spread,
          false,
          "unverified: GEMV of this format against int8 was measured on Zen 5 alone",
          probe};
}

}  // namespace

std::vector<Contribution> squares_of(const CoreFacts& core, const Work& work) {
  std::vector<Contribution> squares;
  CoreFacts moved = core;
  const std::vector<LevelShare> shares = shares_of(core, work);
  const auto log_time = [&](const NamedFact& named, double value) {
    named.fact->value = value;
    return std::log(token_seconds(moved, work, named.moves_shares ? shares_of(moved, work) : shares));
  };
  for (const NamedFact& named : facts_in(moved)) {
    const Fact original = *named.fact;
    const double half = (log_time(named, original.value * original.spread) -
                         log_time(named, original.value / original.spread)) /
                        2;
    *named.fact = original;
    squares.push_back({named.name, half * half, original.spread, original.verified, original.source, probe});
  }
  if (work.knows_compute && work.macs_spread > 1) squares.push_back(square_of_formats(core, work, shares));
  return squares;
}

double sum_of_shares(const std::vector<Contribution>& contributions) {
  double sum = 0;
  for (const Contribution& contribution : contributions) sum += contribution.share;
  return sum;
}

std::vector<Contribution> as_shares(std::vector<Contribution> why) {
  constexpr double least = 0.005;  // what rounds to 0 % explains nothing
  const double sum = sum_of_shares(why);
  for (Contribution& contribution : why) contribution.share /= sum > 0 ? sum : 1;
  std::stable_sort(why.begin(), why.end(),
                   [](const Contribution& a, const Contribution& b) { return a.share > b.share; });
  why.erase(std::remove_if(why.begin(), why.end(), [](const Contribution& c) { return c.share < least; }),
            why.end());
  return why;
}

}  // namespace analysis
