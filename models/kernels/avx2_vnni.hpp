// The AVX2 VNNI operations of a file of their own. Contract: kernels.hpp.
#pragma once
#include "models/kernels/kernels.hpp"

namespace models::avx2_vnni {

void ternary_gemv(const uint8_t* packed, float gamma, int rows, int cols, const int8_t* x, float x_scale,
                  float* y);
void group3_gemv(const uint8_t* packed, int rows, int cols, const int8_t* x, float x_scale, float* y);
void group4_gemv(const uint8_t* packed, int rows, int cols, const int8_t* x, float x_scale, float* y);

}  // namespace models::avx2_vnni
