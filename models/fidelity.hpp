// Does the decoder compute the model? Its logits against the double-precision reference.
#pragma once
#include <cstdint>

#include "models/decoder.hpp"
#include "models/shape.hpp"
#include "models/weights.hpp"

namespace models {

/// Gates of docs/models.md, "Fidelity". σ is the standard deviation of that token's reference logits.
/// A top-2 gap above this must not be decided otherwise: 0.1, and 0.25 for a ternary mixture of experts,
/// which passes each rounding of an input on to few and coarse weights.
double clear_gap_sigmas(const Shape& shape);
inline constexpr double max_rms_difference_sigmas = 0.05;
inline constexpr double max_perplexity_delta_ratio = 0.01;
/// 1,000, but 200 for models whose reference takes long: over 20 M multiply-adds per token or 150 M
/// parameters.
int min_fidelity_tokens(const Shape& shape);

struct FidelityResult {
  int tokens = 0;
  int min_tokens = 1000;
  int clear_tokens = 0;               ///< tokens whose top-2 gap in the reference exceeds the clear gap
  int clear_matches = 0;              ///< of those, how many with equal argmax (gate: all)
  double rms_difference_sigmas = 0;   ///< RMS logit difference ÷ σ, averaged over tokens (gate)
  double perplexity_delta_ratio = 0;  ///< |decoder's perplexity ÷ reference's − 1| (gate)
  double greedy_match_ratio = 0;      ///< equal argmax over all tokens; random logits nearly tie (reported)
  double unrounded_match_ratio =
      0;  ///< the same against the reference without activation rounding (reported)
  double unrounded_rms_difference_sigmas = 0;  ///< (reported)
  double foreign_choice_ratio =
      0;  ///< experts that the reference's router would not have chosen ÷ those visited (reported)
};

/// Returns whether every gate holds, the number of tokens included.
bool passes(const FidelityResult& result);

/// Feeds seeded uniform tokens to the decoder, which was made with that arithmetic, and to both references,
/// in windows of at most the context. The references visit the experts that the decoder visited.
FidelityResult measure_fidelity(Decoder& decoder, const Shape& shape, const Weights& weights, uint64_t seed,
                                int tokens, Arithmetic arithmetic = Arithmetic::int8);

}  // namespace models
