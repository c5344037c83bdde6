#include "probes/stream_work.hpp"

#include <gtest/gtest.h>

#include "harness/error.hpp"

namespace probes {
namespace {

constexpr int64_t set_bytes = 30'720;
const char* const names[] = {"read", "store", "store_nt", "copy", "triad"};

const harness::Streams& streams() {
  static const harness::CpuFeatures features = harness::read_cpu_features();
  return harness::select_streams(features);
}

harness::Buffer buffer_for(const Operation& operation) {
  return {static_cast<size_t>(arrays_total_bytes(operation, set_bytes)), harness::Pages::small, 5};
}

bool exists(const Operation& operation) {
  return std::string(operation.name) != "store_nt" || streams().store_nt != nullptr;
}

TEST(StreamWork, every_operation_is_right_after_any_odd_number_of_passes) {
  for (const char* name : names) {
    const Operation& operation = find_operation(name);
    if (!exists(operation)) continue;
    const harness::Buffer buffer = buffer_for(operation);
    StreamWork work(streams(), buffer, operation);
    work.prepare(set_bytes);
    for (const int64_t passes : {1, 3, 7}) {
      work.refresh();
      work.run(passes);
      EXPECT_TRUE(work.is_right(passes)) << name << " " << passes;
    }
  }
}

TEST(StreamWork, what_refresh_spoils_is_seen_until_a_pass_mends_it) {
  for (const char* name : {"store", "copy", "triad"}) {
    const Operation& operation = find_operation(name);
    const harness::Buffer buffer = buffer_for(operation);
    StreamWork work(streams(), buffer, operation);
    work.prepare(set_bytes);
    work.refresh();
    EXPECT_FALSE(work.is_right(1)) << name;
    work.run(1);
    EXPECT_TRUE(work.is_right(1)) << name;
  }
}

TEST(StreamWork, one_changed_byte_anywhere_in_what_was_stored_is_wrong) {
  for (const char* name : names) {
    const Operation& operation = find_operation(name);
    if (!exists(operation)) continue;
    const harness::Buffer buffer = buffer_for(operation);
    StreamWork work(streams(), buffer, operation);
    work.prepare(set_bytes);
    work.run(1);
    const auto bytes = static_cast<size_t>(array_bytes(operation, set_bytes));
    for (const size_t at : {size_t{0}, bytes / 2 + 3, bytes - 1}) {
      buffer.data()[at] ^= std::byte{1};
      if (std::string(name) == "read") work.run(1);
      EXPECT_FALSE(work.is_right(1)) << name << " " << at;
      buffer.data()[at] ^= std::byte{1};
    }
  }
}

TEST(StreamWork, a_store_of_too_few_passes_leaves_another_word) {
  const Operation& operation = find_operation("store");
  const harness::Buffer buffer = buffer_for(operation);
  StreamWork work(streams(), buffer, operation);
  work.prepare(set_bytes);
  work.run(4);
  EXPECT_TRUE(work.is_right(4));
  EXPECT_FALSE(work.is_right(5));
}

TEST(StreamWork, arrays_share_the_set_and_begin_on_pages) {
  EXPECT_EQ(array_bytes(find_operation("triad"), set_bytes), 10'240);
  EXPECT_EQ(arrays_total_bytes(find_operation("triad"), set_bytes), 3 * 12'288);
  EXPECT_EQ(array_bytes(find_operation("copy"), 512), 0);
  const Operation& copy = find_operation("copy");
  const harness::Buffer buffer = buffer_for(copy);
  StreamWork work(streams(), buffer, copy);
  work.prepare(set_bytes);
  EXPECT_EQ(work.moved_bytes(), set_bytes);
}

TEST(StreamWork, an_unknown_operation_is_a_usage_error) {
  EXPECT_THROW(find_operation("scale"), harness::Error);
}

}  // namespace
}  // namespace probes
