// One decode kernel over neutral data: random codes, never a model's weights.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "models/kernels/kernels.hpp"
#include "models/token_work.hpp"

namespace probes {

/// How much a call reads.
enum class Extent { brief, whole, far };

/// A kernel and the data of one call of each extent: their differences tell what a call costs beyond its
/// bytes. A call reads its data at any multiple of 64 bytes; of steps over vectors there is none.
struct KernelBody {
  struct Size {
    int64_t bytes = 0;         ///< of codes or values, as models::KernelUse counts them
    int64_t memory_bytes = 0;  ///< with what lies between
  };
  std::array<Size, 3> sizes;  ///< by extent; far: 0 where there is none
  std::function<void(std::byte* data, Extent extent)> fill;
  std::function<void(std::byte* data, Extent extent)> call;
  /// Whether the last call gave the bytes that the plain kernel gives.
  std::function<bool(Extent extent)> right;

  [[nodiscard]] const Size& of(Extent extent) const { return sizes[static_cast<size_t>(extent)]; }
};

/// Makes the body of a use on one kernel table. The whole call of a matrix has as many rows, up to 256, as
/// stay within `most_bytes`, but no fewer than 64; the brief one a quarter, the far one four times as many.
/// Attention: 512 and 128 positions, of which a call first stores the last one's K and V. The table must
/// outlive the body. Steps over vectors: 1,024 and 128 values (rotate, one head; route, 256 and 64 experts).
KernelBody make_kernel_body(const models::KernelUse& use, const models::Kernels& kernels, int64_t most_bytes,
                            uint64_t seed);
/// Makes the body of one matrix W[rows, cols], whole calls alone.
KernelBody make_matrix_body(models::Format format, int rows, int cols, const models::Kernels& kernels,
                            uint64_t seed);
/// The same for a step over vectors alone.
KernelBody make_steps_body(const models::KernelUse& use, const models::Kernels& kernels, uint64_t seed);

}  // namespace probes
