// What a run that is not finished leaves on disk, and what it takes to go on with it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/environment.hpp"
#include "harness/submission.hpp"

namespace harness {

/// What a run needs to be gone on with in another process.
struct ResumeState {
  std::string boot_id;              ///< times count from this boot (boot_id())
  int64_t run_start_ns = 0;         ///< on the clock of that boot
  int64_t saved_ns = 0;             ///< when this was written, likewise
  ConditionTotals elapsed;          ///< over the run so far, pauses left out
  std::vector<std::string> models;  ///< what was asked for
  int launches = 0;                 ///< of each plan
  bool complete = false;            ///< nothing is left to measure, conditions are final
};

/// Its schema is none of the schemas that validate accepts: it can never be taken for a result.
struct PartialRun {
  bool interrupted = false;  ///< by SIGINT or SIGTERM; false: by an error, or not at all yet
  std::string reason;
  int exit_code = 0;  ///< of the error; 0: none
  Submission measured;
  std::optional<ResumeState> resume;  ///< of runs that can be gone on with
};

std::string partial_to_json(const PartialRun& partial);
/// Throws Error(invalid_input) for a text that is no partial run.
PartialRun partial_from_json(const std::string& text);

}  // namespace harness
