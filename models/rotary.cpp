#include "models/rotary.hpp"

namespace models {
namespace {

// 1.5·2^52: adding and subtracting it rounds |x| < 2^51 to the nearest integer, ties to even.
constexpr double round_magic_f64 = 6755399441055744.0;
// ln 2 and π/2 in parts; products with k < 2^20 of all but the last part are exact. Source: fdlibm e_exp.c,
// e_rem_pio2.c.
constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
constexpr double half_pi_1 = 1.57079632673412561417e+00, half_pi_2 = 6.07710050630396597660e-11,
                 half_pi_3 = 2.02226624879595063154e-21;
constexpr double two_over_pi = 6.36619772367581382433e-01, inverse_ln2 = 1.44269504088896338700e+00;
constexpr double ln_rotary_base = 9.21034037197618273607;

double round_to_even(double x) {
  return (x + round_magic_f64) - round_magic_f64;
}

/// e^−x for 0 ≤ x ≤ ln(base): reduction by ln 2, then a Taylor series to r^16 (|r| ≤ 0.35: remainder <
/// 1e-22).
double exp_minus(double x) {
  double k = round_to_even(x * inverse_ln2);
  double r = (k * ln2_high - x) + k * ln2_low;
  double term = 1, sum = 0;
  for (int n = 1; n <= 17; ++n) {
    sum += term;
    term = term * r / n;
  }
  for (int i = 0; i < static_cast<int>(k); ++i) sum *= 0.5;
  return sum;
}

struct SinCos {
  double sin, cos;
};

/// Taylor series to r^21 on |r| ≤ π/4 after reduction by π/2: absolute error < 1e-15 for 0 ≤ x < 1e5.
SinCos sin_cos(double x) {
  double k = round_to_even(x * two_over_pi);
  double r = ((x - k * half_pi_1) - k * half_pi_2) - k * half_pi_3;
  double square = r * r, sine = 0, cosine = 0, sine_term = r, cosine_term = 1;
  for (int n = 1; n <= 21; n += 2) {
    sine += sine_term;
    cosine += cosine_term;
    sine_term = -sine_term * square / ((n + 1) * (n + 2));
    cosine_term = -cosine_term * square / (n * (n + 1));
  }
  switch (static_cast<long long>(k) % 4) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

}  // namespace

double rotary_frequency(int i, int head_dim) {
  return exp_minus(ln_rotary_base * (2.0 * i) / head_dim);
}

RotaryTable make_rotary_table(int positions, int head_dim) {
  RotaryTable table;
  table.half = head_dim / 2;
  for (int position = 0; position < positions; ++position) {
    for (int i = 0; i < table.half; ++i) {
      SinCos angle = sin_cos(position * rotary_frequency(i, head_dim));
      table.cos.push_back(static_cast<float>(angle.cos));
      table.sin.push_back(static_cast<float>(angle.sin));
    }
  }
  return table;
}

void rotate(const RotaryTable& table, int position, float* u) {
  const float* cos = table.cos.data() + static_cast<size_t>(position) * static_cast<size_t>(table.half);
  const float* sin = table.sin.data() + static_cast<size_t>(position) * static_cast<size_t>(table.half);
  for (int i = 0; i < table.half; ++i) {
    float low = u[i], high = u[i + table.half];
    u[i] = low * cos[i] - high * sin[i];
    u[i + table.half] = high * cos[i] + low * sin[i];
  }
}

}  // namespace models
