// What a row of an import is worth, from what its source says: marks, evidence level, and whether the machine
// could. Nothing here is taken from a document: validate judges again. docs/import.md.
#pragma once
#include <string>
#include <vector>

#include "analysis/plausibility.hpp"
#include "harness/import_document.hpp"

namespace analysis {

/// Names the CPU of the rows whose source does not; evidence of whoever imports.
void name_cpu(harness::Imported& imported, const std::string& cpu);

/// Fills what is judged. Marks that keep a row from being compared: not_decode, cpu_unknown, not_cpu,
/// device_unknown, batched, errored, aggregate, fit, no_figure, inconsistent (speed and samples differ by
/// more than 1 %), refuted. Others: cache_resident, above_rated.
void judge(harness::Imported& imported);

/// Judges a document again: R02 (reject) where it says otherwise and was judged by this version and
/// catalogue, R20 (reject) where its text holds more or other members than an import has, P20 (quarantine)
/// per refuted row.
std::vector<Finding> check_import(const std::string& text);

}  // namespace analysis
