// The expressions in which claims say what they are about: a small grammar, parsed strictly.
//
//   quantity := ratio(quantity, quantity) | term
//   term     := name [ "[" key=value {, key=value} "]" ]
//
//   tokens_per_s, weight_bytes_per_s   of an arm: plan, mode, model, isa, arithmetic, routing, threads,
//   pages,
//                                      placement choose the plan; positions=A:B the blocks that lie in it
//   read_bytes_per_s, load_latency_ns  of the round's probes: level=l1|l2|l3|dram
//   fidelity                           figure=..., model=...
//   cpu_share                          of the CPU catalogue: level=l1|l2|l3, bytes=N: the share of CPUs with
//   an
//                                      instance of at least N bytes
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/claim.hpp"

namespace analysis {

/// A parsed quantity: a term, or the ratio of two quantities.
struct Quantity {
  std::string name;                         ///< "ratio", or the term's
  std::vector<Quantity> operands;           ///< two of a ratio
  std::map<std::string, std::string> keys;  ///< of a term
};

/// Throws Error(invalid_input) that says where the text stops being a quantity.
Quantity parse_quantity(std::string_view text);

/// What terms are about.
enum class TermKind { decode, probe, fidelity, catalogue };
/// Throws Error(invalid_input) for a name that is no term's.
TermKind kind_of(const Quantity& term);

/// Returns all terms of a quantity, from left to right.
std::vector<const Quantity*> terms_of(const Quantity& quantity);

/// Returns the index of the one plan of a claim that a decode term means. Throws Error(invalid_input) when
/// it means none or several, names a key it does not know, or an arm that the plan lacks.
size_t plan_of_term(const Quantity& term, const Claim& claim);

/// Checks a term against the claim: keys, values, and that the claim takes the data it needs. Throws
/// Error(invalid_input).
void check_term(const Quantity& term, const Claim& claim);

/// Returns the probe that a term of the round's probes is read off.
std::string probe_of_term(const Quantity& term);

/// Positions "A:B", inclusive. Throws Error(invalid_input).
struct Positions {
  int first = 0, last = 0;
};
Positions positions_of(const std::string& text);

/// The figures that `fidelity` knows: what models/fidelity.hpp measures.
std::vector<std::string> fidelity_figures();

}  // namespace analysis
