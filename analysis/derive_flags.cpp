// Quality flags: each code is a heading of docs/flags.md, which says what it means and what to do.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "analysis/derive_parts.hpp"
#include "analysis/eviction.hpp"
#include "analysis/shared_cache.hpp"
#include "analysis/team.hpp"

namespace analysis {

using harness::Flag;
using harness::Submission;

namespace {

constexpr double totals_limit_ratio = 1.1;  // block medians and totals of quiet runs agree within 2 %
// A stolen hundredth is the size of the smallest difference that ten launches can tell.
constexpr double steal_limit_ratio = 0.01;
constexpr double switches_limit_per_sample = 0.05;
constexpr double ties_limit_share = 0.10;
// The coverage of the intervals was checked by simulation up to AR(1) 0.6 within a launch.
constexpr double lag1_limit = 0.6;
// Undisturbed threads had 0.98 of their PU and more, even where a hypervisor shares it.
constexpr double antagonist_limit_share = 0.8;

std::string plan_label(const harness::DecodeKey& key) {
  const std::string routing = key.routing == "none" ? "" : ", " + key.routing;
  const std::string threads = key.threads == 1 ? "" : fmt::format(", {} threads", key.threads);
  const std::string pages =
      key.page_bytes == 4096 ? "" : fmt::format(", {} KiB pages", key.page_bytes / 1024);
  return fmt::format("{} ({}{}{}{})", key.model, key.isa, routing, threads, pages);
}

void flag_controls(const std::vector<harness::ArmRatio>& ratios, std::vector<Flag>& flags) {
  for (const auto& ratio : ratios) {
    const auto& got = ratio.speed_ratio;
    if (ratio.name != "aa/warm" || ratio.launches < 2 || (got.low <= 1 && got.high >= 1)) continue;
    flags.push_back(
        {"aa_failed",
         fmt::format(
             "two identical arms of {} differ: aa/warm {:.4f} [{:.4f}, {:.4f}]. No difference in this "
             "run is proven; quiet the machine (tokroof doctor) and run again",
             plan_label(ratio.key), got.median, got.low, got.high),
         got.median});
  }
}

void flag_few_launches(const std::vector<ArmRecord>& arms, std::vector<Flag>& flags) {
  for (const auto& arm : arms) {
    if (arm.arm != "warm" || arm.launches.size() >= 2) continue;
    flags.push_back(
        {"too_few_launches",
         fmt::format("{} has {} launch: its intervals are points and the A/A control cannot be judged. Use "
                     "--launches 5 or more",
                     plan_label(arm.key), arm.launches.size()),
         static_cast<double>(arm.launches.size())});
  }
}

double median_speed(const ArmRecord& arm) {
  std::vector<double> speeds;
  for (const auto& launch : arm.launches) speeds.push_back(launch.tokens_per_s);
  return harness::median(speeds);
}

void flag_pauses(const Submission& submission, std::vector<Flag>& flags) {
  if (submission.interruptions.empty()) return;
  double paused_s = 0;
  for (const auto& pause : submission.interruptions) paused_s += static_cast<double>(pause.paused_ns) * 1e-9;
  const auto& first = submission.interruptions.front();
  flags.push_back(
      {"paused",
       fmt::format("the run was paused {} time{}, {:.0f} s in all, first before launch {}. Rounds on either "
                   "side of a pause are no neighbours; take it in one go where a comparison hangs on them",
                   submission.interruptions.size(), submission.interruptions.size() == 1 ? "" : "s", paused_s,
                   first.before_launch),
       paused_s});
}

void flag_steal(const Submission& submission, std::vector<Flag>& flags) {
  const auto* steal = std::get_if<double>(&submission.conditions.steal_ratio);
  if (!steal || *steal <= steal_limit_ratio) return;
  flags.push_back(
      {"steal",
       fmt::format("the hypervisor took {:.1f} % of the CPU time. Run when the host is quieter, or on a "
                   "dedicated instance",
                   *steal * 100),
       *steal});
}

void flag_switches(const Submission& submission, std::vector<Flag>& flags) {
  int64_t switches = 0;
  size_t samples = 0;
  for (const auto& launch : submission.launches) {
    for (const auto& series : launch.series) {
      if (series.probe != "decode") continue;
      switches += series.totals.involuntary_switches;
      samples += series.samples.size();
    }
  }
  if (static_cast<double>(switches) <= switches_limit_per_sample * static_cast<double>(samples)) return;
  flags.push_back(
      {"involuntary_switches",
       fmt::format("{} involuntary context switches in {} decode samples: something else wanted this CPU. "
                   "Stop it, or raise the priority of the session (tokroof doctor)",
                   switches, samples),
       static_cast<double>(switches)});
}

void flag_ties(const Submission& submission, std::vector<Flag>& flags) {
  double worst = 0;
  for (const auto& launch : submission.launches) {
    for (const auto& series : launch.series) {
      if (series.probe != "decode" || series.status != harness::Status::ok || series.samples.size() < 10)
        continue;
      const std::set<int64_t> distinct(series.samples.begin(), series.samples.end());
      worst = std::max(worst,
                       1 - static_cast<double>(distinct.size()) / static_cast<double>(series.samples.size()));
    }
  }
  if (worst <= ties_limit_share) return;
  flags.push_back(
      {"clock_coarse",
       fmt::format("{:.0f} % of the samples of an arm are ties, which a fine clock does not give (it "
                   "resolves {} ns here). Use longer blocks, or another clock source",
                   worst * 100, submission.conditions.clock_resolution_ns),
       worst});
}

void flag_correlation(const Submission& submission, const std::vector<ArmRecord>& arms,
                      std::vector<Flag>& flags) {
  double worst = 0;
  std::string where;
  for (const auto& arm : arms) {
    const double lag1 = lag1_correlation(arm, blocks_per_pass(submission.plans[arm.plan]));
    if (lag1 <= worst) continue;
    worst = lag1;
    where = fmt::format("{} of {}", arm.arm, plan_label(arm.key));
  }
  if (worst <= lag1_limit) return;
  flags.push_back(
      {"lag1_correlation",
       fmt::format(
           "successive blocks of {} move together (lag-1 {:.2f}): speed wanders within a launch. Take "
           "more launches; more samples per launch do not help",
           where, worst),
       worst});
}

void flag_launches(const Submission& submission, std::vector<Flag>& flags) {
  int failed = 0;
  std::string first_reason;
  for (const auto& launch : submission.launches) {
    const auto series = std::find_if(launch.series.begin(), launch.series.end(), [](const auto& each) {
      return each.status == harness::Status::failed && !is_not_evicted(each);
    });
    if (series == launch.series.end() && !launch.series.empty()) continue;
    ++failed;
    if (!first_reason.empty()) continue;
    first_reason = series == launch.series.end() ? "no series came back" : series->reason;
  }
  if (failed == 0) return;
  flags.push_back(
      {"launch_failed",
       fmt::format("{} of {} launches failed, the first: {}. Nothing of theirs enters a speed; see the "
                   "reason in the submission's launches",
                   failed, submission.launches.size(), first_reason),
       static_cast<double>(failed)});
}

/// A few long interruptions slow the total of an arm and not its median: then tokens/s and the ratio tell
/// different stories.
void flag_totals(const std::vector<ArmRecord>& arms, const std::vector<harness::ArmRatio>& ratios,
                 std::vector<Flag>& flags) {
  for (const auto& arm : arms) {
    const auto warm = std::find_if(arms.begin(), arms.end(), [&](const auto& each) {
      return each.plan == arm.plan && each.arm == "warm";
    });
    const auto ratio = std::find_if(ratios.begin(), ratios.end(), [&](const auto& each) {
      return each.key == arm.key && each.name == arm.arm + "/warm";
    });
    if (warm == arms.end() || ratio == ratios.end()) continue;
    const double of_totals = median_speed(arm) / median_speed(*warm);
    if (std::abs(std::log(of_totals / ratio->speed_ratio.median)) <= std::log(totals_limit_ratio)) continue;
    flags.push_back(
        {"totals_disagree",
         fmt::format("{} of {}: {:.2f} × warm by tokens/s, {:.2f} × by median blocks. Some blocks were "
                     "interrupted for long; quiet the machine and run again",
                     arm.arm, plan_label(arm.key), of_totals, ratio->speed_ratio.median),
         of_totals / ratio->speed_ratio.median});
  }
}

/// A param as a number, NaN without it.
double number_param(const harness::Series& series, const std::string& name) {
  const auto found = series.params.find(name);
  if (found == series.params.end()) return NAN;
  if (const auto* whole = std::get_if<int64_t>(&found->second)) return static_cast<double>(*whole);
  const auto* real = std::get_if<double>(&found->second);
  return real == nullptr ? NAN : *real;
}

}  // namespace

std::string starvation(const harness::Series& series) {
  const double walked = number_param(series, "walked_bytes"), lap = number_param(series, "antagonist_bytes");
  if (walked < 2 * lap) {
    return fmt::format("touched {:.0f} bytes in the two passes of a launch, less than a lap of {:.0f} each",
                       walked, lap);
  }
  const double share = number_param(series, "antagonist_cpu_ratio");
  if (share < antagonist_limit_share) return fmt::format("had its PU for {:.0f} % of a launch", share * 100);
  return "";
}

namespace {

/// An antagonist that hardly ran looks like one without effect.
void flag_antagonists(const Submission& submission, std::vector<Flag>& flags) {
  std::set<std::string> told;
  for (const auto& launch : submission.launches) {
    for (const auto& series : launch.series) {
      if (series.probe != "decode" || series.status != harness::Status::ok) continue;
      const std::string why = starvation(series);
      if (why.empty() || !told.insert(series.arm).second) continue;  // once per arm is enough
      const double share = number_param(series, "antagonist_cpu_ratio");
      flags.push_back({"antagonist_starved",
                       fmt::format("the antagonist of {} {}: its effect is not shown. Free the PU it runs "
                                   "on, or decode more positions",
                                   series.arm, why),
                       std::isnan(share) ? number_param(series, "walked_bytes") : share});
    }
  }
}

/// The worst of a param over all series that have it, or nullopt.
std::optional<double> least_param(const Submission& submission, const std::string& param) {
  std::optional<double> least;
  for (const auto& launch : submission.launches) {
    for (const auto& series : launch.series) {
      const auto found = series.params.find(param);
      if (found == series.params.end()) continue;
      const auto value = number_of(found->second);
      if (value) least = std::min(least.value_or(*value), *value);
    }
  }
  return least;
}

/// The controls of teams of threads: cores that are not their own make a speed-up that is not theirs.
void flag_teams(const Submission& submission, std::vector<Flag>& flags) {
  const auto together = together_clock_ratio(submission);
  if (together && *together < own_core_ratio) {
    flags.push_back(
        {"cores_shared",
         fmt::format("the PUs of the threads run a chain of multiplications at {:.2f} of the speed of "
                     "one alone: {}, and "
                     "their speed-up says little. Take fewer threads, or a quieter machine",
                     *together,
                     why_together_is_slow(*together, median_param(submission, "together_hz_ratio"))),
         *together});
  }
  const auto cpu = least_param(submission, "least_thread_cpu_ratio");
  if (!cpu || *cpu >= own_core_ratio) return;
  flags.push_back(
      {"thread_starved",
       fmt::format("a decoding thread had its PU for {:.0f} % of a pass, and all others waited for "
                   "it. Stop what else runs there (tokroof doctor), or take fewer threads",
                   100 * *cpu),
       *cpu});
}

void flag_unavailable_arms(const Submission& submission, std::vector<Flag>& flags) {
  std::set<std::string> named;
  for (const auto& launch : submission.launches) {
    for (const auto& series : launch.series) {
      if (series.probe != "decode" || series.status != harness::Status::unavailable) continue;
      if (!named.insert(series.model + "/" + series.arm).second) continue;
      flags.push_back(
          {"arm_unavailable", fmt::format("{} of {}: {}", series.arm, series.model, series.reason), 0});
    }
  }
}

}  // namespace

std::vector<Flag> derive_flags(const Submission& submission, const std::vector<ArmRecord>& arms,
                               const std::vector<harness::ArmRatio>& ratios) {
  std::vector<Flag> flags;
  flag_controls(ratios, flags);
  flag_few_launches(arms, flags);
  flag_roofs(submission, flags);
  flag_pauses(submission, flags);
  flag_steal(submission, flags);
  flag_switches(submission, flags);
  flag_ties(submission, flags);
  flag_correlation(submission, arms, flags);
  flag_launches(submission, flags);
  flag_evictions(submission, flags);
  flag_totals(arms, ratios, flags);
  flag_antagonists(submission, flags);
  flag_cache_not_shared(submission, flags);
  flag_teams(submission, flags);
  flag_unavailable_arms(submission, flags);
  return flags;
}

}  // namespace analysis
