// Registers benchmarks for every table that this CPU runs.
#pragma once
#include "harness/cpu_features.hpp"

namespace bench {

/// read/ISA/SIZE: cyclic reads of a working set; reports bytes_per_second.
void register_streams(const harness::CpuFeatures& features);

/// gemv_i8/ISA/ROWSxCOLS: one int8 matrix-vector product, repeated, so that the matrix stays in the cache
/// that holds it; reports bytes_per_second (codes and scales) and weights per second. read/…: see above for
/// the roof at the same size.
void register_kernels(const harness::CpuFeatures& features);

}  // namespace bench
