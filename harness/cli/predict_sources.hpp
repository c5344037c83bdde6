// Where `tokroof predict` takes the facts of a machine from.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/prediction.hpp"
#include "harness/submission.hpp"
#include "models/shape.hpp"

namespace cli {

/// What is asked of a machine.
struct Question {
  std::optional<models::Shape> shape;  ///< none: only the bytes of `work` are known
  analysis::Work work;
  analysis::WhatIf what_if;
  std::string isa;       ///< the kernel table to forecast for; "": the fastest that the machine runs
  std::string database;  ///< the store that tells how far ecm was off; "": $TOKROOF_HOME/store.sqlite
  int threads = 1;       ///< that decode together, each on a core of its own
};

/// Returns --isa, or $TOKROOF_ISA when that is empty, or "". Throws Error(usage) for a kernel table that this
/// binary does not have.
std::string wanted_isa(const std::string& option);

/// Returns the kernel table that a CPU with these instruction sets (spelt as in /proc/cpuinfo) runs, or the
/// one forced. Throws Error as models::select_kernels does.
std::string kernels_for(const std::vector<std::string>& isa, const std::string& forced);

/// Forecasts for a CPU of the catalogue. Throws Error(usage) for a name that no CPU has, with the nearest
/// ones, and for one that several have, listing them.
Prediction predict_cpu(const std::string& name, const Question& question);

/// Forecasts for the machine of an hwloc XML. Throws Error(invalid_input) for a file that is none.
Prediction predict_topology(const std::string& path, const Question& question);

/// Forecasts for the machine whose probes a document holds. Throws Error(invalid_input) for a file that is no
/// valid submission. Its own figures teach ecm nothing.
Prediction predict_document(const std::string& path, const Question& question);

/// The same for a document at hand. With a shape and without what-if the forecasts are those of
/// make_forecasts, for the document's own kernel table unless another is asked for.
Prediction predict_here(harness::Submission probed, const Question& question,
                        const harness::ModelError& error);

}  // namespace cli
