// A run that can be gone on with: its file, and whether this is still the machine, boot and binary it ran on.
#pragma once
#include <string>

#include "harness/cli/session.hpp"
#include "harness/submission_partial.hpp"

namespace cli {

/// Keeps two processes from working on one file. The lock ends with the process.
class RunLock {
 public:
  /// Throws Error(store) when another process holds it.
  explicit RunLock(const std::string& path);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  std::string lock_path_;
  int descriptor_ = -1;
};

/// $TOKROOF_HOME/partial/TIME-NONCE.json of a submission.
std::string partial_path(const harness::Submission& submission);

/// Returns the newest file of $TOKROOF_HOME/partial that holds a run of a protocol that can be gone on with.
/// Throws Error(usage) when there is none.
std::string newest_partial(const std::string& protocol);

/// Reads a run that can be gone on with. Throws Error(invalid_input) with the path for anything else.
harness::PartialRun load_partial(const std::string& path);

/// What must be as it was: times, roofs and forecasts of a run hold only there.
struct RunPlace {
  std::string binary_sha256, machine_key, boot_id, isa;
  harness::Conditions conditions;  ///< of which pinned PU, governor, turbo and clock source are compared
};

/// Returns what differs from the place where a partial run was measured, as one clause, or "".
std::string moved_since(const harness::PartialRun& partial, const RunPlace& here);

/// Returns where this session runs. `measured` gives binary and machine of this process (begin_submission).
RunPlace place_of(const Session& session, const harness::Submission& measured);

/// Puts a session back onto the time line of a partial run: run start as it was, totals without the pause.
/// Returns how long the pause was, in ns.
int64_t rejoin(Session& session, const harness::ResumeState& state);

/// Returns the state of a session to write into a partial run.
harness::ResumeState resume_state(const Session& session);

}  // namespace cli
