// One decode kernel over neutral data: random codes, never a model's weights.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

#include "models/kernels/kernels.hpp"
#include "models/token_work.hpp"

namespace probes {

/// A kernel and the data of one call, in a long and a short form: their difference tells what a call costs
/// beyond its bytes. A call reads its data at any multiple of 64 bytes; of steps over vectors there is none.
struct KernelBody {
  int64_t long_bytes = 0, short_bytes = 0;  ///< of codes or values, as models::KernelUse counts them
  int64_t long_memory_bytes = 0, short_memory_bytes = 0;
  std::function<void(std::byte* data, bool brief)> fill;
  std::function<void(const std::byte* data, bool brief)> call;
  /// Whether the last call gave the bytes that the plain kernel gives.
  std::function<bool(bool brief)> right;
};

/// Makes the body of a use on one kernel table. The long call of a matrix has as many rows, up to 256, as
/// stay within `most_bytes`, but no fewer than 64; the short one a quarter. Attention: 512 and 128
/// positions. The table must outlive the body. Steps over vectors: 1,024 and 128 values (rotate, one head;
/// route, 256 and 64 experts).
KernelBody make_kernel_body(const models::KernelUse& use, const models::Kernels& kernels, int64_t most_bytes,
                            uint64_t seed);
/// The same for a step over vectors alone.
KernelBody make_steps_body(const models::KernelUse& use, const models::Kernels& kernels, uint64_t seed);

}  // namespace probes
