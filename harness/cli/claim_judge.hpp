// tokroof claim verdict: judges a sealed claim.
#pragma once
#include <string>

#include "harness/cli/terminal.hpp"
#include "harness/error.hpp"

namespace cli {

struct JudgeOptions {
  std::string claims, id, database, from;
  bool json = false, record = false;
};

/// Judges a claim over the documents of a store or a folder, prints the verdict, records it where told.
/// Returns 0 supported, 10 falsified, 11 inconclusive or unproven, 6 not applicable. Throws
/// Error(not_enough_data) when nothing was measured, Error(inconclusive) when runs were begun and no document
/// of theirs is here.
harness::ExitCode judge_claim(const JudgeOptions& options, const Terminal& terminal);

}  // namespace cli
