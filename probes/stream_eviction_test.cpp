#include "probes/stream_eviction.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace probes {
namespace {

TEST(StreamEviction, reads_what_was_written_at_each_of_its_sizes) {
  const StreamEviction eviction({4096, 1 << 20, 512}, 1 << 20, harness::read_cpu_features(), 3);
  EXPECT_GE(eviction.memory().bytes(), size_t{1} << 20);
  for (const int64_t size : {512, 4096, 1 << 20}) EXPECT_TRUE(eviction.evict(size)) << size;
}

TEST(StreamEviction, notices_memory_that_changed) {
  const StreamEviction eviction({4096, 8192}, 8192, harness::read_cpu_features(), 3);
  eviction.memory().data()[5000] ^= std::byte{1};
  EXPECT_TRUE(eviction.evict(4096));
  EXPECT_FALSE(eviction.evict(8192));
}

TEST(StreamEviction, reads_more_than_its_memory_in_passes) {
  const StreamEviction eviction({4096, 8192, 10'240}, 4096, harness::read_cpu_features(), 3);
  EXPECT_EQ(eviction.memory().bytes(), 4096U);
  EXPECT_TRUE(eviction.evict(8192));
  EXPECT_TRUE(eviction.evict(10'240));
  eviction.memory().data()[3000] ^= std::byte{1};
  EXPECT_FALSE(eviction.evict(8192)) << "two passes over the same change do not hide it";
}

TEST(StreamEviction, its_memory_is_far_larger_than_the_cache) {
  EXPECT_EQ(stream_memory_bytes(0), int64_t{512} << 20);
  EXPECT_EQ(stream_memory_bytes(int64_t{32} << 20), int64_t{512} << 20);
  EXPECT_EQ(stream_memory_bytes(int64_t{260} << 20), int64_t{1040} << 20);
}

TEST(StreamEviction, reads_only_sizes_that_it_was_made_for) {
  const StreamEviction eviction({4096}, 4096, harness::read_cpu_features(), 3);
  EXPECT_THROW(static_cast<void>(eviction.evict(8192)), std::out_of_range);
}

}  // namespace
}  // namespace probes
