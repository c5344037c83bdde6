#include "analysis/regression_groups.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/hypothesis_tests.hpp"
#include "analysis/speed_beside_roof.hpp"

namespace analysis {
namespace {

// Changes that the machines found so many commits apart are taken for the same one.
constexpr int64_t same_change_commits = 3;
// Points on either side that tell what a change did: other changes are further away.
constexpr size_t near_points = 25;
harness::DecodeKey kernel_key(harness::DecodeKey key) {
  key.isa.clear();
  key.core_kind.clear();
  return key;
}

/// What a change did to the level of a series: logarithms of after ÷ before.
struct Shifts {
  double fraction = 0, speed = 0;
};

Shifts shifts_at(const SpeedSeries& series, size_t at) {
  const size_t from = at - std::min(at, near_points);
  const size_t count = std::min(series.points.size() - at, near_points);
  const auto shift = [&](const std::vector<double>& logs) {
    return harness::median(std::span(logs).subspan(at, count)) -
           harness::median(std::span(logs).subspan(from, at - from));
  };
  return {shift(log_fractions(series)), shift(log_speeds(series))};
}

/// Whether a description repeats another and adds to it.
bool says_more(const Terms& terms, const Terms& than) {
  return std::includes(terms.begin(), terms.end(), than.begin(), than.end());
}

/// One kernel in the making.
class KernelJudgement {
 public:
  KernelJudgement(const std::vector<SpeedSeries>& series, const std::vector<SeriesVerdict>& verdicts,
                  const std::vector<size_t>& own, const RegressionRule& rule)
      : series_(series), verdicts_(verdicts), own_(own), rule_(rule) {}

  KernelVerdict made() {
    const SpeedSeries& first = series_[own_.front()];
    verdict_.key = kernel_key(first.key);
    verdict_.weight_bytes_per_token = first.weight_bytes_per_token;
    std::set<std::string> machines, regressed;
    for (const size_t index : own_) {
      if (verdicts_[index].word == "regressed") {
        verdict_.regressed.push_back(index);
        regressed.insert(series_[index].machine.machine_key);
      }
      if (verdicts_[index].judged()) machines.insert(series_[index].machine.machine_key);
    }
    verdict_.machines = static_cast<int>(machines.size());
    verdict_.regressed_machines = static_cast<int>(regressed.size());
    // Where the machines that have regressed changed; else where all changed together.
    for (const std::optional<int64_t>& commit : {voted_commit(), pooled_commit()}) {
      if (!commit || verdict_.claimed()) continue;
      verdict_.commit = commit;
      take_units();
      conclude();
    }
    if (!verdict_.claimed()) verdict_.word = unclaimed();
    add_flags();
    return std::move(verdict_);
  }

 private:
  /// Where most of the series that have regressed changed.
  [[nodiscard]] std::optional<int64_t> voted_commit() const {
    std::vector<int64_t> votes;
    for (const size_t index : verdict_.regressed) {
      const SeriesVerdict& verdict = verdicts_[index];
      const size_t at =
          verdict.gradual ? (verdict.since_point + verdict.until_point) / 2 : verdict.since_point;
      votes.push_back(series_[index].points[at].commit);
    }
    std::vector<int64_t> best;
    for (const int64_t vote : votes) {
      std::vector<int64_t> near;
      std::copy_if(votes.begin(), votes.end(), std::back_inserter(near),
                   [&](int64_t other) { return std::abs(other - vote) <= same_change_commits; });
      if (near.size() > best.size()) best = near;
    }
    if (best.empty()) return std::nullopt;
    std::nth_element(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(best.size() / 2), best.end());
    return best[best.size() / 2];
  }

  /// Where all machines together changed most, downwards: their levels by commit, each about its own median.
  [[nodiscard]] std::optional<int64_t> pooled_commit() const {
    std::map<int64_t, std::vector<double>> levels;
    for (const size_t index : own_) {
      if (!verdicts_[index].judged()) continue;
      const std::vector<double> logs = log_fractions(series_[index]);
      const double level = harness::median(logs);
      for (size_t i = series_[index].since; i < logs.size(); ++i)
        levels[series_[index].points[i].commit].push_back(logs[i] - level);
    }
    std::vector<int64_t> commits;
    std::vector<double> pooled;
    for (const auto& [commit, values] : levels) {
      commits.push_back(commit);
      pooled.push_back(harness::median(values));
    }
    const std::vector<ChangePoint> changes = find_change_points(pooled, rule_.change);
    std::optional<int64_t> found;
    double lowest = 0;
    for (size_t i = 0; i < changes.size(); ++i) {
      const size_t from = i == 0 ? 0 : changes[i - 1].at;
      const size_t to = i + 1 < changes.size() ? changes[i + 1].at : pooled.size();
      const std::span<const double> all(pooled);
      const double shift = harness::median(all.subspan(changes[i].at, to - changes[i].at)) -
                           harness::median(all.subspan(from, changes[i].at - from));
      if (shift >= lowest) continue;
      lowest = shift;
      found = commits[changes[i].at];
    }
    return found;
  }

  void take_units() {
    units_.clear();
    not_before_ = roof_moved_ = 0;
    std::map<std::pair<std::string, std::string>, std::vector<double>> shifts;
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> facts;
    for (const size_t index : own_) {
      const SpeedSeries& series = series_[index];
      if (verdicts_[index].word == "wrong") continue;
      const auto at = static_cast<size_t>(
          std::lower_bound(series.points.begin(), series.points.end(), *verdict_.commit,
                           [](const SpeedPoint& point, int64_t commit) { return point.commit < commit; }) -
          series.points.begin());
      if (at < series.points.size() && series.points[at].commit == *verdict_.commit)
        verdict_.commit_name = series.points[at].commit_name;
      if (at == 0) ++not_before_;
      const size_t after = series.points.size() - at;
      if (at < rule_.change.least_points || after < rule_.change.least_points) continue;
      const Shifts shift = shifts_at(series, at);
      // The roof's doing is not the kernel's.
      if (std::abs(shift.speed - shift.fraction) > std::log1p(moved_roof_ratio) ||
          (shift.fraction <= std::log1p(-rule_.margin_ratio) / 2 &&
           roof_rose_instead(shift.fraction, shift.speed))) {
        ++roof_moved_;
        continue;
      }
      const auto key = std::pair(series.machine.machine_key, series.key.isa);
      shifts[key].push_back(shift.fraction);
      facts[key] = facts_of(series);
    }
    for (const auto& [key, values] : shifts)
      units_.push_back({key.first, facts[key], harness::median(values)});
  }

  void conclude() {
    std::vector<const Unit*> all;
    for (const Unit& unit : units_) all.push_back(&unit);
    verdict_.inside = test_of(all, rule_);
    const std::vector<MachineGroup> groups = find_groups(units_, rule_);
    if (!groups.empty()) {
      const MachineGroup& best = groups.front();
      verdict_.word = "group";
      verdict_.group = text_of(best.terms);
      verdict_.inside = best.inside;
      verdict_.outside = best.outside;
      verdict_.group_p = best.chance;
      for (size_t i = 1; i < groups.size(); ++i) {
        if (groups[i].members == best.members && !says_more(groups[i].terms, best.terms))
          verdict_.same_as.push_back(text_of(groups[i].terms));
      }
    } else if (passes(verdict_.inside, rule_)) {
      verdict_.word = nearly_all_hit(verdict_.inside) ? "everywhere" : "most";
    }
  }

  [[nodiscard]] std::string unclaimed() const {
    return !verdict_.regressed.empty()          ? "machines"
           : verdict_.machines < least_machines ? "cannot_tell"
                                                : "none";
  }

  void add_flags() {
    std::set<std::string> machines, models, authors;
    for (const size_t index : own_) {
      machines.insert(series_[index].machine.machine_key);
      models.insert(series_[index].machine.cpu_model);
      for (const SpeedPoint& point : series_[index].points) authors.insert(point.author);
    }
    if (machines.size() == 1)
      verdict_.flags.emplace_back("all sittings are of one machine");
    else if (models.size() == 1)
      verdict_.flags.emplace_back("all machines have the same CPU: " + *models.begin());
    if (authors.size() == 1 && !authors.begin()->empty())
      verdict_.flags.emplace_back("all sittings were sent by one author: " + *authors.begin());
    if (roof_moved_ > 0)
      verdict_.flags.push_back(
          std::to_string(roof_moved_) +
          (roof_moved_ == 1 ? " series is left out of it: its" : " series are left out of it: their") +
          " read roof moved, not the kernel alone");
    if (verdict_.word == "none" || verdict_.word == "cannot_tell") return;
    const GroupTest& outside = verdict_.outside ? *verdict_.outside : GroupTest{};
    const int told = verdict_.inside.machines + outside.machines;
    if (told >= least_machines && verdict_.inside.slower + outside.slower == told)
      verdict_.flags.push_back("all " + std::to_string(told) +
                               " machines point the same way: were those that did not change submitted?");
    if (not_before_ > 0)
      verdict_.flags.push_back(std::to_string(not_before_) + (not_before_ == 1
                                                                  ? " series begins after the change"
                                                                  : " series begin after the change"));
  }

  const std::vector<SpeedSeries>& series_;
  const std::vector<SeriesVerdict>& verdicts_;
  const std::vector<size_t>& own_;
  const RegressionRule& rule_;
  std::vector<Unit> units_;
  int not_before_ = 0, roof_moved_ = 0;
  KernelVerdict verdict_;
};

}  // namespace

std::vector<KernelVerdict> judge_kernels(const std::vector<SpeedSeries>& series,
                                         const std::vector<SeriesVerdict>& verdicts,
                                         const RegressionRule& rule) {
  std::vector<std::vector<size_t>> kernels;
  std::map<std::pair<harness::DecodeKey, int64_t>, size_t> known;
  for (size_t i = 0; i < series.size(); ++i) {
    const auto key = std::pair(kernel_key(series[i].key), series[i].weight_bytes_per_token);
    const auto [place, fresh] = known.emplace(key, kernels.size());
    if (fresh) kernels.emplace_back();
    kernels[place->second].push_back(i);
  }
  std::vector<KernelVerdict> made;
  std::vector<double> p;
  made.reserve(kernels.size());
  for (const std::vector<size_t>& own : kernels) {
    made.push_back(KernelJudgement(series, verdicts, own, rule).made());
    p.push_back(made.back().inside.p);
  }
  const std::vector<double> adjusted = holm_adjusted(p);
  for (size_t i = 0; i < made.size(); ++i) {
    KernelVerdict& kernel = made[i];
    kernel.inside.adjusted_p = adjusted[i];
    if (adjusted[i] <= rule.alpha || !kernel.claimed()) continue;
    kernel.word = kernel.regressed.empty() ? "none" : "machines";
    kernel.group.clear();
    kernel.same_as.clear();
    kernel.outside.reset();
  }
  return made;
}

}  // namespace analysis
