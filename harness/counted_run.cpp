#include "harness/counted_run.hpp"

#include <algorithm>

namespace harness {
namespace {

bool took_again(const Submission& submission, const std::string& probe) {
  return std::any_of(submission.launches.begin(), submission.launches.end(), [&](const Launch& launch) {
    return launch.purpose == "roofs_after" &&
           std::any_of(launch.series.begin(), launch.series.end(), [&](const Series& series) {
             return series.probe == probe && series.status == Status::ok;
           });
  });
}

}  // namespace

std::string uncounted_reason(const Submission& submission) {
  if (submission.kind == "failure") return "failure";
  bool controlled = false, failed = false;
  for (const ArmRatio& ratio : submission.derived.ratios) {
    if (ratio.name != "aa/warm" || ratio.launches < 2) continue;
    controlled = true;
    // Written so that an interval that is no number fails.
    failed = failed || !(ratio.speed_ratio.low <= 1 && ratio.speed_ratio.high >= 1);
  }
  if (!controlled) return "no_aa";
  if (failed) return "aa_failed";
  if (!took_again(submission, "load_bandwidth") || !took_again(submission, "dram_stream"))
    return "roofs_not_repeated";
  const auto& flags = submission.derived.flags;
  const bool drifted =
      std::any_of(flags.begin(), flags.end(), [](const Flag& flag) { return flag.code == "roofs_drifted"; });
  return drifted ? "roofs_drifted" : "";
}

}  // namespace harness
