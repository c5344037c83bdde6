// A document of kind failure: a claim or published figure that did not hold, or a run that could not finish.
#pragma once
#include <string>

#include "harness/scrub.hpp"
#include "harness/submission.hpp"

namespace cli {

/// What a person tells; empty or -1 where nothing was told.
struct FailureTold {
  std::string claimed, source, observed, stage;
  std::string log;  ///< the end of a log, raw
  int exit_code = -1;
};

/// What was measured, and what it says of itself where nothing was told.
struct FailureGround {
  harness::Submission measured;
  std::string observed, stage, log;
  int exit_code = 0;
};

/// Reads what a failure rests on: a document (reproduction or probe) or what a run left that did not end.
/// Throws Error(invalid_input) for anything else, with what is wrong.
FailureGround read_ground(const std::string& path);

/// Makes the ground of a failure of which nothing was measured: this machine now.
FailureGround ground_of_this_machine();

/// Returns how many characters a UTF-8 text has.
size_t characters(const std::string& text);

/// Returns the end of a log, raw: at most 256 KiB, from the beginning of a line; of a word where its last
/// line is longer. A carriage return alone, as bars of progress print it, ends a line, too.
std::string end_of_log(std::string log);

/// Makes the document: the ground's figures with kind failure and what was told of it, scrubbed of `names`.
/// Run, time and nonce stay the ground's. Throws Error(usage) for texts that are empty or too long.
harness::Submission failure_document(FailureGround ground, const FailureTold& told,
                                     const harness::PrivateNames& names);

}  // namespace cli
