// Neutral data for kernels: uniform numbers, never a model's weights.
#pragma once
#include <cstdint>

#include "models/splitmix64.hpp"

namespace probes {

/// Uniform numbers of one stream.
class Draw {
 public:
  explicit Draw(uint64_t seed) : seed_(seed) {}
  int code(int low, int high) {
    return low +
           static_cast<int>(models::splitmix64(seed_, count_++) % static_cast<uint64_t>(high - low + 1));
  }
  float value() { return static_cast<float>(code(-1000, 1000)) * 1e-3f; }

 private:
  uint64_t seed_, count_ = 0;
};

}  // namespace probes
