// What a series of a probe is called, and which ones a budget cost.
#pragma once
#include <cstdint>
#include <string>

#include "harness/submission.hpp"

namespace cli {

/// Returns a probe's name with what its series differs in from the main one.
std::string heading(const harness::Series& series);

/// Returns one sentence of what was left out to keep a budget, "" when nothing was.
std::string budget_text(const harness::Launch& launch, int64_t budget_ns);

}  // namespace cli
