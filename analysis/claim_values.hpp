// The numbers that a claim is judged by, from the samples of a document made for it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/claim.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// An A/A control: what is the same by construction, measured twice in each round.
struct ControlValues {
  std::string name;
  std::vector<double> ratios;  ///< of the rounds that have both
};

struct ClaimValues {
  std::vector<std::vector<std::optional<double>>> parts;  ///< [part][round]; nullopt: the launch gave none
  std::vector<ControlValues> controls;  ///< one per plan, one per quantity of the round's probes
};

/// Evaluates every part of a claim in every round. A ratio of decode speeds is one of median block times, as
/// derived.ratios; a speed alone is tokens ÷ all durations of the launch. Expects the document's plans to be
/// the claim's, in order. Probes and fidelity of a run with forced kernels give none. A census (cpu_share
/// alone) needs no launch: its rounds all hold the count; throws Error(unavailable) when the claim was sealed
/// for another catalogue.
ClaimValues claim_values(const Claim& claim, const harness::Submission& submission);

}  // namespace analysis
