#include <fmt/format.h>

#include "harness/cli/comparison_words.hpp"
#include "harness/cli/regression_report.hpp"

namespace cli {
namespace {

using analysis::GroupTest;
using analysis::KernelVerdict;
using analysis::SeriesVerdict;
using analysis::SpeedSeries;
using json = nlohmann::ordered_json;

json points_json(const SpeedSeries& series) {
  json points = json::array();
  for (const analysis::SpeedPoint& point : series.points)
    points.push_back({{"document", point.document},
                      {"commit", point.commit_name},
                      {"created_utc", point.created_utc},
                      {"kernel_version", point.kernel_version},
                      {"roof_fraction", point.roof_fraction},
                      {"read_bytes_per_s", point.roof_bytes_per_s},
                      {"tokens_per_s", point.tokens_per_s}});
  return points;
}

void add_judged(json& made, const SpeedSeries& series, const SeriesVerdict& verdict) {
  json changes = json::array();
  for (const analysis::LevelChange& change : verdict.changes)
    changes.push_back({{"commits", analysis::commit_range(series, change.at)},
                       {"document", series.points[change.at].document},
                       {"speed_ratio", interval_json(change.ratio)},
                       {"p", change.p}});
  made["roof_fraction"] = verdict.fraction;
  made["baseline_roof_fraction"] = verdict.baseline_fraction;
  made["speed_ratio"] = interval_json(verdict.ratio);
  made["detectable_ratio"] = verdict.detectable_ratio;
  made["lag_1_correlation"] = verdict.lag_correlation;
  made["p"] = verdict.p;
  made["adjusted_p"] = verdict.adjusted_p;
  if (verdict.word != "no_worse") {
    made["gradual"] = verdict.gradual;
    made["since_commits"] = analysis::commit_range(series, verdict.since_point);
  }
  made["changes"] = changes;
}

json series_json(const SpeedSeries& series, const SeriesVerdict& verdict, bool points) {
  json made = {{"machine_key", series.machine.machine_key}, {"cpu_model", series.machine.cpu_model}};
  made.update(key_json(series.key));
  made["weight_bytes_per_token"] = series.weight_bytes_per_token;
  made["sittings"] = series.points.size();
  made["roof"] = series.roof;
  made["verdict"] = verdict.word;
  if (!verdict.why.empty()) made["why"] = verdict.why;
  if (!verdict.note.empty()) made["note"] = verdict.note;
  if (verdict.judged()) add_judged(made, series, verdict);
  if (points) made["points"] = points_json(series);
  return made;
}

json test_json(const GroupTest& test) {
  return {{"machines", test.machines}, {"slower", test.slower}, {"hit", test.hit},
          {"speed_ratio", test.ratio}, {"p", test.p},           {"adjusted_p", test.adjusted_p}};
}

json kernel_json(const KernelVerdict& kernel) {
  json made = key_json(kernel.key);
  made.erase("isa");
  made.erase("core_kind");
  made["verdict"] = kernel.word;
  made["machines"] = kernel.machines;
  made["regressed_series"] = kernel.regressed.size();
  if (kernel.claimed()) {
    made["since_commit"] = kernel.commit_name;
    made["inside"] = test_json(kernel.inside);
  }
  if (kernel.word == "group") {
    made["group"] = kernel.group;
    made["same_as"] = kernel.same_as;
    made["group_p"] = kernel.group_p;
    made["outside"] = test_json(*kernel.outside);
    made["outside"].erase("adjusted_p");
  }
  made["flags"] = kernel.flags;
  return made;
}

}  // namespace

json to_json(const RegressionReport& report, bool points) {
  json series = json::array(), kernels = json::array();
  for (size_t i = 0; i < report.series.size(); ++i)
    series.push_back(series_json(report.series[i], report.verdicts[i], points));
  for (const KernelVerdict& kernel : report.kernels) kernels.push_back(kernel_json(kernel));
  return {{"margin_ratio", report.rule.margin_ratio},
          {"alpha", report.rule.alpha},
          {"power", report.rule.power},
          {"permutations", report.rule.change.permutations},
          {"seed", report.rule.change.seed},
          {"least_sittings", report.rule.least_points},
          {"since", report.since},
          {"commits", report.commits},
          {"series", series},
          {"kernels", kernels},
          {"left_out", report.left_out}};
}

}  // namespace cli
