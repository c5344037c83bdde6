// Documents of a simulated history: what its sittings would have written.
#pragma once
#include <cstddef>

#include "harness/cli/regression_simulation.hpp"
#include "harness/submission.hpp"

namespace cli {

/// Makes the run of one sitting: its machine, build, roofs and the two kernels of coreflow_1_9m on the
/// machine's own ISA, from a small synthetic document (harness/cli/synthetic_document.hpp) whose times are
/// stretched.
harness::Submission simulated_submission(const Simulation& simulation, size_t sitting);

}  // namespace cli
