// How much a document of our own is worth as evidence: the table of docs/import.md, whose other side are
// imports.
#pragma once
#include <string>

#include "harness/submission.hpp"

namespace harness {

/// What a document reaches on each aspect: "A" (best) to "D".
struct EvidenceAspects {
  std::string samples, machine, conditions, work, control;
};

/// Reads the aspects off launches and plans of a document whose derived figures were recomputed, which is why
/// the aspect "source" is always A. Failed and unavailable series count for nothing.
EvidenceAspects evidence_aspects(const Submission& submission);

/// Returns the lowest level of all aspects.
std::string evidence_level(const Submission& submission);

}  // namespace harness
