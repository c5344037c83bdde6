// Constants of the kernels, shared by every ISA file so that each computes the same bytes.
// e^x after Cephes expf.c (S. L. Moshier): x = k·ln2 + r, |r| ≤ ½ ln2, degree-7 polynomial with a two-part
// ln2.
#pragma once

namespace models {

constexpr float exp_lowest = -87.0f;  ///< below, e^x is taken as 0: 2^k would become subnormal
constexpr float exp_highest = 88.0f;  ///< above, 2^k would overflow
constexpr float log2_e = 1.44269504088896341f;
constexpr float ln2_high = 0.693359375f;  ///< 9 significant bits: k·ln2_high is exact
constexpr float ln2_low = -2.12194440e-4f;
constexpr float exp_p0 = 1.9875691500e-4f;
constexpr float exp_p1 = 1.3981999507e-3f;
constexpr float exp_p2 = 8.3334519073e-3f;
constexpr float exp_p3 = 4.1665795894e-2f;
constexpr float exp_p4 = 1.6666665459e-1f;
constexpr float exp_p5 = 5.0000001201e-1f;

/// 1.5·2^23: adding and subtracting it rounds |x| < 2^22 to the nearest integer, ties to even, as cvtps does.
constexpr float round_magic = 12582912.0f;

constexpr float rms_epsilon = 1e-6f;
constexpr float code_limit = 127.0f;  ///< largest |code| of weights, activations, K and V
/// A vector whose largest |x| is below this is quantised to zeros: 127/m would overflow.
constexpr float smallest_max = 1e-36f;

}  // namespace models
