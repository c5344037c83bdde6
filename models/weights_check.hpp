// Are these the weights of that shape? Every function throws Error(invalid_input) that says what is not.
#pragma once
#include <vector>

#include "models/shape.hpp"
#include "models/tensors.hpp"
#include "models/weights.hpp"

namespace models {

/// Checks format, dimensions, numbers of codes and scales, and that each code is one of the format's.
void check_matrix(const Matrix& matrix, const Tensor& tensor, const Shape& shape);
void check_norm(const std::vector<float>& norm, const Tensor& tensor, const Shape& shape);
/// Checks the numbers of blocks and experts.
void check_counts(const Weights& weights, const Shape& shape);
/// Only int8 matrices can be multiplied in float32.
void check_arithmetic(Arithmetic arithmetic, const Tensor& tensor, const Shape& shape);

}  // namespace models
