// Where `tokroof predict` takes the facts of a machine from.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/prediction.hpp"
#include "harness/submission.hpp"
#include "models/shape.hpp"

namespace cli {

/// Returns the kernel table that a CPU with these instruction sets (spelt as in /proc/cpuinfo) runs, or the
/// one forced. Throws Error as models::select_kernels does.
std::string kernels_for(const std::vector<std::string>& isa, const std::string& forced);

/// Forecasts for a CPU of the catalogue. Throws Error(usage) for a name that no CPU has, with the nearest
/// ones, and for one that several have, listing them.
Prediction predict_cpu(const std::string& name, const std::string& isa, const analysis::Work& work,
                       const analysis::WhatIf& what_if);

/// Forecasts for the machine of an hwloc XML. Throws Error(invalid_input) for a file that is none.
Prediction predict_topology(const std::string& path, const std::string& isa, const analysis::Work& work,
                            const analysis::WhatIf& what_if);

/// Forecasts for the machine whose probes a document holds. Throws Error(invalid_input) for a file that is no
/// valid submission.
Prediction predict_document(const std::string& path, const std::optional<models::Shape>& shape,
                            const analysis::Work& work, const analysis::WhatIf& what_if);

/// The same for a document at hand. With a shape and without what-if the roofs are those of make_forecasts,
/// and `curve` is added.
Prediction predict_here(const harness::Submission& probed, const std::optional<models::Shape>& shape,
                        const analysis::Work& work, const analysis::WhatIf& what_if);

}  // namespace cli
