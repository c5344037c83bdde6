#include "analysis/machine_groups.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "analysis/hypothesis_tests.hpp"

namespace analysis {
namespace {

// Shares of hit machines from which on a group is one, below which the others are not, and that is
// everywhere.
constexpr double most = 0.8, few = 0.2, nearly_all = 0.9;

std::string size_text(int64_t bytes) {
  constexpr int64_t kib = 1024, mib = 1024 * kib;
  if (bytes % mib == 0) return std::to_string(bytes / mib) + " MiB";
  return std::to_string(bytes / kib) + " KiB";
}

bool holds(const Unit& unit, const Terms& terms) {
  return std::all_of(terms.begin(), terms.end(),
                     [&](const auto& term) { return unit.facts[term.first] == term.second; });
}

/// Every fact that some machine has, and every two of them, but microarchitecture with vendor.
std::set<Terms> descriptions(const std::vector<Unit>& units) {
  std::set<Terms> all;
  for (const Unit& unit : units) {
    for (size_t a = 0; a < unit.facts.size(); ++a) {
      if (unit.facts[a].empty()) continue;
      all.insert({{a, unit.facts[a]}});
      for (size_t b = a + 1; b < unit.facts.size(); ++b) {
        if (!unit.facts[b].empty() && !(a == 1 && b == 2))
          all.insert({{a, unit.facts[a]}, {b, unit.facts[b]}});
      }
    }
  }
  return all;
}

double hit_shift(const RegressionRule& rule) {
  return std::log1p(-rule.margin_ratio) / 2;
}

/// The median shift of every machine: its ISAs are not independent of each other.
std::map<std::string, double> shifts_by_machine(const std::vector<const Unit*>& units) {
  std::map<std::string, std::vector<double>> all;
  for (const Unit* unit : units) all[unit->machine_key].push_back(unit->shift);
  std::map<std::string, double> shifts;
  for (const auto& [key, values] : all) shifts[key] = harness::median(values);
  return shifts;
}

double share(int part, int whole) {
  return whole > 0 ? static_cast<double>(part) / whole : 0;
}

/// P(at least `hits` of `drawn`) when `all_hits` of `all` are hit (hypergeometric).
double drawn_by_chance(int all, int all_hits, int drawn, int hits) {
  const auto choose = [](int n, int k) {
    return std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0);
  };
  double p = 0;
  for (int k = hits; k <= std::min(drawn, all_hits); ++k) {
    if (drawn - k > all - all_hits) continue;
    p += std::exp(choose(all_hits, k) + choose(all - all_hits, drawn - k) - choose(all, drawn));
  }
  return std::min(1.0, p);
}

/// Whether a is to be told rather than b: it tells hit from others better, in fewer words, of more machines.
bool better(const MachineGroup& a, const MachineGroup& b) {
  const auto rank = [](const MachineGroup& each) {
    return std::tuple(-each.separation, each.terms.size(), -each.inside.machines);
  };
  return rank(a) != rank(b) ? rank(a) < rank(b) : a.terms < b.terms;
}

}  // namespace

std::vector<std::string> facts_of(const SpeedSeries& series) {
  const MachineTraits& machine = series.machine;
  return {series.key.isa, machine.microarchitecture, machine.vendor,
          machine.l2_bytes > 0 ? size_text(machine.l2_bytes) + " L2" : "", l3_class(machine.l3_bytes)};
}

std::string l3_class(int64_t bytes) {
  if (bytes <= 0) return "no L3";
  int64_t size = int64_t{1} << 20;
  while (size < bytes && size < (int64_t{1} << 40)) size *= 2;
  return size_text(size) + " L3";
}

std::string text_of(const Terms& terms) {
  std::string text;
  for (const auto& [feature, value] : terms) text += (text.empty() ? "" : ", ") + value;
  return text;
}

GroupTest test_of(const std::vector<const Unit*>& units, const RegressionRule& rule) {
  GroupTest test;
  std::vector<double> shifts, ratios;
  for (const auto& [key, shift] : shifts_by_machine(units)) {
    shifts.push_back(shift);
    ratios.push_back(std::exp(shift));
    test.slower += shift < 0 ? 1 : 0;
    test.hit += shift <= hit_shift(rule) ? 1 : 0;
  }
  test.machines = static_cast<int>(shifts.size());
  if (shifts.empty()) return test;
  test.ratio = std::exp(harness::median(shifts));
  test.p = test.ratio < 1 ? sign_outside_p(ratios, {1}) : 1;
  return test;
}

bool passes(const GroupTest& test, const RegressionRule& rule) {
  return test.machines >= least_machines && test.p <= rule.alpha && test.ratio <= 1 - rule.margin_ratio;
}

bool nearly_all_hit(const GroupTest& test) {
  return share(test.hit, test.machines) >= nearly_all;
}

std::vector<MachineGroup> find_groups(const std::vector<Unit>& units, const RegressionRule& rule) {
  std::vector<MachineGroup> all;
  int looked_at = 0;
  const auto hits = static_cast<int>(std::count_if(
      units.begin(), units.end(), [&](const Unit& unit) { return unit.shift <= hit_shift(rule); }));
  for (const Terms& terms : descriptions(units)) {
    MachineGroup made;
    made.terms = terms;
    std::vector<const Unit*> inside, outside;
    int inside_hits = 0;
    for (const Unit& unit : units) {
      const bool member = holds(unit, terms);
      made.members.push_back(member);
      (member ? inside : outside).push_back(&unit);
      inside_hits += member && unit.shift <= hit_shift(rule) ? 1 : 0;
    }
    made.inside = test_of(inside, rule);
    made.outside = test_of(outside, rule);
    if (made.inside.machines < least_machines || made.outside.machines < least_machines) continue;
    ++looked_at;
    const double inside_share = share(made.inside.hit, made.inside.machines);
    const double outside_share = share(made.outside.hit, made.outside.machines);
    made.separation = inside_share - outside_share;
    made.chance =
        drawn_by_chance(static_cast<int>(units.size()), hits, static_cast<int>(inside.size()), inside_hits);
    if (passes(made.inside, rule) && !passes(made.outside, rule) && inside_share >= most &&
        outside_share <= few)
      all.push_back(std::move(made));
  }
  for (MachineGroup& each : all) each.chance = std::min(1.0, each.chance * looked_at);
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const MachineGroup& each) { return each.chance > rule.alpha; }),
            all.end());
  std::sort(all.begin(), all.end(), &better);
  return all;
}

}  // namespace analysis
