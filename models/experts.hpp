// Which experts a token visits and how their outputs are mixed. Baseline code: a few operations per token.
#pragma once
#include <cstdint>
#include <span>

namespace models {

inline constexpr int max_experts = 1 << 16;  ///< so that their ids are 16 bits wide

/// Writes the indices of the highest of shares[n], ascending; ties go to the lowest index. 1 ≤ |chosen| ≤ n.
void choose_highest(const float* shares, int n, std::span<uint16_t> chosen);

/// gates[i] = shares[chosen[i]] / Σ of those, summed in 16 lanes like every float sum (kernels.hpp). Shares
/// that add up to less than 1e-36 give equal gates: the quotient would overflow.
void renormalise(const float* shares, std::span<const uint16_t> chosen, float* gates);

/// sum[n] += gate · y[n], multiplication and addition rounded separately.
void add_scaled(const float* y, float gate, int n, float* sum);

}  // namespace models
