// The operations of a token's work as a table of functions, which an ISA file overrides slot by slot.
//
// ISA files are compiled with their own flags: they include headers of this folder only, call no inline or
// template function and take raw pointers, so that no symbol built for a newer CPU can be linked into
// baseline code.
//
// Contract of every slot (docs/models.md, "Numerics"): a float sum runs in 16 lanes, element i in lane i mod
// 16, folded 16→8→4→2→1 by adding the upper half; multiplications and additions round separately, but for
// gemv_float, whose multiply-adds round once. All slots of one operation give the same bytes. "Padded to 16"
// means: readable and writable up to the next multiple of 16, and zero beyond; every slot keeps it so.
#pragma once
#include <cstddef>
#include <cstdint>

#include "models/kernels/scalar.hpp"

namespace models {

/// A CPU feature that a table needs, as a bit of Kernels::needs. select.cpp knows their names.
enum KernelFeature : uint32_t {
  feature_avx2 = 1u << 0,
  feature_fma = 1u << 1,
  feature_avx_vnni = 1u << 2,
  feature_avx512f = 1u << 3,
  feature_avx512bw = 1u << 4,
  feature_avx512_vnni = 1u << 5,
  feature_f16c = 1u << 6,
  feature_avx512vl = 1u << 7,  ///< compilers encode short moves of AVX-512 files with it
};

/// Positions of K and V are stored in tiles of 16, each [head_dim][16]: one tile is read as one contiguous
/// stream, and a vector holds the same dimension of neighbouring positions.
constexpr int kv_tile_positions = 16;
constexpr int max_head_dim = 256;        ///< so that a head fits a kernel's stack
constexpr int max_low_bit_cols = 32768;  ///< so that a sum per group fits a kernel's stack

/// The query heads that share one K/V head, at one position.
struct AttentionGroup {
  const int8_t* keys;             ///< tiles [⌈positions/16⌉][head_dim][16]
  const float* key_scales;        ///< [positions], padded to 16 (the padding may hold anything finite)
  const int8_t* values;           ///< tiles, like keys
  const float* value_scales;      ///< [positions], padded to 16 likewise
  const int8_t* q;                ///< [heads][q_stride]
  const float* q_scales;          ///< [heads]
  int heads, head_dim, q_stride;  ///< head_dim even, ≤ max_head_dim
  int positions;                  ///< attended to: 0 … positions−1
  float inverse_sqrt_head_dim;
  float* weights;      ///< [heads][weights_stride]: scores, then softmax weights; rows 64-byte aligned
  int weights_stride;  ///< multiple of 16, ≥ positions
  float* out;          ///< [heads][head_dim]
};

/// One table per ISA file. Every slot defaults to scalar.
struct Kernels {
  const char* isa = "scalar";
  uint32_t needs = 0;  ///< KernelFeature bits

  /// Bytes of the packed form of W[rows, cols], and packing from row-major codes in [−127, 127]. 64-byte
  /// aligned.
  size_t (*packed_bytes)(int rows, int cols) = scalar::packed_bytes;
  void (*pack)(const int8_t* codes, int rows, int cols, int8_t* packed) = scalar::pack;
  /// Writes codes[cols] of one row.
  void (*unpack_row)(const int8_t* packed, int rows, int cols, int row, int8_t* codes) = scalar::unpack_row;
  /// y[rows] = (scales[row] · x_scale) · float(Σ code · x), the sum exact in int32. x[cols] in [−127, 127],
  /// padded to 16; scales and y padded to 16.
  void (*gemv)(const int8_t* packed, const float* scales, int rows, int cols, const int8_t* x, float x_scale,
               float* y) = scalar::gemv;
  /// y[rows] = scales[row] · Σ float(code) · x, the sum by fused multiply-adds into 16 lanes.
  /// codes[rows][cols padded to 16], row-major on every ISA and zero beyond cols, 64-byte aligned; x, scales
  /// and y padded to 16.
  void (*gemv_float)(const int8_t* codes, const float* scales, int rows, int cols, const float* x,
                     float* y) = scalar::gemv_float;
  /// codes[n] = rint(x · (127/m)), m = max |x|, ties to even; returns m/127, or 0 with zero codes when m <
  /// 1e-36. x and codes padded to 16.
  float (*quantise)(const float* x, int n, int8_t* codes) = scalar::quantise;
  /// y = (x · (1/√(Σx²/n + 1e-6))) · w. All padded to 16.
  void (*rms_norm)(const float* x, const float* w, int n, float* y) = scalar::rms_norm;
  /// c[n] = scales[n] · Σ_i taps[i·stride + n] · history[i][n] over four taps, oldest first, products summed
  /// as (0+2)+(1+3), which is the 16-lane fold of four. stride = n rounded up to 16; all padded to 16.
  void (*conv_step)(const int8_t* taps, int stride, const float* scales, const float* const* history, int n,
                    float* c) = scalar::conv_step;
  /// y = silu(a) · b, silu(a) = a / (1 + e^−a). All padded to 16; y may be a or b.
  void (*silu_product)(const float* a, const float* b, int n, float* y) = scalar::silu_product;
  /// weights[h][j] = ((q_scales[h] · key_scales[j]) · inverse_sqrt_head_dim) · float(Σ q·k) for j <
  /// positions; what is beyond is unspecified.
  void (*attention_scores)(const AttentionGroup* group) = scalar::attention_scores;
  /// row[j] = (e_j · (1/Σe)) · value_scales[j], e_j = e^(row[j] − max); zero from positions up to the next
  /// multiple of 16.
  void (*softmax)(float* row, const float* value_scales, int positions) = scalar::softmax;
  /// out[h][p] = Σ_j weights[h][j] · float(value[j][p]) in 16 lanes over j.
  void (*attention_values)(const AttentionGroup* group) = scalar::attention_values;
  /// l = cap · ((e−1)/(e+1)), e = e^(l · (2/cap)): cap · tanh(l/cap). Padded to 16.
  void (*softcap)(float* logits, int n, float cap) = scalar::softcap;

  /// Weights of few bits, packed alike on every ISA (low_bit_layout.hpp): 64-byte aligned, rows padded to 16
  /// with zeros; x in [−127, 127], zero beyond cols up to a multiple of 16; y padded to 16; cols ≤
  /// max_low_bit_cols. Ternary: codes −1, 0, 1, row-major; rows and cols padded to 16 take 2 bits each.
  size_t (*ternary_packed_bytes)(int rows, int cols) = scalar::ternary_packed_bytes;
  void (*ternary_pack)(const int8_t* codes, int rows, int cols, uint8_t* packed) = scalar::ternary_pack;
  /// y[rows] = (float(Σ code · x) · gamma) · x_scale, the sum exact in int32.
  void (*ternary_gemv)(const uint8_t* packed, float gamma, int rows, int cols, const int8_t* x, float x_scale,
                       float* y) = scalar::ternary_gemv;
  /// Groups of 32 weights of a row, cols a multiple of 32: values [rows][cols] in [−4, 3] (group3) or [−8, 7]
  /// (group4), and a finite fp16 scale for each group, [rows][cols/32]; 3.5 and 4.5 bits a weight.
  size_t (*group3_packed_bytes)(int rows, int cols) = scalar::group3_packed_bytes;
  void (*group3_pack)(const int8_t* values, const uint16_t* fp16_scales, int rows, int cols,
                      uint8_t* packed) = scalar::group3_pack;
  /// y[rows] = (Σ_group float(Σ value · x) · scale) · x_scale: groups in ascending order, int32 within.
  void (*group3_gemv)(const uint8_t* packed, int rows, int cols, const int8_t* x, float x_scale,
                      float* y) = scalar::group3_gemv;
  size_t (*group4_packed_bytes)(int rows, int cols) = scalar::group4_packed_bytes;
  void (*group4_pack)(const int8_t* values, const uint16_t* fp16_scales, int rows, int cols,
                      uint8_t* packed) = scalar::group4_pack;
  void (*group4_gemv)(const uint8_t* packed, int rows, int cols, const int8_t* x, float x_scale,
                      float* y) = scalar::group4_gemv;
  /// values[cols] of one row = float(value) · scale.
  void (*group4_unpack_row)(const uint8_t* packed, int rows, int cols, int row,
                            float* values) = scalar::group4_unpack_row;
};

}  // namespace models
