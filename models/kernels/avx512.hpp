// The AVX-512 operations, for tables that share all but a few of them. Contract: kernels.hpp.
#pragma once
#include "models/kernels/kernels.hpp"

namespace models::avx512 {

void gemv_float(const int8_t* codes, const float* scales, int rows, int cols, const float* x, float* y);
float quantise(const float* x, int n, int8_t* codes);
void rms_norm(const float* x, const float* w, int n, float* y);
void conv_step(const int8_t* taps, int stride, const float* scales, const float* const* history, int n,
               float* c);
void silu_product(const float* a, const float* b, int n, float* y);
void attention_scores(const AttentionGroup* group);
void softmax(float* row, const float* value_scales, int positions);
void attention_values(const AttentionGroup* group);
void softcap(float* logits, int n, float cap);
void ternary_gemv(const uint8_t* packed, float gamma, int rows, int cols, const int8_t* x, float x_scale,
                  float* y);
void group3_gemv(const uint8_t* packed, int rows, int cols, const int8_t* x, float x_scale, float* y);
void group4_gemv(const uint8_t* packed, int rows, int cols, const int8_t* x, float x_scale, float* y);

}  // namespace models::avx512
