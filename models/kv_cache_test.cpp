#include "models/kv_cache.hpp"

#include <gtest/gtest.h>

namespace models {
namespace {

/// A cache in memory of its own.
struct OwnedCache {
  OwnedCache(int kv_heads, int head_dim, int context) {
    Arena counts(nullptr);
    static_cast<void>(KvCache(kv_heads, head_dim, context, counts));
    memory = allocate_aligned(counts.used());
    Arena arena(memory.get());
    cache = KvCache(kv_heads, head_dim, context, arena);
  }
  AlignedMemory memory;
  KvCache cache;
};

TEST(kv_cache, stores_codes_by_dimension_and_position_within_tiles_of_sixteen) {
  OwnedCache owned(2, 2, 40);
  KvCache& cache = owned.cache;
  const float k[] = {127, -63.5f}, v[] = {-1, 0.25f};
  cache.store(1, 19, k, v);
  KvHead head = cache.head(1);
  int tile = 1 * 2 * 16;  // the second tile of [head_dim = 2][16]
  EXPECT_EQ(head.keys[tile + 3], 127);
  EXPECT_EQ(head.keys[tile + 16 + 3], -64);  // -63.5 is a tie: to even
  EXPECT_EQ(head.values[tile + 3], -127);
  EXPECT_EQ(head.values[tile + 16 + 3], 32);  // 31.75
  EXPECT_EQ(head.key_scales[19], 1.0f);
  EXPECT_EQ(head.value_scales[19], 1.0f / 127);
  EXPECT_EQ(cache.head(0).keys[tile + 3], 0) << "the other head is untouched";
}

TEST(kv_cache, nothing_is_stored_as_zeros_with_scale_one) {
  OwnedCache owned(1, 2, 16);
  KvCache& cache = owned.cache;
  const float zeros[] = {0, -0.0f}, tiny[] = {2e-43f, -3e-44f};
  cache.store(0, 0, zeros, tiny);
  KvHead head = cache.head(0);
  EXPECT_EQ(head.key_scales[0], 1.0f);
  EXPECT_EQ(head.value_scales[0], 1.0f);
  EXPECT_EQ(head.values[0], 0);
  EXPECT_EQ(head.values[16], 0);
}

TEST(kv_cache, the_last_position_of_the_last_head_fits) {
  OwnedCache owned(2, 18, 50);
  KvCache& cache = owned.cache;
  float x[18];
  for (float& value : x) value = 1;
  cache.store(1, 49, x, x);  // the sanitizers' job
  EXPECT_EQ(cache.head(1).value_scales[49], 1.0f / 127);
}

}  // namespace
}  // namespace models
