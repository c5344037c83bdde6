#include "harness/cli/claim_history.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analysis/claim.hpp"
#include "harness/error.hpp"

namespace cli {
namespace {

using nlohmann::json;

analysis::EarlierVerdict recorded(const analysis::LedgerRow& row) {
  const json verdict = json::parse(row.verdict);
  return {row.seal, verdict.at("verdict").get<std::string>(), verdict.at("unproven").get<bool>()};
}

/// The last verdict recorded under a seal, or that runs finished without one; nothing where neither is.
std::vector<analysis::EarlierVerdict> last_under(const ClaimsFolder& folder, const std::string& claim,
                                                 const std::string& seal) {
  std::vector<analysis::EarlierVerdict> last;
  for (const analysis::LedgerRow& row : folder.rows) {
    if (row.claim != claim || row.seal != seal) continue;
    if (row.kind == "verdict") last = {recorded(row)};
    if (row.kind == "finished" && last.empty()) last = {{seal, "", false}};
  }
  return last;
}

/// Verdicts under the present seal that say something else than its last one.
std::vector<analysis::EarlierVerdict> others_under(const ClaimsFolder& folder, const FiledClaim& claim) {
  std::vector<analysis::EarlierVerdict> all, others;
  for (const analysis::LedgerRow& row : folder.rows) {
    if (row.kind == "verdict" && row.claim == claim.id && row.seal == claim.seal)
      all.push_back(recorded(row));
  }
  for (const analysis::EarlierVerdict& each : all) {
    if (each != all.back() && (others.empty() || others.back() != each)) others.push_back(each);
  }
  return others;
}

}  // namespace

ClaimState state_of(const ClaimsFolder& folder, const FiledClaim& claim, const std::string& now_utc) {
  ClaimState state;
  state.word = "draft";
  if (!claim.sealed()) return state;
  state.word = "sealed";
  for (const analysis::LedgerRow& row : folder.rows) {
    if (row.kind == "verdict" && row.claim == claim.id && row.seal == claim.seal) state.verdict = row.verdict;
  }
  for (const analysis::StartedRun& run : analysis::started_runs(folder.rows, claim.seal)) {
    ++state.begun;
    state.abandoned += run.abandoned ? 1 : 0;
    state.finished += run.content_sha256.empty() ? 0 : 1;
  }
  if (!state.verdict.empty()) {
    const json verdict = json::parse(state.verdict);
    state.word = verdict.at("verdict").get<std::string>();
    if (verdict.at("unproven").get<bool>()) state.word += " (unproven)";
  } else if (analysis::claim_from_json(claim.text).due_utc < now_utc) {
    state.word = "overdue";
  } else if (state.finished > 0) {
    state.word = "measured";
  } else if (state.begun > state.abandoned) {
    state.word = "begun";
  }
  return state;
}

ClaimHistory history_of(const ClaimsFolder& folder, const FiledClaim& claim) {
  ClaimHistory history;
  if (!claim.sealed()) return history;
  for (const analysis::LedgerRow& row : folder.rows) {
    if (row.claim != claim.id) continue;
    if (row.kind == "seal") history.seen = row.reason;
    if (row.kind != "amend") continue;
    history.amendments.push_back({row.utc, row.supersedes, row.reason});
    const auto last = last_under(folder, claim.id, row.supersedes);
    history.earlier.insert(history.earlier.end(), last.begin(), last.end());
  }
  const auto others = others_under(folder, claim);
  history.earlier.insert(history.earlier.end(), others.begin(), others.end());
  return history;
}

std::string earlier_text(const ClaimHistory& history) {
  std::string text;
  for (const analysis::EarlierVerdict& earlier : history.earlier) {
    text += text.empty() ? "" : "; ";
    text += earlier.word.empty()
                ? fmt::format("measured under seal {:.8}, and no verdict recorded", earlier.seal)
                : fmt::format("{}{} under seal {:.8}", earlier.word, earlier.unproven ? " (unproven)" : "",
                              earlier.seal);
  }
  return text;
}

std::string history_text(const ClaimHistory& history) {
  std::string text;
  if (!history.seen.empty()) text += fmt::format("seen before sealing: {}\n", history.seen);
  for (const Amendment& amendment : history.amendments)
    text += fmt::format("amended {}, superseding {:.8}: {}\n", amendment.utc, amendment.superseded,
                        amendment.reason);
  if (!history.earlier.empty()) text += fmt::format("before: {}\n", earlier_text(history));
  if (history.exploratory()) text += "exploratory: what tests the margins is a replication\n";
  return text;
}

std::string fault_of(const FiledClaim& filed) {
  try {
    const analysis::Claim claim = analysis::claim_from_json(filed.text);
    return claim.id == filed.id ? "" : fmt::format("its id is {}", claim.id);
  } catch (const harness::Error& error) {
    return error.what();
  }
}

}  // namespace cli
