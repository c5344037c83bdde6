// Two sets of launches of the same decodes: is the second slower? Pure; docs/comparing.md gives the rule. The
// unit is the process launch, or the document where several sittings are compared.
#pragma once
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analysis/hypothesis_tests.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// What counts as slower, and how sure one has to be.
struct ComparisonRule {
  double margin_ratio = 0.03;  ///< a slow-down below this share of the old speed is no regression
  double alpha = 0.05;         ///< intervals are at 1 − alpha
  double power = 0.9;          ///< with which the smallest slow-down told would be found
};

/// What one side did under one set of selectors. The A/A arm is a control, not a decode of its own.
struct ComparedDecode {
  harness::DecodeKey key;
  std::vector<double> tokens_per_s;  ///< of the median block, one value per launch, in the order of rounds
  std::vector<int> rounds;           ///< of each
  std::vector<double> aa_ratios;     ///< `aa` ÷ `warm` of the same launches
  std::set<std::string> golden;      ///< SHA-256 of the logits of every launch
  std::string wrong;                 ///< why its figures do not count, "" when they do
};

/// Returns the decodes of a document, in its order. Warm arms that only serve as the base of evict_stream are
/// left out. A launch whose logits are not the expected ones makes its decodes wrong.
std::vector<ComparedDecode> collect_decodes(const harness::Submission& submission);

/// Adds what another launch of the same side gave.
void add_launch(std::vector<ComparedDecode>& to, const std::vector<ComparedDecode>& launch);

/// How the speed changed. word: "regressed", "no_worse", "improved", "inconclusive".
struct SpeedChange {
  int old_count = 0, new_count = 0;
  harness::Interval old_tokens_per_s, new_tokens_per_s;
  harness::Interval ratio;      ///< new ÷ old; `median` is exp of the mean difference of logs
  double detectable_ratio = 1;  ///< slow-downs of at least this (new ÷ old) would have been called regressed
  double slower_p = 1;          ///< one-sided p-value of "not slower"
  std::string word = "inconclusive";
  /// False with fewer than two values on a side, or rounds in common.
  [[nodiscard]] bool has_interval() const { return ratio.median > 0; }
};

/// Returns new ÷ old of the rounds that both have.
std::vector<double> round_ratios(const ComparedDecode& old_side, const ComparedDecode& new_side);

/// Compares the launches of the same rounds, made next to each other. Inconclusive with fewer than two.
SpeedChange paired_change(const ComparedDecode& old_side, const ComparedDecode& new_side,
                          const ComparisonRule& rule);

/// Compares two independent sets (Welch 1947), on logarithms. Inconclusive with fewer than two values on a
/// side.
SpeedChange unpaired_change(std::span<const double> old_speeds, std::span<const double> new_speeds,
                            const ComparisonRule& rule);

/// One decode that was compared. word: as in SpeedChange, or "wrong" (no figure counts), "suspected"
/// (regressed, and nobody has seen it again), "only_old", "only_new".
struct ComparedRow {
  harness::DecodeKey key;
  SpeedChange change;
  std::optional<SpeedChange> again;  ///< the second run, where there was one
  std::string word, why;             ///< `why`: what the word does not say, "" when there is nothing
};

/// How the values of two sides belong together.
enum class Pairing { rounds, independent };

/// Compares what both sides decoded, in the old side's order, then lists what only one has.
std::vector<ComparedRow> compare_decodes(const std::vector<ComparedDecode>& before,
                                         const std::vector<ComparedDecode>& after, Pairing pairing,
                                         const ComparisonRule& rule);

/// Takes a second run into account: a regression that it does not repeat becomes inconclusive, as does an
/// improvement. What is wrong in the second run is wrong.
void confirm(std::vector<ComparedRow>& rows, const std::vector<ComparedRow>& again);

/// Takes back what nobody has seen again: a regression becomes suspected, an improvement inconclusive.
void doubt(ComparedRow& row, const std::string& why);

/// Returns how many pairs would find a slow-down of the margin with the rule's power, were their log ratios
/// to scatter like these: within [least, most].
int launches_for(std::span<const double> pilot_ratios, const ComparisonRule& rule, int least, int most);

}  // namespace analysis
