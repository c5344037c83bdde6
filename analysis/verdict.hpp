// Judges a claim over the documents that were made for it. Pure.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/claim.hpp"
#include "analysis/claim_ledger.hpp"
#include "analysis/claim_values.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// What one part came to. verdict: "supported" | "falsified" | "inconclusive".
struct PartVerdict {
  std::string name, quantity, verdict;
  Region region;
  std::vector<double> values;         ///< one per launch that gave one
  int missing = 0;                    ///< launches that gave none: they were not replaced
  harness::Interval interval;         ///< t, at 1 − alpha; of exact quantities smallest to largest value
  harness::Interval sign, bootstrap;  ///< shown, never decide; the latter is made by judge() alone
  double tost_p = 1, outside_p = 1, adjusted_p = 1;  ///< the last by Holm over the parts
  int launches_needed = 0;                           ///< inconclusive: in all, were mean and scatter to stay
};

struct ControlVerdict {
  std::string name;
  harness::Interval interval;  ///< at 1 − 0.05 / number of controls
  bool holds = false;          ///< it contains 1
};

/// A later document of the same machine: shown, never judged.
struct Replication {
  std::string document;
  std::vector<harness::Interval> parts;  ///< t, at 1 − alpha
  /// Mann–Whitney against the judged launches, two-sided; nullopt where one of both has no values.
  std::vector<std::optional<double>> differs_p;
};

/// What was found on one machine. verdict also "not_applicable": outside the population.
struct MachineVerdict {
  std::string machine_key, cpu_model, verdict, why;
  bool unproven = false;  ///< the word proves nothing, for these doubts
  std::vector<std::string> doubts;
  std::string document;  ///< content SHA-256 of the one that was judged
  std::vector<PartVerdict> parts;
  std::vector<ControlVerdict> controls;
  std::vector<Replication> replications;
  double outside_p = 1;  ///< falsified: the least of its parts' adjusted_p, adjusted for the machines (Holm)
};

/// A document that was left out, and why: facts and conditions alone.
struct LeftOut {
  std::string document, why;
};

/// What was recorded of a claim before, under this seal or one that an amendment superseded.
struct EarlierVerdict {
  std::string seal, word;  ///< word "": runs finished under that seal, and no verdict was recorded
  bool unproven = false;
  bool operator==(const EarlierVerdict&) const = default;
};

struct ClaimVerdict {
  std::string verdict;  ///< over all machines; "" when there is nothing to judge yet
  bool unproven = false;
  std::vector<std::string> doubts;  ///< about all machines: data that may have been chosen
  int runs_begun = 0, runs_abandoned = 0;
  std::vector<MachineVerdict> machines;
  std::vector<LeftOut> left_out;
  std::vector<EarlierVerdict> earlier;  ///< not set by judge(), which knows no ledger
};

/// A stored document.
struct ClaimDocument {
  std::string sha256;
  harness::Submission submission;
  std::string rejected;     ///< "", or the rule that rejects it
  std::string implausible;  ///< "", or the sum that quarantines it
};

/// Judges the values of one document. Supported: the 1 − alpha interval of every part lies inside its region.
/// Falsified: that of some part lies outside, at alpha adjusted for the number of parts (Holm). Else
/// inconclusive; also when more than a tenth of the launches gave no value.
MachineVerdict judge_values(const Claim& claim, const ClaimValues& values);

/// What is known of the runs for a seal.
struct ClaimRuns {
  std::vector<StartedRun> told;   ///< by the ledger, in its order
  std::vector<StartedRun> begun;  ///< by this computer's own journal
};

/// Judges a claim: of each machine the first run that the ledger tells of and did not abandon, whose document
/// no exclusion names; all further ones are replications. A run whose document is not here or was rejected,
/// one of this computer or of a machine of the ledger that the ledger does not know, conditions that say that
/// something else ran on the measured PU, and a figure of evicted weights without verified evictions leave
/// the verdict unproven. Documents of strangers, and copies under another nonce, are left out. Overall
/// falsified where a machine falsifies at alpha adjusted for the number of machines (Holm), supported where
/// all that apply support, proven only if all of these are; else inconclusive. A claim that needs no launch
/// (a census) is judged once. Throws Error(tampered) for a document that is not the one that its run finished
/// with.
ClaimVerdict judge(const Claim& claim, const std::string& seal, const std::string& sealed_utc,
                   std::vector<ClaimDocument> documents, const ClaimRuns& runs);

/// Whether nothing has to be measured for a claim.
bool is_census(const Claim& claim);

}  // namespace analysis
