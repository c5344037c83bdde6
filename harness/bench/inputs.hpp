// Seeded inputs, and the dimensions that the built-in models have.
#pragma once
#include <set>
#include <utility>
#include <vector>

#include "harness/statistics.hpp"
#include "models/padded.hpp"
#include "models/shape.hpp"

namespace bench {

/// W[rows, cols].
using MatrixShape = std::pair<int, int>;

/// The matrices of all built-in models, those of coreflow_1_9m laid end to end (5184 rows of 396), and two
/// that show a kernel beyond a 2 MiB cache.
std::set<MatrixShape> matrix_shapes();
/// The lengths of the vectors that tokens of the built-in models pass through: widths d and ff.
std::set<int> model_widths();
std::set<int> feed_forward_widths();
std::set<int> vocabularies();

/// n values, zero up to the next multiple of 16: codes in [−127, 127], floats in [−1, 1).
models::Padded<int8_t> random_codes(int n, uint64_t seed);
models::Padded<float> random_floats(int n, uint64_t seed);
models::Padded<float> constant_floats(int n, float value);

}  // namespace bench
