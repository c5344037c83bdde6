#include "analysis/speed_history.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>

#include "analysis/commit_order.hpp"
#include "analysis/history_roofs.hpp"
#include "analysis/microarchitectures.hpp"

namespace analysis {
namespace {

using harness::DecodeKey;
using harness::Sitting;
using harness::SittingFigure;
using harness::SpeedHistory;

/// A figure with the roofs of its sitting.
struct Taken {
  const SittingFigure* figure;
  SpeedPoint point;
  const SittingRoofs* roofs;
};

using SeriesKey = std::tuple<std::string, DecodeKey, int64_t>;  // machine, decode, weight bytes per token

/// What an output says of a decode: neither core kind nor positions.
DecodeKey selectors_of(DecodeKey key) {
  const DecodeKey none;
  key.core_kind = none.core_kind;
  key.position_first = none.position_first;
  key.position_last = none.position_last;
  return key;
}

/// What logits do not depend on is left out.
DecodeKey output_key(DecodeKey key) {
  key.mode.clear();
  key.placement.clear();
  key.isa.clear();
  key.core_kind.clear();
  key.page_bytes = 0;
  key.threads = 0;
  key.position_first = key.position_last = 0;
  return key;
}

/// One history on its way to series.
class Reading {
 public:
  Reading(const SpeedHistory& history, const HistoryRule& rule)
      : history_(history),
        rule_(rule),
        ranks_(commit_ranks(history, rule.commits)),
        roofs_(history.sittings.size()) {
    for (const harness::SittingRoof& roof : history.roofs)
      roofs_[roof.sitting][{roof.level, roof.core_kind, roof.threads, roof.page_bytes}] =
          roof.read_bytes_per_s;
  }

  SeriesOfHistory made() {
    judge_outputs();
    take_figures();
    std::set<int64_t> commits;
    for (auto& [key, taken] : taken_) {
      std::stable_sort(taken.begin(), taken.end(), [](const Taken& a, const Taken& b) {
        return std::tie(a.point.commit, a.point.created_utc, a.point.document) <
               std::tie(b.point.commit, b.point.created_utc, b.point.document);
      });
      add_series(key, taken);
      for (const Taken& each : taken) commits.insert(each.point.commit);
    }
    for (const auto& [decode, wrong] : wrong_) mark_wrong(decode.first, decode.second, wrong.second);
    made_.commits = static_cast<int>(commits.size());
    if (!rule_.since.empty()) set_since();
    return std::move(made_);
  }

 private:
  void take_figures() {
    std::set<std::tuple<SeriesKey, double, double, double>> known;
    for (const SittingFigure& figure : history_.figures) {
      const Sitting& sitting = history_.sittings[figure.sitting];
      const auto rank = ranks_.find(commit_of(sitting));
      const SeriesKey key{sitting.machine_key, figure.key, figure.weight_bytes_per_token};
      if (rank == ranks_.end()) {
        ++made_.left_out["of a commit that is not listed"];
      } else if (sitting.uncounted == "aa_failed") {
        ++made_.left_out["two identical arms differ (A/A)"];
      } else if (wrong_sittings_.count({figure.sitting, selectors_of(figure.key)}) > 0) {
        ++made_.left_out["wrong logits"];
      } else if (!known.emplace(key, figure.tokens_per_s, figure.tokens_per_s_low, figure.tokens_per_s_high)
                      .second) {
        ++made_.left_out["copies"];
      } else {
        const SittingRoofs& roofs = roofs_[figure.sitting];
        if (roofs.empty()) {
          ++made_.left_out["no read roof in the same sitting"];
          continue;
        }
        taken_[key].push_back({&figure,
                               {rank->second, rank->first, sitting.created_utc, sitting.document, 0, 0,
                                figure.tokens_per_s, figure.kernel_version, sitting.compiler, sitting.author},
                               &roofs});
      }
    }
  }

  void add_series(const SeriesKey& key, std::vector<Taken>& taken) {
    std::vector<SpeedOfRoofs> speeds;
    speeds.reserve(taken.size());
    for (const Taken& each : taken) speeds.push_back({each.figure->weight_bytes_per_s, each.roofs});
    const std::optional<RoofKind> kind = steadiest_roof(speeds, std::get<1>(key));
    const auto odd = std::stable_partition(
        taken.begin(), taken.end(), [&](const Taken& each) { return kind && each.roofs->count(*kind) > 0; });
    if (odd != taken.end())
      made_.left_out["no read roof of the kind that the series is held against"] +=
          static_cast<int>(taken.end() - odd);
    taken.erase(odd, taken.end());
    if (taken.empty()) return;
    SpeedSeries& series = made_.series.emplace_back();
    series.key = std::get<1>(key);
    series.weight_bytes_per_token = std::get<2>(key);
    series.machine = traits_of(history_.sittings[taken.back().figure->sitting]);
    series.roof = kind->level;
    for (Taken& each : taken) {
      each.point.roof_bytes_per_s = each.roofs->at(*kind);
      each.point.roof_fraction = each.figure->weight_bytes_per_s / each.point.roof_bytes_per_s;
      series.points.push_back(std::move(each.point));
    }
  }

  static MachineTraits traits_of(const Sitting& sitting) {
    const Microarchitecture* known =
        find_microarchitecture(sitting.vendor, sitting.family, sitting.model_number);
    return {sitting.machine_key,      sitting.cpu_model, sitting.vendor,
            known ? known->name : "", sitting.l2_bytes,  sitting.l3_bytes};
  }

  /// Finds the outputs that are not the expected ones, or not the first ones of their machine. What is right
  /// again later is wrong no more.
  void judge_outputs() {
    std::map<std::tuple<std::string, DecodeKey, std::string, std::string>, std::string> first;
    for (const harness::SittingOutput* output : outputs_in_order()) {
      const Sitting& sitting = history_.sittings[output->sitting];
      std::string why = output->wrong;
      if (why.empty() && !output->golden.empty()) {
        const auto same = std::tuple(sitting.machine_key, output_key(output->key), output->weights_seed,
                                     output->kernel_version);
        const std::string& right = first.try_emplace(same, output->golden).first->second;
        if (right != output->golden)
          why = "logits " + output->golden.substr(0, 12) + "…, before " + right.substr(0, 12) + "…";
      }
      const auto decode = std::pair(sitting.machine_key, output->key);
      // A launch that is right does not excuse another of the same sitting.
      const auto before = wrong_.find(decode);
      if (before != wrong_.end() && before->second.first == output->sitting) continue;
      if (before != wrong_.end()) wrong_.erase(before);
      if (why.empty()) continue;
      wrong_sittings_.emplace(output->sitting, output->key);
      wrong_[decode] = {output->sitting,
                        commit_of(sitting) + ", document " + std::to_string(sitting.document) + ": " + why};
    }
  }

  std::vector<const harness::SittingOutput*> outputs_in_order() const {
    std::vector<const harness::SittingOutput*> order;
    for (const harness::SittingOutput& output : history_.outputs) {
      if (ranks_.count(commit_of(history_.sittings[output.sitting])) > 0) order.push_back(&output);
    }
    const auto place = [&](const harness::SittingOutput* output) {
      const Sitting& sitting = history_.sittings[output->sitting];
      return std::tuple(ranks_.at(commit_of(sitting)), sitting.created_utc, sitting.document);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](const auto* a, const auto* b) { return place(a) < place(b); });
    return order;
  }

  /// Marks the series of these selectors; where there is none (no figure counts), makes one without points.
  void mark_wrong(const std::string& machine, const DecodeKey& selectors, const std::string& why) {
    bool marked = false;
    for (SpeedSeries& series : made_.series) {
      if (series.machine.machine_key != machine || selectors_of(series.key) != selectors) continue;
      series.wrong = why;
      marked = true;
    }
    if (marked) return;
    const auto sitting = std::find_if(history_.sittings.begin(), history_.sittings.end(),
                                      [&](const Sitting& each) { return each.machine_key == machine; });
    SpeedSeries& series = made_.series.emplace_back();
    series.key = selectors;
    series.machine = traits_of(*sitting);
    series.wrong = why;
  }

  /// The rank of the commit that `since` begins with, the lowest of several.
  [[nodiscard]] std::optional<int64_t> since_commit() const {
    if (rule_.since.find_first_not_of("0123456789abcdef") != std::string::npos) return std::nullopt;
    const std::string digits = rule_.since.substr(0, shown_commit_digits);
    std::optional<int64_t> found;
    for (const auto& [commit, rank] : ranks_) {
      if (commit.rfind(digits, 0) == 0 && (!found || rank < *found)) found = rank;
    }
    return found;
  }

  void set_since() {
    const std::optional<int64_t> rank = since_commit();
    const std::map<std::string, std::string> seen = first_seen_utc(history_);
    made_.since_found = false;
    for (SpeedSeries& series : made_.series) {
      const auto from =
          std::find_if(series.points.begin(), series.points.end(), [&](const SpeedPoint& point) {
            return rank ? point.commit >= *rank
                        : is_time(rule_.since) && seen.at(point.commit_name) >= rule_.since;
          });
      series.since = static_cast<size_t>(from - series.points.begin());
      made_.since_found = made_.since_found || from != series.points.end();
    }
  }

  const SpeedHistory& history_;
  const HistoryRule& rule_;
  std::map<std::string, int64_t> ranks_;
  std::vector<SittingRoofs> roofs_;  ///< by sitting
  std::map<SeriesKey, std::vector<Taken>> taken_;
  /// The sitting and why, by machine and selectors.
  std::map<std::pair<std::string, DecodeKey>, std::pair<size_t, std::string>> wrong_;
  std::set<std::pair<size_t, DecodeKey>> wrong_sittings_;
  SeriesOfHistory made_;
};

}  // namespace

SeriesOfHistory series_of(const harness::SpeedHistory& history, const HistoryRule& rule) {
  return Reading(history, rule).made();
}

}  // namespace analysis
