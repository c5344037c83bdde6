#include "analysis/verdict_conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analysis/team.hpp"
#include "harness/statistics.hpp"

namespace analysis {
namespace {

/// What decides a claim: its decodes and its rounds' probes.
bool decides(const harness::Launch& launch) {
  return launch.purpose == "decode" || launch.purpose == "round_probes" ||
         launch.purpose == "round_probes_again";
}

/// Applies f to every series that decides.
template <class F>
void for_each_series(const harness::Submission& submission, const F& f) {
  for (const harness::Launch& launch : submission.launches) {
    if (!decides(launch)) continue;
    for (const harness::Series& series : launch.series) f(series);
  }
}

/// CPU time ÷ wall time of the measuring thread over all that was timed; nullopt where nothing tells.
std::optional<double> pu_share(const harness::Submission& submission) {
  double cpu_ns = 0, wall_ns = 0;
  for_each_series(submission, [&](const harness::Series& series) {
    cpu_ns += static_cast<double>(series.totals.cpu_ns);
    wall_ns += static_cast<double>(series.totals.wall_ns);
  });
  return wall_ns > 0 && cpu_ns > 0 ? std::optional(cpu_ns / wall_ns) : std::nullopt;
}

/// Of the slowest thread of a team, the median over launches.
std::optional<double> team_share(const harness::Submission& submission) {
  std::vector<double> shares;
  for_each_series(submission, [&](const harness::Series& series) {
    const auto found = series.params.find("least_thread_cpu_ratio");
    if (found == series.params.end()) return;
    if (const auto share = number_of(found->second)) shares.push_back(*share);
  });
  return shares.empty() ? std::nullopt : std::optional(harness::median(shares));
}

}  // namespace

std::vector<std::string> doubts_of_conditions(const Claim& claim, const harness::Submission& submission) {
  std::vector<std::string> doubts;
  if (claim.test == "exact") return doubts;
  const auto* psi = std::get_if<double>(&submission.conditions.psi_cpu_some);
  if (psi != nullptr && *psi > most_psi_cpu_some)
    doubts.push_back(
        fmt::format("some task waited for a CPU in {:.0f} % of the run (psi_cpu_some; at most {:.0f} %)",
                    100 * *psi, 100 * most_psi_cpu_some));
  const auto share = pu_share(submission);
  if (share && *share < least_pu_share)
    doubts.push_back(fmt::format(
        "something else ran on the measured PU: the measuring thread had it for {:.0f} % of the timed "
        "time (at least {:.0f} %; {} involuntary switches)",
        100 * *share, 100 * least_pu_share, submission.conditions.involuntary_switches));
  const auto team = team_share(submission);
  if (team && *team < least_pu_share)
    doubts.push_back(
        fmt::format("something else ran on the PU of a thread of the team, which had it for {:.0f} % of "
                    "a launch (at least {:.0f} %)",
                    100 * *team, 100 * least_pu_share));
  return doubts;
}

}  // namespace analysis
