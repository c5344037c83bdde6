// Rotary position embedding: a table of angles from arithmetic that gives the same bytes everywhere.
#pragma once
#include <span>
#include <vector>

namespace models {

/// Base of the frequencies. Source: Su et al., "RoFormer", arXiv 2104.09864, section 3.2.2.
inline constexpr double rotary_base = 10000;

/// cos and sin of position · base^(−2i/head_dim), [positions][head_dim/2] each.
struct RotaryTable {
  int half = 0;
  std::vector<float> cos, sin;
};

/// Computes in double precision with own series (libm's results differ between its FMA and other paths).
RotaryTable make_rotary_table(int positions, int head_dim);

/// Returns base^(−2i/head_dim) in double precision.
double rotary_frequency(int i, int head_dim);

/// Rotates the pairs (u[i], u[i + half]) in place.
void rotate(const RotaryTable& table, int position, float* u);

}  // namespace models
