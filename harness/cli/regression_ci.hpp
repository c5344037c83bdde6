// What `tokroof regress` tells continuous integration: JUnit XML, and annotations of GitHub's workflows.
#pragma once
#include <string>

#include "harness/cli/regression_report.hpp"

namespace cli {

/// Returns JUnit XML: a test case per series and per kernel over all machines. Regressed is a failure, wrong
/// an error; suspected and what cannot be told are skipped.
std::string to_junit(const RegressionReport& report);

/// Returns workflow commands, one per line: ::error:: for what is wrong or regressed, kernels over all
/// machines first, ::warning:: for what is suspected, then one ::notice:: with the counts.
std::string to_annotations(const RegressionReport& report);

}  // namespace cli
