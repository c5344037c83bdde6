#include "harness/buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <vector>

#include "harness/clock.hpp"
#include "harness/cpu_features.hpp"
#include "harness/error.hpp"

namespace harness {
namespace {

std::string contents(const Buffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), buffer.bytes()};
}

/// True when the kernel grants transparent huge pages on request ("always" or "madvise" chosen).
bool huge_pages_enabled() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string text;
  std::getline(file, text);
  return text.find("[always]") != std::string::npos || text.find("[madvise]") != std::string::npos;
}

TEST(buffer, is_aligned_and_of_the_asked_size) {
  for (size_t bytes : {size_t{1}, size_t{4096}, size_t{3'000'001}}) {
    const Buffer buffer(bytes, Pages::small);
    EXPECT_EQ(buffer.bytes(), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % (2 << 20), 0u);
  }
}

TEST(buffer, holds_random_bytes_to_its_very_end) {
  const Buffer buffer(1'000'003, Pages::small);
  std::array<int, 256> histogram{};
  for (char value : contents(buffer)) ++histogram[static_cast<unsigned char>(value)];
  const auto [rarest, commonest] = std::minmax_element(histogram.begin(), histogram.end());
  EXPECT_GT(*rarest, 3500);  // 3,906 expected, standard deviation 62
  EXPECT_LT(*commonest, 4300);
  EXPECT_NE(contents(buffer).substr(1'000'000), std::string(3, '\0'));
}

TEST(buffer, is_repeatable_from_its_seed) {
  EXPECT_EQ(contents(Buffer(4097, Pages::small, 5)), contents(Buffer(4097, Pages::huge, 5)));
  EXPECT_NE(contents(Buffer(4097, Pages::small, 5)), contents(Buffer(4097, Pages::small, 6)));
}

TEST(buffer, small_pages_are_small_even_beside_huge_ones) {
  const Buffer huge(8 << 20, Pages::huge);
  const Buffer small(8 << 20, Pages::small);
  const Buffer huge_too(8 << 20, Pages::huge);
  EXPECT_EQ(small.huge_bytes_granted(), 0u);
}

TEST(buffer, huge_pages_are_granted_where_the_kernel_offers_them) {
  const Buffer buffer(8 << 20, Pages::huge);
  if (!huge_pages_enabled()) {
    EXPECT_EQ(buffer.huge_bytes_granted(), 0u);
    GTEST_SKIP() << "transparent huge pages are off here";
  }
  EXPECT_GT(buffer.huge_bytes_granted(), 0u);
  EXPECT_LE(buffer.huge_bytes_granted(), buffer.bytes());
}

TEST(buffer, two_huge_buffers_do_not_count_each_others_pages) {
  const Buffer large(16 << 20, Pages::huge);
  const Buffer little(1 << 20, Pages::huge);
  EXPECT_LE(little.huge_bytes_granted(), size_t{1} << 20);
  EXPECT_LE(large.huge_bytes_granted(), size_t{16} << 20);
}

TEST(buffer, memory_that_is_not_to_be_had_is_an_error_that_says_how_much) {
  for (size_t bytes : {size_t{1} << 50, SIZE_MAX}) {
    try {
      const Buffer buffer(bytes, Pages::huge);
      FAIL() << "got " << bytes << " bytes";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::unavailable);
      EXPECT_NE(std::string(error.what()).find("MiB"), std::string::npos);
    }
  }
}

TEST(buffer, moving_hands_the_mapping_over) {
  Buffer first(4096, Pages::small, 9);
  std::byte* data = first.data();
  const Buffer second(std::move(first));
  EXPECT_EQ(second.data(), data);
  EXPECT_EQ(contents(second), contents(Buffer(4096, Pages::small, 9)));
}

TEST(buffer, writing_behind_the_mapping_faults) {
  const Buffer buffer(2 << 20, Pages::small);
  volatile std::byte* behind = buffer.data() + (2 << 20);
  EXPECT_DEATH(*behind = std::byte{1}, "");
}

TEST(buffer, flushing_keeps_the_contents) {
  const Buffer buffer(100'001, Pages::small, 3);
  EXPECT_EQ(flush_from_caches(buffer.data() + 1, buffer.bytes() - 1), read_cpu_features().clflush);
  EXPECT_EQ(contents(buffer), contents(Buffer(100'001, Pages::small, 3)));
  EXPECT_EQ(flush_from_caches(buffer.data(), 0), read_cpu_features().clflush);
}

/// Returns the median time in ns of summing 64 KiB right after `before` was called.
int64_t median_lap_ns(const Buffer& buffer, void (*before)(const Buffer&)) {
  const Clock clock = steady_clock();
  std::vector<int64_t> laps;
  for (int lap = 0; lap < 101; ++lap) {
    before(buffer);
    const int64_t start_ns = clock.now_ns();
    uint64_t sum = 0;
    for (size_t at = 0; at < buffer.bytes(); at += 64) sum += std::to_integer<uint64_t>(buffer.data()[at]);
    asm volatile("" : : "r"(sum) : "memory");
    laps.push_back(clock.now_ns() - start_ns);
  }
  std::nth_element(laps.begin(), laps.begin() + 50, laps.end());
  return laps[50];
}

TEST(HardwareBuffer, a_flushed_buffer_is_slower_to_read_than_a_resident_one) {
  if (!read_cpu_features().clflush) GTEST_SKIP() << "this CPU has no user-space flush";
  const Buffer buffer(64 << 10, Pages::huge);
  const int64_t warm_ns = median_lap_ns(buffer, [](const Buffer&) {});
  const int64_t cold_ns =
      median_lap_ns(buffer, [](const Buffer& b) { flush_from_caches(b.data(), b.bytes()); });
  EXPECT_GT(cold_ns, warm_ns);
}

}  // namespace
}  // namespace harness
