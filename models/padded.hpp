// Memory as the kernels want it: cache-line aligned, zeroed, whole lanes of 16.
#pragma once
#include <cstddef>
#include <cstring>
#include <memory>

namespace models {

inline constexpr size_t cache_line_bytes = 64;

/// Rounds a length up to whole lanes: what "padded to 16" of kernels.hpp allocates.
constexpr int padded16(int n) {
  return (n + 15) / 16 * 16;
}

struct FreeAligned {
  void operator()(std::byte* memory) const;
};
using AlignedMemory = std::unique_ptr<std::byte[], FreeAligned>;
/// Returns zeroed memory that starts on a cache line.
AlignedMemory allocate_aligned(size_t bytes);

/// Owns a vector of n elements with room for padded16(n), all zero at first.
template <class T>
class Padded {
 public:
  Padded() = default;
  explicit Padded(int n)
      : bytes_(static_cast<size_t>(padded16(n)) * sizeof(T)), memory_(allocate_aligned(bytes_)) {}
  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(memory_.get()); }
  void clear() { std::memset(memory_.get(), 0, bytes_); }

 private:
  size_t bytes_ = 0;
  AlignedMemory memory_;
};

}  // namespace models
