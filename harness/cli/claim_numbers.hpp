// How figures of claims are written, in verdicts and on the board.
#pragma once
#include <string>

#include "analysis/claim.hpp"

namespace cli {

/// Four digits, or whole thousands.
std::string number_text(double value);
/// "2.18 [2.17 – 2.19]".
std::string interval_text(double median, double low, double high);
std::string interval_text(const harness::Interval& interval);
/// "≥ 2", "≤ 1.1" or "5 – 10".
std::string region_text(double low, double high);

/// The command that takes a claim's data, or judges one that needs none.
std::string run_command(const analysis::Claim& claim);

}  // namespace cli
