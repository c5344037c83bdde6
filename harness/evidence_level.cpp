#include "harness/evidence_level.hpp"

#include <algorithm>

namespace harness {
namespace {

constexpr int launches_of_a = 10;  // docs/import.md, row "samples"

bool measured(const Series& series) {
  return series.status == Status::ok;
}

bool decodes(const Launch& launch) {
  return launch.plan && std::any_of(launch.series.begin(), launch.series.end(), measured);
}

/// The plan of a launch, or nullptr for one that is not there.
const Plan* plan_of(const Submission& submission, const Launch& launch) {
  const int plan = launch.plan.value_or(-1);
  return plan >= 0 && static_cast<size_t>(plan) < submission.plans.size()
             ? &submission.plans[static_cast<size_t>(plan)]
             : nullptr;
}

std::string samples_level(const Submission& submission) {
  if (std::none_of(submission.launches.begin(), submission.launches.end(), [](const Launch& launch) {
        return std::any_of(launch.series.begin(), launch.series.end(), measured);
      }))
    return "D";
  for (size_t plan = 0; plan < submission.plans.size(); ++plan) {
    const auto taken = std::count_if(
        submission.launches.begin(), submission.launches.end(),
        [&](const Launch& launch) { return launch.plan == static_cast<int>(plan) && decodes(launch); });
    if (taken < launches_of_a) return "B";
  }
  return submission.plans.empty() ? "B" : "A";
}

std::string machine_level(const Submission& submission) {
  const auto& roofs = submission.derived.roofs;
  const bool known = std::any_of(roofs.begin(), roofs.end(), [](const Roof& roof) {
    return available(roof.read_bytes_per_s) && roof.invalid.empty();
  });
  return known ? "A" : "C";  // its CPU names itself; whether the catalogue knows that name is not asked here
}

std::string conditions_level(const Conditions& conditions) {
  const bool told = conditions.pinned_pu >= 0 && !conditions.clock_source.empty() &&
                    available(conditions.load1) && available(conditions.steal_ratio);
  return told ? "A" : "C";
}

std::string work_level(const Submission& submission) {
  for (const Launch& launch : submission.launches) {
    const Plan* plan = plan_of(submission, launch);
    if (plan == nullptr || !decodes(launch)) continue;
    if (plan->weight_bytes_per_token <= 0) return "C";
    if (plan->golden.empty() || launch.golden_got != plan->golden) return "B";
  }
  return "A";
}

std::string control_level(const Submission& submission) {
  size_t most_arms = 0, decoding = 0;
  bool again = false;
  for (const Launch& launch : submission.launches) {
    if (!decodes(launch)) continue;
    ++decoding;
    size_t arms = 0;
    for (const Series& series : launch.series) {
      if (!measured(series)) continue;
      ++arms;
      again = again || series.arm == "aa";
    }
    most_arms = std::max(most_arms, arms);
  }
  if (again) return "A";
  if (most_arms > 1) return "B";
  const bool repeats =
      decoding > 1 || (decoding == 0 && !submission.launches.empty());  // probes repeat each size
  return repeats ? "C" : "D";
}

}  // namespace

EvidenceAspects evidence_aspects(const Submission& submission) {
  return {samples_level(submission), machine_level(submission), conditions_level(submission.conditions),
          work_level(submission), control_level(submission)};
}

std::string evidence_level(const Submission& submission) {
  const EvidenceAspects aspects = evidence_aspects(submission);
  return std::max({aspects.samples, aspects.machine, aspects.conditions, aspects.work, aspects.control});
}

}  // namespace harness
