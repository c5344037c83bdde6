// What an attention block remembers: int8 keys and values with one f32 scale per position and kv head.
#pragma once
#include <cstddef>
#include <cstdint>

#include "models/arena.hpp"

namespace models {

/// One kv head: tiles [⌈context/16⌉][head_dim][16] and scales [context padded to 16], as AttentionGroup reads
/// them.
struct KvHead {
  int8_t *keys, *values;
  float *key_scales, *value_scales;
};

/// Knows where K and V of all positions of one block lie: in an arena, which outlives it.
class KvCache {
 public:
  KvCache() = default;
  KvCache(int kv_heads, int head_dim, int context, Arena& arena);
  [[nodiscard]] KvHead head(int kv_head) const;
  /// Quantises k[head_dim] and v[head_dim] of a position (< context) and stores them.
  void store(int kv_head, int position, const float* k, const float* v);

 private:
  int head_dim_ = 0, context_stride_ = 0;
  int8_t *keys_ = nullptr, *values_ = nullptr;
  float *key_scales_ = nullptr, *value_scales_ = nullptr;
};

}  // namespace models
