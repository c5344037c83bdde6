// What the user knows better than the catalogue: --what-if l3=96MiB,dram=60GB/s.
#pragma once
#include <string>

#include "analysis/machine_facts.hpp"

namespace cli {

/// Reads a list of facts, divided by commas: l1, l2, l3 take a size ("96MiB") or a read rate of one core
/// ("50GB/s"), dram a rate, clock a frequency. "" gives none. Throws Error(usage) that says which fact is
/// wrong and what it takes.
analysis::WhatIf parse_what_if(const std::string& text);

}  // namespace cli
