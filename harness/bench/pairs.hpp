// The interleaved comparison: int8 GEMV against the read stream over the very same bytes.
#pragma once
#include <optional>
#include <string>

#include "harness/cpu_features.hpp"

namespace bench {

/// Returns N of "--pairs N" or "--pairs=N" when it is the whole command line; nullopt without it. Throws
/// Error(usage) when it stands beside something else or N is not 3 … 1000.
std::optional<int> parse_pairs(int argc, char** argv);

/// Measures every ISA's int8 GEMV at four shapes in rounds of kernel, read stream and read stream again,
/// every other round mirrored, each after its own warm-up; and each ISA but avx2_rowmajor against that one.
/// The read stream is the widest of this CPU and reads the packed matrix itself: same bytes, same pages.
/// Returns JSON: medians with 95 % t intervals over rounds, and spreads, (max − min) ÷ median. Throws
/// Error(wrong_result) when a kernel or stream does not give what the scalar one gives.
std::string measure_pairs(const harness::CpuFeatures& features, int pairs, int pu);

}  // namespace bench
