#include "harness/cli/claim_judge.hpp"

#include <fmt/format.h>

#include "analysis/verdict_json.hpp"
#include "harness/cli/claim_documents.hpp"
#include "harness/cli/claim_text.hpp"
#include "harness/cli/claims_folder.hpp"
#include "harness/cli/command.hpp"
#include "harness/submission.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;

ExitCode code_of(const analysis::ClaimVerdict& verdict) {
  if (verdict.verdict == "not_applicable") return ExitCode::unavailable;
  if (verdict.unproven || verdict.verdict == "inconclusive") return ExitCode::inconclusive;
  return verdict.verdict == "falsified" ? ExitCode::falsified : ExitCode::ok;
}

/// What is missing when no document counts: a run that was begun is not one that was never made.
[[noreturn]] void refuse_without_documents(const analysis::Claim& claim, const FiledClaim& filed,
                                           const analysis::ClaimVerdict& verdict) {
  const std::string left =
      verdict.left_out.empty()
          ? ""
          : fmt::format("; {:.8} was left out: {}", verdict.left_out[0].document, verdict.left_out[0].why);
  if (!verdict.doubts.empty()) {
    const size_t more = verdict.doubts.size() - 1;
    throw Error(
        ExitCode::inconclusive,
        fmt::format("{}: unproven, and no document to judge: {}{}{}; give the folder that holds it with "
                    "--from, or tell of a killed run with tokroof claim abandon",
                    claim.id, verdict.doubts[0], more == 0 ? "" : fmt::format(" (and {} more doubts)", more),
                    left));
  }
  throw Error(
      ExitCode::not_enough_data,
      fmt::format("{}: nothing to judge: it takes {} launches made after {} by tokroof run --claim {}{}",
                  claim.id, claim.launches, filed.sealed_utc, claim.id, left));
}

void record(ClaimsFolder& folder, const FiledClaim& filed, const std::string& json) {
  analysis::LedgerRow row;
  row.kind = "verdict";
  row.claim = filed.id;
  row.seal = filed.seal;
  row.utc = harness::utc_now();
  row.verdict = json;
  append_to_ledger(folder, row);
}

}  // namespace

ExitCode judge_claim(const JudgeOptions& options, const Terminal& terminal) {
  ClaimsFolder folder = open_claims(options.claims);
  const FiledClaim filed = find_claim(folder, options.id);
  const analysis::Claim claim = sealed_claim(filed);
  auto documents = claim_documents(folder, claim.id, options.database, options.from);
  analysis::ClaimVerdict verdict =
      analysis::judge(claim, filed.seal, filed.sealed_utc, std::move(documents),
                      {analysis::started_runs(folder.rows, filed.seal), begun_here(filed.seal)});
  if (verdict.machines.empty()) refuse_without_documents(claim, filed, verdict);
  const ClaimHistory history = history_of(folder, filed);
  verdict.earlier = history.earlier;
  const std::string json = analysis::verdict_json(claim, filed.seal, verdict);
  if (options.record) record(folder, filed, json);
  print_result(options.json ? json + "\n" : verdict_text(terminal, claim, verdict, history));
  return code_of(verdict);
}

}  // namespace cli
