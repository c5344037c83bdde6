#include "models/kv_cache.hpp"

#include <cmath>

#include "models/kernels/constants.hpp"
#include "models/kernels/kernels.hpp"

namespace models {
namespace {

/// s = max|x|/127, or 1 when there is nothing; code = rint(x / s). A division, not the product with 127/max
/// of GEMV inputs, because the published numerics say so.
void store_in_tile(const float* x, int head_dim, int position, int8_t* tiles, float* scales) {
  float m = 0;
  for (int i = 0; i < head_dim; ++i) m = std::fabs(x[i]) > m ? std::fabs(x[i]) : m;
  float scale = m < smallest_max ? 1.0f : m / code_limit;
  int8_t* at =
      tiles + position / kv_tile_positions * (head_dim * kv_tile_positions) + position % kv_tile_positions;
  for (int i = 0; i < head_dim; ++i) {
    at[i * kv_tile_positions] = static_cast<int8_t>((x[i] / scale + round_magic) - round_magic);
  }
  scales[position] = scale;
}

}  // namespace

KvCache::KvCache(int kv_heads, int head_dim, int context, Arena& arena)
    : head_dim_(head_dim),
      context_stride_(padded16(context)),
      keys_(arena.take_padded<int8_t>(kv_heads * context_stride_ * head_dim)),
      values_(arena.take_padded<int8_t>(kv_heads * context_stride_ * head_dim)),
      key_scales_(arena.take_padded<float>(kv_heads * context_stride_)),
      value_scales_(arena.take_padded<float>(kv_heads * context_stride_)) {}

KvHead KvCache::head(int kv_head) const {
  ptrdiff_t scales = ptrdiff_t{kv_head} * context_stride_, tiles = scales * head_dim_;
  return {keys_ + tiles, values_ + tiles, key_scales_ + scales, value_scales_ + scales};
}

void KvCache::store(int kv_head, int position, const float* k, const float* v) {
  KvHead to = head(kv_head);
  store_in_tile(k, head_dim_, position, to.keys, to.key_scales);
  store_in_tile(v, head_dim_, position, to.values, to.value_scales);
}

}  // namespace models
