// What a claim's plan means on a machine, and whether a document's plan is that.
#pragma once
#include <string>

#include "analysis/claim.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// Returns the model that a claim's plan decodes on a machine: its own, or the one of the family whose
/// weights are l3_share of an L3 instance. Unavailable where no L3 is reported, or the family has no such
/// size.
harness::Reading<std::string> model_on(const ClaimPlan& plan, const harness::Machine& machine);

/// Returns how many threads it takes: one per core that the process may use when the plan says all.
int threads_on(const ClaimPlan& plan, const harness::Machine& machine);

/// Returns why a plan of all cores is not that here: fewer PUs are allowed than the machine has. "" when it
/// is.
std::string why_not_all_cores(const ClaimPlan& plan, const harness::Machine& machine);

/// Bytes of a page of a plan.
int64_t page_bytes_of(const ClaimPlan& plan);

/// Under which name a claim keeps the digest of a plan's logits: the model's, with "_float" for float
/// arithmetic.
std::string golden_key(const ClaimPlan& plan);

/// Under which name a claim keeps the SHA-256 of analysis/cpus.json, which a census counts.
inline constexpr const char* catalogue_golden_key = "cpu_catalogue";
/// Returns the SHA-256 of the catalogue that this version counts.
std::string catalogue_digest();

/// Whether a digest is the one that a claim names for a plan; any is where it names none.
bool has_golden(const Claim& claim, const ClaimPlan& plan, const std::string& digest);

/// Returns how a document's plan differs from the claim's, "" when it does not. `forced_isa`: the run's
/// kernels were forced, which a plan of the chosen ones does not accept.
std::string difference(const ClaimPlan& claimed, const harness::Plan& plan, const harness::Machine& machine,
                       int launches, bool forced_isa);

}  // namespace analysis
