#include "analysis/comparison.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "analysis/derive.hpp"
#include "analysis/derive_parts.hpp"
#include "harness/eviction_evidence.hpp"

namespace analysis {
namespace {

/// A mean difference of logarithms with its standard error.
struct LogDifference {
  double mean = 0, error = 0, degrees = 0;
};

/// The smallest mean difference of logs (positive) of which `rule` would say "regressed": the interval must
/// leave 0 and the point the margin, each with the rule's power.
double detectable_log(const LogDifference& difference, const ComparisonRule& rule) {
  const double margin = -std::log1p(-rule.margin_ratio);
  const double reserve = harness::student_t_quantile(rule.power, difference.degrees);
  const double critical = harness::student_t_quantile(1 - rule.alpha / 2, difference.degrees);
  return std::max(critical + reserve, margin / difference.error + reserve) * difference.error;
}

std::string word_of(const harness::Interval& ratio, const ComparisonRule& rule) {
  if (ratio.high < 1 && ratio.median <= 1 - rule.margin_ratio) return "regressed";
  if (ratio.low > 1 && ratio.median >= 1 + rule.margin_ratio) return "improved";
  return ratio.low > 1 - rule.margin_ratio ? "no_worse" : "inconclusive";
}

void judge(SpeedChange& change, const LogDifference& difference, const ComparisonRule& rule) {
  change.ratio.median = std::exp(difference.mean);
  if (difference.error <= 0) {  // no scatter at all: the difference is what it is
    change.ratio.low = change.ratio.high = change.ratio.median;
    change.detectable_ratio = 1 - rule.margin_ratio;
    change.slower_p = difference.mean < 0 ? 0 : 1;
  } else {
    const double t = harness::student_t_quantile(1 - rule.alpha / 2, difference.degrees);
    change.ratio.low = std::exp(difference.mean - t * difference.error);
    change.ratio.high = std::exp(difference.mean + t * difference.error);
    change.detectable_ratio = std::exp(-detectable_log(difference, rule));
    change.slower_p = harness::student_t_cdf(difference.mean / difference.error, difference.degrees);
  }
  change.word = word_of(change.ratio, rule);
}

SpeedChange described(std::span<const double> old_speeds, std::span<const double> new_speeds,
                      const ComparisonRule& rule) {
  SpeedChange change;
  change.old_count = static_cast<int>(old_speeds.size());
  change.new_count = static_cast<int>(new_speeds.size());
  if (!old_speeds.empty()) change.old_tokens_per_s = harness::log_t_interval(old_speeds, 1 - rule.alpha);
  if (!new_speeds.empty()) change.new_tokens_per_s = harness::log_t_interval(new_speeds, 1 - rule.alpha);
  return change;
}

double median_speed(const ArmLaunch& launch) {
  return 1e9 / launch.block_median_ns;
}

const ComparedDecode* find_decode(const std::vector<ComparedDecode>& decodes, const harness::DecodeKey& key) {
  const auto found =
      std::find_if(decodes.begin(), decodes.end(), [&](const auto& each) { return each.key == key; });
  return found == decodes.end() ? nullptr : &*found;
}

/// Adds a decode with what a failed series says: of logits or tokens that are not the expected ones. One that
/// was merely not evicted has no speed, and is not wrong.
void add_wrong(const harness::Submission& submission, std::vector<ComparedDecode>& decodes) {
  for (const harness::Launch& launch : submission.launches) {
    if (launch.purpose != "decode" || !launch.plan) continue;
    const harness::Plan& plan = submission.plans[static_cast<size_t>(*launch.plan)];
    const bool other_logits = launch.golden_got && !plan.golden.empty() && *launch.golden_got != plan.golden;
    for (const harness::Series& series : launch.series) {
      const std::string& mode = series.mode.empty() ? series.arm : series.mode;
      const bool failed = series.status == harness::Status::failed && !harness::evicts_weights(mode);
      if (series.probe != "decode" || (!other_logits && !failed)) continue;
      const harness::DecodeKey key =
          decode_key(plan, submission.machine, mode, series.placement.empty() ? "none" : series.placement);
      auto known =
          std::find_if(decodes.begin(), decodes.end(), [&](const auto& each) { return each.key == key; });
      if (known == decodes.end()) {
        known = decodes.emplace(decodes.end());
        known->key = key;
      }
      known->wrong = series.reason.empty() ? "logits " + *launch.golden_got + ", expected " + plan.golden
                                           : series.reason;
    }
  }
}

/// Why two sides have no speeds that could be compared, "" when they have.
std::string wrong_outputs(const ComparedDecode& old_side, const ComparedDecode* new_side) {
  if (!old_side.wrong.empty()) return "old: " + old_side.wrong;
  if (new_side == nullptr) return "";
  if (!new_side->wrong.empty()) return "new: " + new_side->wrong;
  if (old_side.golden == new_side->golden) return "";
  const auto first = [](const std::set<std::string>& digests) {
    return digests.empty() ? std::string("none") : digests.begin()->substr(0, 12) + "…";
  };
  return "the two compute different logits (digests " + first(old_side.golden) + " and " +
         first(new_side->golden) + ")";
}

/// Which side's A/A control excludes 1, "" when none does.
std::string failed_control(const ComparedDecode& old_side, const ComparedDecode& new_side) {
  constexpr double confidence = 1 - 0.05 / 2;
  for (const auto& [name, side] : {std::pair{"old", &old_side}, std::pair{"new", &new_side}}) {
    if (side->aa_ratios.size() < 2) continue;
    const harness::Interval interval = harness::log_t_interval(side->aa_ratios, confidence);
    if (interval.low > 1 || interval.high < 1)
      return std::string(name) + ": two identical arms differ (A/A), so that no difference is proven";
  }
  return "";
}

}  // namespace

std::vector<ComparedDecode> collect_decodes(const harness::Submission& submission) {
  const std::vector<ArmRecord> arms = collect_arms(submission);
  std::vector<ComparedDecode> decodes;
  for (const ArmRecord& arm : arms) {
    const harness::Plan& plan = submission.plans[arm.plan];
    const bool base_only = arm.arm == "warm" && !plan.positions.empty();
    if (arm.arm == "aa" || base_only) continue;
    ComparedDecode& decode = decodes.emplace_back();
    decode.key = arm.key;
    for (const ArmLaunch& launch : arm.launches) {
      decode.tokens_per_s.push_back(median_speed(launch));
      decode.rounds.push_back(launch.round);
      const auto& got = submission.launches[launch.launch].golden_got;
      if (got) decode.golden.insert(*got);
    }
    if (arm.arm != "warm") continue;
    for (const ArmRecord& control : arms) {
      if (control.plan != arm.plan || control.arm != "aa") continue;
      for (const ArmLaunch& again : control.launches) {
        for (const ArmLaunch& launch : arm.launches) {
          if (launch.launch == again.launch)
            decode.aa_ratios.push_back(median_speed(again) / median_speed(launch));
        }
      }
    }
  }
  add_wrong(submission, decodes);
  return decodes;
}

void add_launch(std::vector<ComparedDecode>& to, const std::vector<ComparedDecode>& launch) {
  for (const ComparedDecode& from : launch) {
    auto known = std::find_if(to.begin(), to.end(), [&](const auto& each) { return each.key == from.key; });
    if (known == to.end()) {
      to.push_back(from);
      continue;
    }
    known->tokens_per_s.insert(known->tokens_per_s.end(), from.tokens_per_s.begin(), from.tokens_per_s.end());
    known->rounds.insert(known->rounds.end(), from.rounds.begin(), from.rounds.end());
    known->aa_ratios.insert(known->aa_ratios.end(), from.aa_ratios.begin(), from.aa_ratios.end());
    known->golden.insert(from.golden.begin(), from.golden.end());
    if (known->wrong.empty()) known->wrong = from.wrong;
  }
}

std::vector<double> round_ratios(const ComparedDecode& old_side, const ComparedDecode& new_side) {
  std::vector<double> ratios;
  for (size_t i = 0; i < old_side.rounds.size(); ++i) {
    const auto same = std::find(new_side.rounds.begin(), new_side.rounds.end(), old_side.rounds[i]);
    if (same == new_side.rounds.end()) continue;
    ratios.push_back(new_side.tokens_per_s[static_cast<size_t>(same - new_side.rounds.begin())] /
                     old_side.tokens_per_s[i]);
  }
  return ratios;
}

SpeedChange paired_change(const ComparedDecode& old_side, const ComparedDecode& new_side,
                          const ComparisonRule& rule) {
  SpeedChange change = described(old_side.tokens_per_s, new_side.tokens_per_s, rule);
  const std::vector<double> ratios = round_ratios(old_side, new_side);
  if (ratios.size() < 2) return change;
  const LogMoments moments = log_moments(ratios);
  judge(change, {moments.mean, moments.sd / std::sqrt(moments.count), moments.count - 1.0}, rule);
  return change;
}

SpeedChange unpaired_change(std::span<const double> old_speeds, std::span<const double> new_speeds,
                            const ComparisonRule& rule) {
  SpeedChange change = described(old_speeds, new_speeds, rule);
  if (old_speeds.size() < 2 || new_speeds.size() < 2) return change;
  const LogMoments before = log_moments(old_speeds), after = log_moments(new_speeds);
  const double a = before.sd * before.sd / before.count, b = after.sd * after.sd / after.count;
  const double degrees =
      a + b > 0 ? (a + b) * (a + b) / (a * a / (before.count - 1) + b * b / (after.count - 1)) : 1;
  judge(change, {after.mean - before.mean, std::sqrt(a + b), degrees}, rule);
  return change;
}

std::vector<ComparedRow> compare_decodes(const std::vector<ComparedDecode>& before,
                                         const std::vector<ComparedDecode>& after, Pairing pairing,
                                         const ComparisonRule& rule) {
  std::vector<ComparedRow> rows;
  for (const ComparedDecode& old_side : before) {
    ComparedRow& row = rows.emplace_back();
    row.key = old_side.key;
    const ComparedDecode* new_side = find_decode(after, old_side.key);
    row.why = wrong_outputs(old_side, new_side);
    if (!row.why.empty()) {
      row.word = "wrong";
    } else if (new_side == nullptr) {
      row.word = "only_old";
      row.change = described(old_side.tokens_per_s, {}, rule);
    } else {
      row.change = pairing == Pairing::rounds
                       ? paired_change(old_side, *new_side, rule)
                       : unpaired_change(old_side.tokens_per_s, new_side->tokens_per_s, rule);
      row.word = row.change.word;
      row.why = failed_control(old_side, *new_side);
      if (!row.why.empty()) {
        row.word = "inconclusive";
      } else if (!row.change.has_interval()) {
        row.why = "fewer than two values on a side have no interval";
      } else if (row.word == "inconclusive") {
        row.why = "the interval holds both no change and a slow-down of the margin: more launches would tell";
      }
    }
  }
  for (const ComparedDecode& new_side : after) {
    if (find_decode(before, new_side.key) != nullptr) continue;
    ComparedRow& row = rows.emplace_back();
    row.key = new_side.key;
    row.why = new_side.wrong;
    row.word = row.why.empty() ? "only_new" : "wrong";
    if (row.why.empty()) row.change = described({}, new_side.tokens_per_s, rule);
  }
  return rows;
}

void confirm(std::vector<ComparedRow>& rows, const std::vector<ComparedRow>& again) {
  for (ComparedRow& row : rows) {
    const auto second =
        std::find_if(again.begin(), again.end(), [&](const auto& each) { return each.key == row.key; });
    if (second == again.end() || row.word == "wrong") continue;
    if (second->word == "wrong") {
      row.word = second->word;
      row.why = second->why;
      row.change = {};
      continue;
    }
    row.again = second->change;
    if ((row.word != "regressed" && row.word != "improved") || row.word == second->word) continue;
    row.why = "the first run said " + row.word + ", the second did not";
    row.word = "inconclusive";
  }
}

void doubt(ComparedRow& row, const std::string& why) {
  if (row.word != "regressed" && row.word != "improved") return;
  row.why = (row.word == "improved" ? "faster, " : "") + why;
  row.word = row.word == "improved" ? "inconclusive" : "suspected";
}

int launches_for(std::span<const double> pilot_ratios, const ComparisonRule& rule, int least, int most) {
  const double sd = log_moments(pilot_ratios).sd, margin = -std::log1p(-rule.margin_ratio);
  for (int n = std::max(least, 2); n < most; ++n) {
    const double t = harness::student_t_quantile(1 - rule.alpha / 2, n - 1) +
                     harness::student_t_quantile(rule.power, n - 1);
    if (t * sd / std::sqrt(n) <= margin) return n;
  }
  return most;
}

}  // namespace analysis
