#include "models/fidelity.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/reference.hpp"

namespace models {
namespace {

size_t highest_index(const std::vector<double>& logits) {
  return static_cast<size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

double standard_deviation(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (double value : values) sum += value;
  double mean = sum / static_cast<double>(values.size());
  for (double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

double rms_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double squares = 0;
  for (size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares / static_cast<double>(a.size()));
}

double top_two_gap(const std::vector<double>& logits, size_t highest) {
  double second = -HUGE_VAL;
  for (size_t i = 0; i < logits.size(); ++i) {
    if (i != highest) second = std::max(second, logits[i]);
  }
  return logits[highest] - second;
}

/// −ln of the probability that softmax(logits) gives a token.
double surprise(const std::vector<double>& logits, uint32_t token) {
  double highest = *std::max_element(logits.begin(), logits.end()), sum = 0;
  for (double logit : logits) sum += std::exp(logit - highest);
  return highest + std::log(sum) - logits[token];
}

/// Sums over tokens; ratios are taken at the end.
struct Sums {
  double rms = 0, unrounded_rms = 0, surprise = 0, reference_surprise = 0;
  int matches = 0, unrounded_matches = 0, predicted = 0;
};

void compare(const std::vector<double>& got, const std::vector<double>& want,
             const std::vector<double>& unrounded, double clear_gap, FidelityResult& result, Sums& sums) {
  size_t choice = highest_index(got), wanted = highest_index(want);
  double sigma = standard_deviation(want);
  bool clear = top_two_gap(want, wanted) > clear_gap * sigma;
  ++result.tokens;
  result.clear_tokens += clear ? 1 : 0;
  result.clear_matches += clear && choice == wanted ? 1 : 0;
  sums.matches += choice == wanted ? 1 : 0;
  sums.unrounded_matches += choice == highest_index(unrounded) ? 1 : 0;
  sums.rms += rms_difference(got, want) / sigma;
  sums.unrounded_rms += rms_difference(got, unrounded) / standard_deviation(unrounded);
}

}  // namespace

double clear_gap_sigmas(const Shape& shape) {
  return shape.body_format == Format::ternary && shape.experts.count > 0 ? 0.25 : 0.1;
}

int min_fidelity_tokens(const Shape& shape) {
  const Cost made = cost(shape);
  return made.macs_per_token > 20'000'000 || made.parameters > 150'000'000 ? 200 : 1000;
}

bool passes(const FidelityResult& result) {
  // Written so that a NaN fails.
  return result.tokens >= result.min_tokens && result.clear_tokens > 0 &&
         result.clear_matches == result.clear_tokens &&
         result.rms_difference_sigmas <= max_rms_difference_sigmas &&
         result.perplexity_delta_ratio <= max_perplexity_delta_ratio;
}

FidelityResult measure_fidelity(Decoder& decoder, const Shape& shape, const Weights& weights, uint64_t seed,
                                int tokens, Arithmetic arithmetic) {
  Reference reference(shape, weights, Rounding::as_decoder, arithmetic);
  Reference unrounded(shape, weights, Rounding::none);
  std::vector<uint32_t> fed = seeded_tokens(shape, seed, tokens);
  FidelityResult result;
  result.min_tokens = min_fidelity_tokens(shape);
  const double clear_gap = clear_gap_sigmas(shape);
  Sums sums;
  for (size_t i = 0; i < fed.size(); ++i) {
    if (i % static_cast<size_t>(shape.context) == 0) {
      decoder.reset();
      reset(reference);
      reset(unrounded);
    }
    std::span<const float> logits = decoder.step(fed[i]);
    const std::span<const uint16_t> experts = decoder.chosen_experts();
    std::vector<double> got(logits.begin(), logits.end()), want = step(reference, fed[i], experts);
    compare(got, want, step(unrounded, fed[i], experts), clear_gap, result, sums);
    if (i + 1 < fed.size()) {
      sums.surprise += surprise(got, fed[i + 1]);
      sums.reference_surprise += surprise(want, fed[i + 1]);
      ++sums.predicted;
    }
  }
  double count = result.tokens;
  result.rms_difference_sigmas = sums.rms / count;
  result.unrounded_rms_difference_sigmas = sums.unrounded_rms / count;
  result.greedy_match_ratio = sums.matches / count;
  result.unrounded_match_ratio = sums.unrounded_matches / count;
  if (reference.choices > 0)
    result.foreign_choice_ratio =
        static_cast<double>(reference.foreign_choices) / static_cast<double>(reference.choices);
  double delta = (sums.surprise - sums.reference_surprise) / std::max(sums.predicted, 1);
  result.perplexity_delta_ratio = std::fabs(std::exp(delta) - 1);
  return result;
}

}  // namespace models
