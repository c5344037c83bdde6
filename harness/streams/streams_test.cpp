#include "harness/streams/streams.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <new>
#include <set>
#include <utility>
#include <vector>

#include "harness/streams/faster_read.hpp"

namespace harness {
namespace {

constexpr size_t page = 4096;

/// Owns 64-byte aligned words with the pattern of a counter-based generator.
struct Words {
  explicit Words(size_t bytes) : count(bytes / 8) {
    data = static_cast<uint64_t*>(::operator new (bytes, std::align_val_t{64}));
    for (size_t i = 0; i < count; ++i) data[i] = (i + 1) * 0x9E3779B97F4A7C15ULL ^ (i << 40);
  }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;
  ~Words() { ::operator delete (data, std::align_val_t{64}); }
  [[nodiscard]] uint64_t plain_xor() const {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i) sum ^= data[i];
    return sum;
  }
  uint64_t* data;
  size_t count;
};

std::vector<Streams> runnable_tables() {
  std::vector<Streams> tables;
  const CpuFeatures features = read_cpu_features();
  for (const Streams& table : streams_tables()) {
    if (runs_on(table, features)) tables.push_back(table);
  }
  return tables;
}

/// Every read loop of this host as the `read` of a table, so that one test holds for all.
std::vector<Streams> runnable_reads() {
  std::vector<Streams> reads = runnable_tables();
  for (const Streams& table : runnable_tables()) {
    if (table.read_ahead == nullptr) continue;
    reads.push_back(table);
    reads.back().read = table.read_ahead;
  }
  return reads;
}

TEST(Streams, one_pass_returns_the_xor_of_all_words_for_every_isa_and_size) {
  for (const Streams& table : runnable_reads()) {
    for (size_t bytes : {size_t{512}, size_t{1024}, size_t{2560}, page, 5 * page + 512}) {
      const Words words(bytes);
      EXPECT_EQ(table.read(words.data, bytes, 1), words.plain_xor()) << table.isa << " " << bytes;
    }
  }
}

TEST(Streams, changing_any_one_byte_changes_the_checksum) {
  for (const Streams& table : runnable_reads()) {
    Words words(2560);
    const uint64_t before = table.read(words.data, 2560, 1);
    auto* bytes = reinterpret_cast<unsigned char*>(words.data);
    for (size_t i = 0; i < 2560; ++i) {
      bytes[i] ^= 0x40;
      EXPECT_NE(table.read(words.data, 2560, 1), before) << table.isa << " byte " << i;
      bytes[i] ^= 0x40;
    }
  }
}

TEST(Streams, passes_cancel_in_pairs_so_that_every_pass_must_have_been_read) {
  for (const Streams& table : runnable_reads()) {
    const Words words(page);
    EXPECT_EQ(table.read(words.data, page, 0), 0U) << table.isa;
    EXPECT_EQ(table.read(words.data, page, 2), 0U) << table.isa;
    EXPECT_EQ(table.read(words.data, page, 7), words.plain_xor()) << table.isa;
    EXPECT_EQ(table.read(words.data, page, 100), 0U) << table.isa;
  }
}

TEST(Streams, bytes_after_the_end_are_not_read_into_the_checksum) {
  for (const Streams& table : runnable_reads()) {
    Words words(2 * page);
    const uint64_t before = table.read(words.data, page, 1);
    words.data[page / 8] ^= 1;
    EXPECT_EQ(table.read(words.data, page, 1), before) << table.isa;
  }
}

TEST(Streams, a_store_leaves_the_word_of_its_last_pass_everywhere_and_nothing_beyond) {
  for (const Streams& table : runnable_tables()) {
    for (const auto store : {table.store, table.store_nt}) {
      if (store == nullptr) continue;
      for (size_t bytes : {size_t{512}, size_t{2560}, page}) {
        Words words(page + 512);
        const uint64_t after = words.data[bytes / 8];
        store(words.data, bytes, 3, 40);
        for (size_t i = 0; i < bytes / 8; ++i) ASSERT_EQ(words.data[i], 42U) << table.isa << " " << i;
        EXPECT_EQ(words.data[bytes / 8], after) << table.isa;
      }
    }
  }
}

TEST(Streams, a_copy_is_the_same_bytes_and_nothing_beyond) {
  for (const Streams& table : runnable_tables()) {
    for (size_t bytes : {size_t{512}, size_t{2560}, page}) {
      const Words from(page + 512);
      Words to(page + 512);
      std::memset(to.data, 0, page + 512);
      table.copy(to.data, from.data, bytes, 2);
      EXPECT_EQ(std::memcmp(to.data, from.data, bytes), 0) << table.isa << " " << bytes;
      EXPECT_EQ(to.data[bytes / 8], 0U) << table.isa;
    }
  }
}

TEST(Streams, triad_rounds_product_and_sum_apart_on_every_isa) {
  constexpr size_t bytes = 2560, count = bytes / sizeof(double);
  const Words memory(3 * page);
  auto* const a = reinterpret_cast<double*>(memory.data);
  double *const b = a + page / 8, *const c = a + 2 * page / 8;
  for (size_t i = 0; i < count; ++i) {
    b[i] = 1.0 / static_cast<double>(i + 3);
    c[i] = static_cast<double>(i) / 7;
  }
  for (const Streams& table : runnable_tables()) {
    for (size_t i = 0; i <= count; ++i) a[i] = -1;
    table.triad(a, b, c, bytes, 0.1, 1);
    for (size_t i = 0; i < count; ++i) ASSERT_EQ(a[i], b[i] + 0.1 * c[i]) << table.isa << " " << i;
    EXPECT_EQ(a[count], -1) << table.isa;
  }
}

uint64_t slow_read(const void* data, size_t bytes, int64_t passes) {
  uint64_t sum = 0;
  for (int i = 0; i < 20; ++i) sum ^= streams_tables().front().read(data, bytes, passes);
  return sum;
}

TEST(HardwareStreams, of_two_read_loops_the_faster_one_is_taken_whichever_it_is) {
  const Words words(16 * page);
  Streams table = streams_tables().front();
  EXPECT_EQ(faster_read(table, words.data, 16 * page), table.read);
  table.read_ahead = slow_read;
  EXPECT_EQ(faster_read(table, words.data, 16 * page), table.read);
  std::swap(table.read, table.read_ahead);
  EXPECT_EQ(faster_read(table, words.data, 16 * page), table.read_ahead);
}

TEST(Streams, tables_begin_with_scalar_and_widen) {
  const auto tables = streams_tables();
  ASSERT_FALSE(tables.empty());
  EXPECT_STREQ(tables.front().isa, "scalar");
  std::set<std::string> names;
  for (size_t i = 0; i < tables.size(); ++i) {
    EXPECT_NE(tables[i].read, nullptr);
    EXPECT_NE(tables[i].store, nullptr);
    EXPECT_NE(tables[i].copy, nullptr);
    EXPECT_NE(tables[i].triad, nullptr);
    EXPECT_TRUE(names.insert(tables[i].isa).second) << tables[i].isa;
    if (i > 0) {
      EXPECT_GT(tables[i].vector_bytes, tables[i - 1].vector_bytes);
    }
  }
}

TEST(Streams, selection_takes_the_widest_table_that_the_features_allow) {
  CpuFeatures features;
  EXPECT_STREQ(select_streams(features).isa, "scalar");
  if (streams_tables().size() < 3) GTEST_SKIP() << "this architecture has only the scalar stream";
  features.avx2 = true;
  EXPECT_STREQ(select_streams(features).isa, "avx2");
  features.avx512f = true;
  EXPECT_STREQ(select_streams(features).isa, "avx512");
  features.avx2 = false;
  EXPECT_STREQ(select_streams(features).isa, "avx512");
}

TEST(Streams, a_table_of_unknown_isa_runs_nowhere) {
  CpuFeatures features;
  features.avx2 = features.avx512f = true;
  EXPECT_FALSE(runs_on(Streams{"avx9000", 4096, nullptr}, features));
}

}  // namespace
}  // namespace harness
