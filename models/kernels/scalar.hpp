// The plain C++ operations, which define the bytes of every other ISA file. Contract: kernels.hpp.
#pragma once
#include <cstddef>
#include <cstdint>

namespace models {
struct AttentionGroup;
}

namespace models::scalar {

/// e^x by Cephes' expf polynomial, |relative error| < 2e-7 on [−87, 88]; 0 below −87, e^88 above 88.
float exp_f32(float x);

size_t packed_bytes(int rows, int cols);
void pack(const int8_t* codes, int rows, int cols, int8_t* packed);
void unpack_row(const int8_t* packed, int rows, int cols, int row, int8_t* codes);
void gemv(const int8_t* packed, const float* scales, int rows, int cols, const int8_t* x, float x_scale,
          float* y);
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

/// The value of a finite IEEE 754 binary16, exactly.
float float_of_half(uint16_t half);

size_t ternary_packed_bytes(int rows, int cols);
void ternary_pack(const int8_t* codes, int rows, int cols, uint8_t* packed);
void ternary_gemv(const uint8_t* packed, float gamma, int rows, int cols, const int8_t* x, float x_scale,
                  float* y);
size_t group3_packed_bytes(int rows, int cols);
void group3_pack(const int8_t* values, const uint16_t* fp16_scales, int rows, int cols, uint8_t* packed);
void group3_gemv(const uint8_t* packed, int rows, int cols, const int8_t* x, float x_scale, float* y);
size_t group4_packed_bytes(int rows, int cols);
void group4_pack(const int8_t* values, const uint16_t* fp16_scales, int rows, int cols, uint8_t* packed);
void group4_gemv(const uint8_t* packed, int rows, int cols, const int8_t* x, float x_scale, float* y);
void group4_unpack_row(const uint8_t* packed, int rows, int cols, int row, float* values);

}  // namespace models::scalar
