// Which machines have a change in common? Groups that the facts of machines single out, and tests of them.
// Pure; docs/regressions.md gives the rule.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/regression.hpp"

namespace analysis {

/// One ISA on one machine: how its level changed, and what may explain it.
struct Unit {
  std::string machine_key;
  std::vector<std::string> facts;  ///< ISA, microarchitecture, vendor, L2, L3; "" where not known
  double shift = 0;                ///< logarithm of level after ÷ before
};

/// A description of machines: facts that they all have.
using Terms = std::vector<std::pair<size_t, std::string>>;

/// What the machines of a group did at one commit.
struct GroupTest {
  int machines = 0, slower = 0;  ///< slower: those whose level fell at all
  int hit = 0;                   ///< those that lost more than half of the margin
  double ratio = 1;              ///< median over machines of level after ÷ before
  double p = 1;                  ///< sign test, two-sided
  double adjusted_p = 1;         ///< for all kernels (Holm)
};

/// The fewest machines with which a sign test can reach 5 %: 2 · 2⁻⁶.
inline constexpr int least_machines = 6;

/// A group that may be claimed.
struct MachineGroup {
  Terms terms;
  std::vector<bool> members;  ///< by unit
  GroupTest inside, outside;
  double separation = 0;  ///< share of hit machines inside − outside
  double chance = 1;      ///< hypergeometric p-value, times the groups that were looked at
};

/// Returns what may explain a series' change: ISA, microarchitecture, vendor, L2, L3; "" where not known.
std::vector<std::string> facts_of(const SpeedSeries& series);

/// Returns "32 MiB L3": sizes are taken together up to the next power of two; "no L3" for 0.
std::string l3_class(int64_t bytes);

/// Returns "avx2, 256 KiB L2".
std::string text_of(const Terms& terms);

/// Tests whether the machines became slower. Each counts once, by the median of its units.
GroupTest test_of(const std::vector<const Unit*>& units, const RegressionRule& rule);

/// Whether a test shows a slow-down of the margin.
bool passes(const GroupTest& test, const RegressionRule& rule);

/// Whether so many of the machines were hit that one speaks of all.
bool nearly_all_hit(const GroupTest& test);

/// Returns the groups, best first, that were hit while the others were not: the group's own test passes, that
/// of the others does not, and facts drawn by chance would hardly tell them apart as well.
std::vector<MachineGroup> find_groups(const std::vector<Unit>& units, const RegressionRule& rule);

}  // namespace analysis
