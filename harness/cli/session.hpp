// What every measuring command shares: the machine, the PU it measures on, launches as child processes, and
// the document they end in.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/learnt_error.hpp"
#include "harness/cli/measuring_lock.hpp"
#include "harness/clock.hpp"
#include "harness/cpu_features.hpp"
#include "harness/environment.hpp"
#include "harness/submission.hpp"
#include "harness/topology.hpp"
#include "models/kernels/kernels.hpp"
#include "probes/variant.hpp"

namespace cli {

struct Session {
  harness::Topology topology;
  harness::CpuFeatures features;
  harness::Clock clock;
  int pu = -1;
  const models::Kernels* kernels = nullptr;
  bool isa_forced = false;
  int64_t start_ns = 0;  ///< run start on `clock`
  harness::ConditionTotals totals_at_start;
  /// What the last measuring process told of its scheduling group. Shared, because a session is const to all
  /// who measure in it.
  std::shared_ptr<harness::Reading<int64_t>> autogroup_nice =
      std::make_shared<harness::Reading<int64_t>>(harness::Unavailable{"no measuring process ran"});
  /// Held while the session lasts; a claim's run makes it one that nobody shares.
  std::shared_ptr<const MeasuringLock> measuring;
  /// What widens the forecasts of ecm: the prior unless learn_from_store was asked.
  analysis::LearntErrors learnt;
  /// Called when Ctrl-Z stopped a launch of a purpose for so many ns, before it is taken again; may be empty.
  std::function<void(const std::string& purpose, int64_t paused_ns)> on_stop;
};

/// Looks at the machine and chooses PU and kernels. `isa` is --isa; when empty, $TOKROOF_ISA; when that is
/// empty too, the fastest this CPU runs. Throws Error for an unknown ISA, one the host lacks, or while a
/// claim's run of this user measures.
Session open_session(const std::string& isa = "");

/// Fills suite, machine, kind, protocol, nonce and time.
harness::Submission begin_submission(const Session& session, const std::string& kind,
                                     const std::string& protocol);

/// What a probes launch is asked for.
struct ProbeRequest {
  std::string purpose = "probes";
  std::vector<std::string> ids;
  std::vector<int64_t> sizes_bytes;
  int sizes_per_octave = 2;
  int samples = 5;
  uint64_t seed = 1;
  std::vector<std::string> models, isas;  ///< whose kernels kernel_rates takes
  bool all_variants = false;              ///< every series that a probe lists, not its main one alone
  probes::VariantChoice choice;
  int64_t budget_ns = 0;  ///< 0: none
};
using OnProgress = std::function<void(double)>;

/// Run one child process each and return its launch, placed on the run's time line. A launch that Ctrl-Z
/// stopped is abandoned and taken again from its beginning.
harness::Launch launch_probes(const Session& session, const ProbeRequest& request,
                              const OnProgress& progress);
/// Holds models against the reference decoder, fed with tokens of a seed.
harness::Launch launch_fidelity(const Session& session, const std::vector<std::string>& models, uint64_t seed,
                                const OnProgress& progress);
/// Paths of the files whose hashes a plan names; "" for synthetic weights and for a trace that is no file's.
struct PlanFiles {
  std::string weights, routing;
};
harness::Launch launch_decode(const Session& session, const harness::Plan& plan, uint64_t order_seed,
                              const OnProgress& progress, const PlanFiles& files = {});

/// Records the pause that ends now: `before_launch` of it is the next launch of the submission.
void add_interruption(const Session& session, harness::Submission& submission, const std::string& cause,
                      int64_t paused_ns);

/// Returns the state of the measuring thread's siblings as the document tells it: that in its conditions, but
/// "own" for a busy one where an antagonist of the run was placed on it: /proc/stat does not tell whose time
/// it was.
std::string told_sibling_state(const harness::Submission& submission);

/// Reads the conditions from the start of the run to now.
void take_conditions(const Session& session, harness::Submission& submission);

/// Derives the figures and returns the canonical text. A text that our own schema or rules refuse is our
/// mistake: Error(internal) with the first violation.
std::string seal_submission(harness::Submission& submission);

/// Takes conditions, derives the figures and returns the canonical text. A text that our own schema or rules
/// refuse is our mistake: Error(internal) with the first violation.
std::string finish_submission(const Session& session, harness::Submission& submission);

/// Where a finished document went.
struct Saved {
  std::string path;
  std::string content_sha256;
};
/// Returns where the document is written under `folder`, as save_submission does.
std::string saved_path(const harness::Submission& submission, const std::string& text,
                       const std::string& folder);
/// Writes the document under `folder` ("": $TOKROOF_HOME/submissions/YYYYMMDD/) and adds it to the store
/// `database`
/// ("": $TOKROOF_HOME/store.sqlite).
Saved save_submission(const harness::Submission& submission, const std::string& text,
                      const std::string& folder, const std::string& database);

/// Returns what the store `database` ("": $TOKROOF_HOME/store.sqlite) tells of how far ecm was off; `but_not`
/// is the content hash of what is to be forecast, "" when it is not stored. Without a store nothing.
analysis::LearntErrors learn_from_store(const std::string& database, const std::string& machine_key,
                                        const std::string& but_not = "");

/// $TOKROOF_HOME/store.sqlite unless `database` names another.
std::string store_path(const std::string& database);

}  // namespace cli
