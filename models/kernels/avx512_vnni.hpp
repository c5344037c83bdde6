// The AVX-512 VNNI operations of a file of their own. Contract: kernels.hpp.
#pragma once
#include "models/kernels/kernels.hpp"

namespace models::avx512_vnni {

void ternary_gemv(const uint8_t* packed, float gamma, int rows, int cols, const int8_t* x, float x_scale,
                  float* y);
void group3_gemv(const uint8_t* packed, int rows, int cols, const int8_t* x, float x_scale, float* y);
void group4_gemv(const uint8_t* packed, int rows, int cols, const int8_t* x, float x_scale, float* y);

}  // namespace models::avx512_vnni
