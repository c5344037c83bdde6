// Could the machine that a row names have read that much? docs/import.md, "What the machine could read".
#pragma once
#include <string_view>

#include "analysis/cpu_catalogue.hpp"
#include "harness/import_rows.hpp"

namespace analysis {

/// Returns the CPU of the catalogue that a source's name means, or nullptr when none or several do.
const Cpu* named_cpu(const harness::ImportedRow& row);

/// Returns the least that a token can read of a file of weights: one row of the input embedding instead of
/// all of it, where a second matrix makes the output. Needs to know no vocabulary; never less than half the
/// file.
double least_bytes_per_token(const harness::ImportedRow& row);

/// Returns whether every token of the model reads all its matrices: its architecture is one that is known to
/// be dense, and neither its name nor its file's speaks of experts.
bool known_dense(const harness::ImportedRow& row);

/// Checks a decode's bytes per second against caches, memory and cores of the catalogue's CPU. word:
///   possible        memory alone, at the fastest rate that the maker supports, could deliver it
///   cache_resident  only with caches that keep part of the weights, and they could
///   cannot_tell     only with memory faster than supported, or if a token reads less than the whole file
///   refuted         not even then; the detail is the sum
///   not_checked     something is not known; the detail says what
harness::ImportLimit check_limit(const harness::ImportedRow& row);

}  // namespace analysis
