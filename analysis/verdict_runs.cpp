#include "analysis/verdict_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/claim_quantity.hpp"
#include "analysis/eviction.hpp"
#include "harness/error.hpp"
#include "harness/eviction_evidence.hpp"

namespace analysis {
namespace {

[[noreturn]] void tampered(const std::string& what) {
  throw harness::Error(harness::ExitCode::tampered, what);
}

void check_document(const ClaimDocument& document, const StartedRun& run) {
  if (!run.content_sha256.empty() && run.content_sha256 != document.sha256)
    tampered(
        fmt::format("document {:.12} is not the one that its run finished with: the ledger says {:.12}; "
                    "one of them was altered",
                    document.sha256, run.content_sha256));
  const std::string& key = document.submission.machine.machine_key;
  if (run.machine_key != key)
    tampered(
        fmt::format("document {:.12} says that it is of machine {:.12}, the ledger that its run was on "
                    "{:.12}; one of them was altered",
                    document.sha256, key, run.machine_key));
}

bool has_nonce(const std::vector<ClaimDocument>& documents, const std::string& nonce) {
  return std::any_of(documents.begin(), documents.end(),
                     [&](const auto& document) { return document.submission.nonce == nonce; });
}

/// Whether two runs have the same samples, whatever else differs: nothing is measured twice alike to the ns.
bool same_samples(const harness::Submission& a, const harness::Submission& b) {
  const auto samples_of = [](const harness::Submission& submission) {
    std::vector<std::vector<int64_t>> all;
    for (const harness::Launch& launch : submission.launches) {
      for (const harness::Series& series : launch.series) {
        if (!series.samples.empty()) all.push_back(series.samples);
        all.insert(all.end(), series.samples_by_size.begin(), series.samples_by_size.end());
      }
    }
    return all;
  };
  const auto samples = samples_of(a);
  return !samples.empty() && samples == samples_of(b);
}

bool evicts(const Quantity& term) {
  const auto mode = term.keys.find("mode");
  return kind_of(term) == TermKind::decode && mode != term.keys.end() &&
         harness::evicts_weights(mode->second);
}

}  // namespace

const StartedRun* run_of(const std::vector<StartedRun>& runs, const ClaimDocument& document) {
  const auto found = std::find_if(runs.begin(), runs.end(), [&](const StartedRun& run) {
    return run.nonce == document.submission.nonce;
  });
  return found == runs.end() ? nullptr : &*found;
}

std::vector<ClaimDocument> in_ledger_order(const std::string& claim, std::vector<ClaimDocument> documents,
                                           const std::vector<StartedRun>& runs) {
  std::set<std::string> seen;
  std::vector<std::pair<long, ClaimDocument>> placed;
  for (ClaimDocument& document : documents) {
    if (!document.submission.claim || document.submission.claim->id != claim) continue;
    if (!seen.insert(document.sha256).second) continue;
    const StartedRun* run = run_of(runs, document);
    if (run != nullptr) check_document(document, *run);
    const long place = run == nullptr ? static_cast<long>(runs.size()) : run - runs.data();
    placed.emplace_back(place, std::move(document));
  }
  std::sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.submission.created_utc, a.second.sha256) <
           std::tie(b.first, b.second.submission.created_utc, b.second.sha256);
  });
  std::vector<ClaimDocument> ordered;
  ordered.reserve(placed.size());
  for (auto& [place, document] : placed) ordered.push_back(std::move(document));
  return ordered;
}

std::string why_not_ours(const ClaimDocument& document, const std::vector<ClaimDocument>& documents,
                         const ClaimRuns& runs) {
  if (run_of(runs.told, document) != nullptr) return "";
  for (const ClaimDocument& other : documents) {
    if (run_of(runs.told, other) != nullptr && same_samples(document.submission, other.submission))
      return fmt::format("a copy of document {:.8} under another nonce", other.sha256);
  }
  if (run_of(runs.begun, document) != nullptr) return "";
  const std::string& key = document.submission.machine.machine_key;
  const auto of_machine = [&](const StartedRun& run) { return run.machine_key == key; };
  const bool known = std::any_of(runs.told.begin(), runs.told.end(), of_machine) ||
                     std::any_of(runs.begun.begin(), runs.begun.end(), of_machine);
  return known
             ? ""
             : "the ledger tells of no run of its machine: take the rows of the ledger that it was made with "
               "in (tokroof claim merge)";
}

std::vector<std::string> doubts_of_runs(const std::vector<ClaimDocument>& documents, const ClaimRuns& runs) {
  std::vector<std::string> doubts;
  for (const StartedRun& run : runs.told) {
    if (!run.abandoned && !has_nonce(documents, run.nonce))
      doubts.push_back(
          fmt::format("a run was begun {} on machine {:.8}, and its document is not here (nonce {}{})",
                      run.utc, run.machine_key, run.nonce, run.content_sha256.empty() ? "" : ", finished"));
  }
  for (const StartedRun& run : runs.begun) {
    const bool told = std::any_of(runs.told.begin(), runs.told.end(),
                                  [&](const StartedRun& each) { return each.nonce == run.nonce; });
    if (!told)
      doubts.push_back(
          fmt::format("a run was begun {} on this computer, and the ledger does not tell of it "
                      "(nonce {})",
                      run.utc, run.nonce));
  }
  return doubts;
}

std::string doubt_of_document(const ClaimDocument& document, const std::vector<StartedRun>& runs) {
  const StartedRun* run = run_of(runs, document);
  if (run == nullptr)
    return fmt::format("the ledger does not tell of the start of the run of document {:.8}", document.sha256);
  if (run->content_sha256.empty())
    return fmt::format("the ledger does not tell that the run of document {:.8} finished", document.sha256);
  return "";
}

std::string doubt_of_left_out(const ClaimDocument& document, const std::string& why,
                              const std::vector<StartedRun>& runs, const std::string& seal) {
  if (run_of(runs, document) == nullptr && document.submission.claim->seal != seal) return "";
  return fmt::format("document {:.8} was made under this seal and does not count: {}", document.sha256, why);
}

std::vector<std::string> doubts_of_evictions(const Claim& claim, const harness::Submission& submission) {
  std::set<std::pair<size_t, std::string>> arms;
  for (const ClaimPart& part : claim.parts) {
    const Quantity quantity = parse_quantity(part.quantity);
    for (const Quantity* term : terms_of(quantity)) {
      if (evicts(*term)) arms.insert({plan_of_term(*term, claim), term->keys.at("mode")});
    }
  }
  std::vector<std::string> doubts;
  for (const auto& [plan, arm] : arms) {
    const auto verified = eviction_verdict(submission, plan, arm, arm);
    const auto* seen = std::get_if<bool>(&verified);
    if (seen != nullptr && *seen) continue;
    doubts.push_back(fmt::format("the evictions of {} in plan {} are not verified: {}", arm,
                                 claim.plans[plan].name,
                                 seen == nullptr ? std::get<harness::Unavailable>(verified).reason
                                                 : "the weights may have been cached"));
  }
  return doubts;
}

}  // namespace analysis
