// A claim that can lose: what is claimed, which data decide, and which outcomes support or refute it.
// docs/claims.md explains each member; schemas/claim.schema.json defines the file.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/hypothesis_tests.hpp"

namespace analysis {

/// One thing to decode in every round.
struct ClaimPlan {
  std::string name, model;
  double l3_share =
      0;  ///< of the family "coreflow_x": weights as a share of the reported L3; 0: `model` is one
  std::string isa = "chosen";  ///< or the name of a kernel table
  std::string arithmetic = "int8", routing = "none", pages = "small";
  std::string placement;  ///< of antagonists; "": the nearest
  std::string positions;  ///< "FIRST:LAST"; "": the model's own
  int threads = 1;        ///< 0: one on every core
  std::vector<std::string> arms;
};

/// One quantity and where it must lie. A claim holds when all its parts do.
struct ClaimPart {
  std::string name, quantity;              ///< the grammar of analysis/claim_quantity.hpp
  Region region, support;                  ///< support: what the quantity could be at all
  double true_value = 0, false_value = 0;  ///< smallest effects for which power is planned
  double spread = 0;                       ///< assumed sd of log values over launches
  double published_value = 0;              ///< what the quantity was published to be; 0: not as a number
};

struct Claim {
  std::string id, hypothesis, source, published, control, support_means;
  std::vector<std::string> population, exclusions;  ///< predicates (analysis/claim_predicate.hpp)
  std::string due_utc;
  int launches = 0;  ///< rounds: one launch of each plan, of the probes and of fidelity
  std::vector<ClaimPlan> plans;
  std::vector<std::string> probes, fidelity;
  std::map<std::string, std::string> golden;  ///< digests of models' logits, and of a census's catalogue
  std::string test;                           ///< "t_interval" | "exact"
  double alpha = 0.05;
  std::vector<ClaimPart> parts;
  uint64_t seed = 0;
};

/// Reads a claim that has passed validate_document(text, "claim"). Throws Error(invalid_input) otherwise.
Claim claim_from_json(std::string_view text);

/// Returns the SHA-256 of a claim's canonical bytes: what sealing fixes.
std::string seal_of(std::string_view text);

}  // namespace analysis
