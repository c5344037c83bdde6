// Hands out one allocation, piece by piece.
#pragma once
#include <cstddef>

#include "models/padded.hpp"

namespace models {

/// Hands out cache lines of `memory`; without memory it only counts, so that a first pass finds the size.
class Arena {
 public:
  explicit Arena(std::byte* memory) : memory_(memory) {}

  /// Returns room for count elements on cache lines of their own; null when there is no memory.
  template <class T>
  T* take(size_t count) {
    std::byte* at = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += rounded_up(count * sizeof(T), cache_line_bytes);
    return reinterpret_cast<T*>(at);
  }
  /// Returns room for a vector that is padded to 16.
  template <class T>
  T* take_padded(int n) {
    return take<T>(static_cast<size_t>(padded16(n)));
  }
  /// Goes on at a multiple of `bytes` from the start.
  void align(size_t bytes) { used_ = rounded_up(used_, bytes); }
  [[nodiscard]] size_t used() const { return used_; }
  [[nodiscard]] bool only_counts() const { return memory_ == nullptr; }

 private:
  static size_t rounded_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

  std::byte* memory_;
  size_t used_ = 0;
};

}  // namespace models
