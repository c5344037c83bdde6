#include "harness/cli/claim_protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "analysis/claim_plan.hpp"
#include "analysis/claim_predicate.hpp"
#include "analysis/probe_series.hpp"
#include "analysis/verdict.hpp"
#include "harness/cli/claims_folder.hpp"
#include "harness/cli/parse.hpp"
#include "harness/cli/result_table.hpp"
#include "harness/pinning.hpp"
#include "models/golden.hpp"
#include "models/kernels/select.hpp"
#include "models/shape.hpp"
#include "probes/decode.hpp"
#include "probes/neighbour.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;

/// Known now, not by arms that are missing in the document.
void check_neighbour(const analysis::ClaimPlan& claimed, const Session& session) {
  if (claimed.placement.empty()) return;
  const auto found = probes::neighbour_at(session.topology, session.pu, claimed.placement);
  if (!harness::available(found))
    throw Error(ExitCode::unavailable,
                fmt::format("plan {}: {}", claimed.name, std::get<harness::Unavailable>(found).reason));
}

harness::Plan plan_here(const analysis::ClaimPlan& claimed, const analysis::Claim& claim,
                        const Session& session, const harness::Machine& machine) {
  const auto model = analysis::model_on(claimed, machine);
  if (!harness::available(model))
    throw Error(ExitCode::unavailable,
                fmt::format("plan {}: {}", claimed.name, std::get<harness::Unavailable>(model).reason));
  if (const std::string why = analysis::why_not_all_cores(claimed, machine); !why.empty())
    throw Error(ExitCode::unavailable, fmt::format("plan {}: {}", claimed.name, why));
  const models::Shape& shape = models::find_shape(std::get<std::string>(model));
  harness::Plan plan = make_plan(session, shape, claimed.arms);
  plan.launches = claim.launches;
  plan.arithmetic = claimed.arithmetic;
  plan.routing = claimed.routing;
  plan.placement = claimed.placement;
  plan.threads = analysis::threads_on(claimed, machine);
  plan.page_bytes = analysis::page_bytes_of(claimed);
  plan.golden = models::expected_golden(shape, claimed.arithmetic);
  if (!analysis::has_golden(claim, claimed, plan.golden))
    throw Error(
        ExitCode::unavailable,
        fmt::format("plan {}: this version computes other logits than the claim was sealed for: amend it",
                    claimed.name));
  if (claimed.isa != "chosen")
    plan.isa = models::select_kernels(models::kernel_tables(), session.features, claimed.isa).isa;
  if (!claimed.positions.empty()) {
    std::tie(plan.position_first, plan.position_last) = parse_positions(claimed.positions);
    plan.samples_per_arm = probes::samples_per_arm(plan);
  }
  probes::check_plan(plan);
  check_neighbour(claimed, session);
  harness::choose_team_pus(session.topology, session.pu, plan.threads);  // known now, not in the first launch
  return plan;
}

void check_place(const analysis::Claim& claim, const Session& session, const harness::Machine& machine) {
  if (analysis::is_census(claim))
    throw Error(ExitCode::usage,
                fmt::format("{} needs no run: it counts the CPU catalogue; tokroof claim verdict {}",
                            claim.id, claim.id));
  for (const std::string& text : claim.population) {
    if (analysis::holds(analysis::parse_population(text), machine).value_or(false)) continue;
    throw Error(
        ExitCode::unavailable,
        fmt::format("{} is not about this machine, which lies outside its population: {}", claim.id, text));
  }
  // Probes and fidelity, too, are those of the chosen kernels.
  const bool wants_chosen = !claim.probes.empty() || !claim.fidelity.empty() ||
                            std::any_of(claim.plans.begin(), claim.plans.end(),
                                        [](const auto& plan) { return plan.isa == "chosen"; });
  if (session.isa_forced && wants_chosen)
    throw Error(
        ExitCode::usage,
        fmt::format("{} is about the kernels that are chosen here: leave TOKROOF_ISA unset", claim.id));
}

/// A claim about other numerics is another claim.
void check_fidelity_goldens(const analysis::Claim& claim) {
  for (const std::string& model : claim.fidelity) {
    const auto stated = claim.golden.find(model);
    if (stated == claim.golden.end() || stated->second == models::expected_golden(models::find_shape(model)))
      continue;
    throw Error(
        ExitCode::unavailable,
        fmt::format("fidelity of {}: this version computes other logits than the claim was sealed for: amend "
                    "it",
                    model));
  }
}

}  // namespace

Protocol claim_protocol(const analysis::Claim& claim, const Session& session,
                        const harness::Machine& machine) {
  check_place(claim, session, machine);
  Protocol protocol;
  protocol.name = "claim";
  protocol.launches = claim.launches;
  protocol.forecasts = false;
  // What the rules hold decodes against (docs/plausibility.md).
  protocol.probes = claim.plans.empty()
                        ? std::vector<std::string>{}
                        : std::vector<std::string>{"core_clock", "load_bandwidth", "dram_stream"};
  for (const analysis::ClaimPlan& plan : claim.plans) {
    protocol.plans.push_back(plan_here(plan, claim, session, machine));
    protocol.models.push_back(protocol.plans.back().model);
  }
  protocol.round_probes = claim.probes;
  protocol.round_probe_sizes = round_probe_sizes(machine);
  check_fidelity_goldens(claim);
  protocol.fidelity_models = claim.fidelity;
  return protocol;
}

std::pair<harness::Submission, Protocol> begin_claim_run(const Session& session, const std::string& claims,
                                                         const std::string& id) {
  const ClaimsFolder folder = open_claims(claims);
  const FiledClaim& filed = find_claim(folder, id);
  const analysis::Claim claim = sealed_claim(filed);
  harness::Submission submission =
      begin_submission(session, claim.plans.empty() ? "probe" : "reproduction", "claim");
  submission.claim = harness::ClaimReference{claim.id, filed.seal, filed.sealed_utc};
  Protocol protocol = claim_protocol(claim, session, submission.machine);
  session.measuring->alone(submission.nonce);
  announce_run(claims, submission);
  return {std::move(submission), std::move(protocol)};
}

std::string claim_result_text(const Terminal& terminal, const harness::Submission& submission,
                              const Saved& saved) {
  return decode_text(terminal, submission) + flags_text(terminal, submission) +
         fmt::format("submission: {}\ncontent SHA-256: {}\njudge it: tokroof claim verdict {}\n", saved.path,
                     saved.content_sha256, submission.claim->id);
}

std::vector<int64_t> round_probe_sizes(const harness::Machine& machine) {
  constexpr int64_t step = 4096, beyond = 4;
  std::vector<int64_t> sizes;
  for (int level = 1; level <= 3; ++level) {
    const int64_t at = analysis::roof_size_bytes(machine, level) / step * step;
    if (at > 0) sizes.insert(sizes.end(), {at, at + step});
  }
  const harness::Cache* llc = analysis::last_level_cache(machine);
  if (llc != nullptr) sizes.push_back(beyond * static_cast<int64_t>(llc->bytes));
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace cli
