#include "analysis/plausibility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <set>

#include "analysis/derive.hpp"
#include "analysis/derived_fields.hpp"
#include "analysis/plausibility_failure.hpp"
#include "analysis/plausibility_forecasts.hpp"
#include "analysis/plausibility_limits.hpp"
#include "analysis/plausibility_looks.hpp"
#include "analysis/plausibility_machine.hpp"
#include "analysis/plausibility_marks.hpp"
#include "analysis/plausibility_samples.hpp"
#include "harness/environment.hpp"
#include "models/golden.hpp"
#include "models/shape.hpp"

namespace analysis {

using harness::Launch;
using harness::Series;
using harness::Status;
using harness::Submission;

namespace {

constexpr size_t max_differences = 20;

const harness::Plan* plan_of(const Submission& submission, const Launch& launch) {
  if (!launch.plan || *launch.plan < 0 || static_cast<size_t>(*launch.plan) >= submission.plans.size())
    return nullptr;
  return &submission.plans[static_cast<size_t>(*launch.plan)];
}

bool decodes(const Series& series) {
  return series.probe == "decode" && series.status == Status::ok;
}

void check_golden(const Submission& submission, std::vector<Finding>& findings) {
  for (size_t i = 0; i < submission.launches.size(); ++i) {
    const Launch& launch = submission.launches[i];
    const auto* plan = plan_of(submission, launch);
    if (!plan || plan->golden.empty() || launch.golden_got == plan->golden) continue;
    if (std::none_of(launch.series.begin(), launch.series.end(), decodes)) continue;
    findings.push_back({"R01", Severity::reject, fmt::format("/launches/{}/golden_got", i),
                        fmt::format("the logits' digest is {}, the plan expects {}, yet a series is ok",
                                    launch.golden_got.value_or("missing"), plan->golden)});
  }
}

/// A plan may not bring its own idea of what a known model computes.
void check_expected_golden(const Submission& submission, std::vector<Finding>& findings) {
  for (size_t i = 0; i < submission.plans.size(); ++i) {
    const harness::Plan& plan = submission.plans[i];
    if (plan.weights != "synthetic" || plan.weights_seed != 1 ||
        plan.kernel_version != models::kernel_version)
      continue;
    const models::Shape* shape = models::known_shape(plan.model);
    if (shape == nullptr || models::expected_golden(*shape, plan.arithmetic) == plan.golden) continue;
    findings.push_back({"R01", Severity::reject, fmt::format("/plans/{}/golden", i),
                        fmt::format("the plan expects {}, {} gives {}", plan.golden, plan.model,
                                    models::expected_golden(*shape, plan.arithmetic))});
  }
}

/// Returns what is wrong with the number of samples, or "".
std::string miscount(const Series& series, const harness::Plan* plan) {
  if (series.probe == "decode") {
    if (!plan) return "its launch names no plan of this submission";
    const auto declared = static_cast<size_t>(std::max(0, plan->samples_per_arm));
    if (series.samples.size() == declared) return "";
    return fmt::format("{} samples, declared {}", series.samples.size(), declared);
  }
  const size_t sizes = series.sizes_bytes.size();
  if (series.samples_by_size.size() != sizes || series.work_per_sample.size() != sizes) {
    return fmt::format("{} sizes, {} amounts of work, {} lists of samples", sizes,
                       series.work_per_sample.size(), series.samples_by_size.size());
  }
  for (const auto& samples : series.samples_by_size) {
    if (samples.size() == series.samples_by_size.front().size() && !samples.empty()) continue;
    return fmt::format("{} samples at one size, {} at another", series.samples_by_size.front().size(),
                       samples.size());
  }
  return "";
}

/// Every declared launch is there once: the slow ones cannot be left out.
void check_rounds(const Submission& submission, std::vector<Finding>& findings) {
  for (size_t i = 0; i < submission.plans.size(); ++i) {
    const int declared = submission.plans[i].launches;
    std::set<int> rounds;
    int found = 0;
    for (const Launch& launch : submission.launches) {
      if (launch.purpose != "decode" || launch.plan != static_cast<int>(i)) continue;
      ++found;
      if (launch.round >= 0 && launch.round < declared) rounds.insert(launch.round);
    }
    if (found == declared && rounds.size() == static_cast<size_t>(declared)) continue;
    findings.push_back({"R03", Severity::reject, fmt::format("/plans/{}/launches", i),
                        fmt::format("{} launches were declared, {} are there, in {} of the rounds 0 to {}",
                                    declared, found, rounds.size(), declared - 1)});
  }
}

void check_counts(const Submission& submission, std::vector<Finding>& findings) {
  for (size_t i = 0; i < submission.launches.size(); ++i) {
    const Launch& launch = submission.launches[i];
    for (size_t j = 0; j < launch.series.size(); ++j) {
      if (launch.series[j].status != Status::ok) continue;
      const auto wrong = miscount(launch.series[j], plan_of(submission, launch));
      if (wrong.empty()) continue;
      findings.push_back(
          {"R03", Severity::reject, fmt::format("/launches/{}/series/{}/samples", i, j), wrong});
    }
  }
}

/// Returns the time a day after one, or "" when that is none.
std::string day_after(const std::string& utc) {
  constexpr std::time_t day_s = 86'400;
  std::tm parts{};
  if (strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) == nullptr) return "";
  const std::time_t later = timegm(&parts) + day_s;
  gmtime_r(&later, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

/// Clocks differ, by less than a day.
void check_time(const Submission& submission, const std::string& now_utc, std::vector<Finding>& findings) {
  const std::string latest = day_after(now_utc);
  if (latest.empty() || submission.created_utc <= latest) return;
  findings.push_back({"R04", Severity::reject, "/created_utc",
                      fmt::format("created {}, and now it is {}", submission.created_utc, now_utc)});
}

/// Data older than a claim are exploratory for it (times of equal form are ordered as texts), and a claim
/// counts per machine: the key is that of the facts.
void check_claim(const Submission& submission, std::vector<Finding>& findings) {
  if (!submission.claim) return;
  const std::string key = harness::machine_key(submission.machine);
  if (submission.machine.machine_key != key)
    findings.push_back(
        {"R04", Severity::reject, "/machine/machine_key",
         fmt::format("stated {:.12}, its facts give {:.12}", submission.machine.machine_key, key)});
  if (submission.created_utc >= submission.claim->sealed_utc) return;
  findings.push_back({"R04", Severity::reject, "/created_utc",
                      fmt::format("created {}, but claim {} was sealed {}", submission.created_utc,
                                  submission.claim->id, submission.claim->sealed_utc)});
}

void check_bytes_per_token(const Submission& submission, std::vector<Finding>& findings) {
  for (size_t i = 0; i < submission.plans.size(); ++i) {
    const harness::Plan& plan = submission.plans[i];
    const models::Shape* shape = models::known_shape(plan.model);
    if (shape == nullptr) continue;
    const int64_t own = models::cost(*shape).weight_bytes_per_token;
    if (plan.weight_bytes_per_token == own) continue;
    findings.push_back(
        {"R07", Severity::reject, fmt::format("/plans/{}/weight_bytes_per_token", i),
         fmt::format("stated {}, a token of {} reads {}", plan.weight_bytes_per_token, plan.model, own)});
  }
}

/// A pause lies in the gap before the launch that it names.
std::string misplaced(const harness::Interruption& pause, const std::vector<Launch>& launches) {
  const auto next = static_cast<size_t>(std::max(0, pause.before_launch));
  if (pause.before_launch < 0 || next >= launches.size())
    return fmt::format("before launch {} of {}", pause.before_launch, launches.size());
  const int64_t free_from_ns = next == 0 ? 0 : launches[next - 1].start_ns + launches[next - 1].wall_ns;
  if (pause.resumed_ns - pause.paused_ns >= free_from_ns && pause.resumed_ns <= launches[next].start_ns)
    return "";
  return fmt::format("{} ns up to {} ns, but nothing ran only from {} to {} ns", pause.paused_ns,
                     pause.resumed_ns, free_from_ns, launches[next].start_ns);
}

void check_interruptions(const Submission& submission, std::vector<Finding>& findings) {
  for (size_t i = 0; i < submission.interruptions.size(); ++i) {
    const std::string wrong = misplaced(submission.interruptions[i], submission.launches);
    if (!wrong.empty())
      findings.push_back({"R10", Severity::reject, fmt::format("/interruptions/{}", i), wrong});
  }
}

void check_derived(const Submission& submission, const harness::Derived& recomputed,
                   std::vector<Finding>& findings) {
  const auto stated = derived_fields(submission.derived), own = derived_fields(recomputed);
  const size_t common = std::min(stated.size(), own.size());
  size_t differences = 0;
  for (size_t i = 0; i < common && differences < max_differences; ++i) {
    if (stated[i].pointer != own[i].pointer) {
      findings.push_back(
          {"R02", Severity::reject, stated[i].pointer,
           fmt::format("stated where the launches give {} = {}", own[i].pointer, field_text(own[i]))});
      return;  // from here on nothing lines up
    }
    if (same_value(stated[i], own[i])) continue;
    ++differences;
    findings.push_back(
        {"R02", Severity::reject, stated[i].pointer,
         fmt::format("stated {}, the launches give {}", field_text(stated[i]), field_text(own[i]))});
  }
  if (stated.size() > common) {
    findings.push_back(
        {"R02", Severity::reject, stated[common].pointer, "stated, but nothing in the launches gives it"});
  } else if (own.size() > common) {
    findings.push_back({"R02", Severity::reject, own[common].pointer,
                        fmt::format("missing, the launches give {}", field_text(own[common]))});
  }
}

}  // namespace

std::vector<Finding> check_plausibility(const Submission& submission, const harness::ForecastRecord* stored,
                                        const std::string& now_utc) {
  std::vector<Finding> findings;
  const auto recomputed = derive(submission);
  check_golden(submission, findings);
  check_expected_golden(submission, findings);
  check_counts(submission, findings);
  check_marks(submission, findings);
  if (submission.kind != "failure") check_rounds(submission, findings);
  check_failure(submission, findings);
  check_time(submission, now_utc.empty() ? harness::utc_now() : now_utc, findings);
  check_claim(submission, findings);
  check_bytes_per_token(submission, findings);
  check_forecasts(submission, stored, findings);
  check_interruptions(submission, findings);
  check_samples(submission, findings);
  check_looks(submission, findings);
  check_derived(submission, recomputed, findings);
  check_limits(submission, recomputed, findings);
  check_order(recomputed, findings);
  check_capacities(submission.machine, recomputed, findings);
  check_cache_facts(submission.machine, findings);
  return findings;
}

}  // namespace analysis
