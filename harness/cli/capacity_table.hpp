// What each cache holds, as it is told and as it is measured, side by side.
#pragma once
#include <string>

#include "harness/cli/terminal.hpp"
#include "harness/submission.hpp"

namespace cli {

/// Returns one row per reported cache: the size that the system tells, what a stream finds, what a refreshed
/// chase finds, and, where `retention` ran, the half-life of lines that nobody touches, each with its
/// interval; then one line per answer that cannot be told, with the reason, and one per cache whose two
/// answers exclude each other.
std::string capacities_text(const Terminal& terminal, const harness::Derived& derived);

}  // namespace cli
