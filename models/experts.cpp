#include "models/experts.hpp"

#include <algorithm>

#include "models/kernels/constants.hpp"

namespace models {

void choose_highest(const float* shares, int n, std::span<uint16_t> chosen) {
  // Kept in descending order of shares; an equal share that comes later never displaces an earlier one.
  size_t kept = 0;
  for (int i = 0; i < n; ++i) {
    if (kept == chosen.size() && !(shares[i] > shares[chosen[kept - 1]])) continue;
    size_t at = kept < chosen.size() ? kept++ : kept - 1;
    for (; at > 0 && shares[i] > shares[chosen[at - 1]]; --at) chosen[at] = chosen[at - 1];
    chosen[at] = static_cast<uint16_t>(i);
  }
  std::sort(chosen.begin(), chosen.end());
}

void renormalise(const float* shares, std::span<const uint16_t> chosen, float* gates) {
  constexpr size_t lanes = 16;
  float lane[lanes] = {};
  for (size_t i = 0; i < chosen.size(); ++i) lane[i % lanes] += shares[chosen[i]];
  for (size_t width = lanes / 2; width >= 1; width /= 2) {
    for (size_t i = 0; i < width; ++i) lane[i] += lane[i + width];
  }
  const bool vanishes = lane[0] < smallest_max;
  for (size_t i = 0; i < chosen.size(); ++i)
    gates[i] = vanishes ? 1.0f / static_cast<float>(chosen.size()) : shares[chosen[i]] / lane[0];
}

void add_scaled(const float* y, float gate, int n, float* sum) {
  for (int i = 0; i < n; ++i) sum[i] += gate * y[i];
}

}  // namespace models
