// Registers benchmarks for every table that this CPU runs. All report bytes_per_second and, per call, what
// PAPI counted.
#pragma once
#include "harness/cpu_features.hpp"
#include "models/kernels/kernels.hpp"

namespace bench {

/// read/ISA/SIZE: cyclic reads of a working set: the roof of a kernel with the same footprint.
void register_streams(const harness::CpuFeatures& features);

/// All of the below, for each table.
void register_kernels(const harness::CpuFeatures& features);

/// gemv_i8/ISA/ROWSxCOLS and gemv_float/…: one matrix-vector product, repeated, so that the matrix stays in
/// the cache that holds it; bytes are codes and scales.
void register_gemv(const models::Kernels& kernels);

/// gemv_ternary, gemv_group3, gemv_group4 /ISA/ROWSxCOLS: likewise with weights of few bits; bytes are the
/// packed matrix.
void register_low_bit(const models::Kernels& kernels);

/// quantise, rms_norm, conv_step, silu_product, softcap /ISA/LENGTH.
void register_vectors(const models::Kernels& kernels);

/// attention_scores, softmax, attention_values /ISA/HEADSxHEAD_DIMkvKV_HEADS/POSITIONS: all heads of a block.
void register_attention(const models::Kernels& kernels);

/// decode_step/ISA/MODEL: one token, at the positions of the context in turn; bytes are weight bytes.
void register_decode(const models::Kernels& kernels);

}  // namespace bench
