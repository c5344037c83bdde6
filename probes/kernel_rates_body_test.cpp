#include "probes/kernel_rates_body.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "harness/buffer.hpp"
#include "harness/cpu_features.hpp"
#include "models/kernels/select.hpp"

namespace probes {
namespace {

const models::Kernels plain;  // outlives the bodies

models::KernelUse use(const std::string& kernel, int cols, models::Reads reads, int heads = 0) {
  models::KernelUse made;
  made.kernel = kernel;
  made.cols = cols;
  made.reads = reads;
  made.heads = heads;
  return made;
}

std::vector<models::KernelUse> all_uses() {
  using models::Reads;
  std::vector<models::KernelUse> uses{use("int8", 144, Reads::dense),    use("int8", 396, Reads::dense),
                                      use("ternary", 80, Reads::dense),  use("group3", 512, Reads::dense),
                                      use("group4", 512, Reads::dense),  use("attention", 18, Reads::kv, 8),
                                      use("attention", 64, Reads::kv, 3)};
  for (const char* step :
       {"rms_norm", "quantise", "silu_product", "conv_step", "softcap", "rotate", "route", "add"})
    uses.push_back(use(step, 0, Reads::nothing));
  return uses;
}

TEST(KernelBody, gives_what_the_plain_kernel_gives_on_every_table_of_this_cpu) {
  for (const models::Kernels* table : models::kernel_tables()) {
    if (!models::missing_feature(*table, harness::read_cpu_features()).empty()) continue;
    for (const models::KernelUse& one : all_uses()) {
      const KernelBody body = make_kernel_body(one, *table, 111 << 10, 5);
      for (const Extent extent : {Extent::brief, Extent::whole, Extent::far}) {
        if (body.of(extent).bytes == 0) continue;
        const harness::Buffer memory(static_cast<size_t>(body.of(extent).memory_bytes + 64),
                                     harness::Pages::small);
        body.fill(memory.data(), extent);
        body.call(memory.data(), extent);
        EXPECT_TRUE(body.right(extent)) << table->isa << " " << one.kernel << " " << one.cols;
      }
    }
  }
}

TEST(KernelBody, notices_data_that_is_not_its_own) {
  for (const models::KernelUse& one : all_uses()) {
    if (one.reads == models::Reads::nothing) continue;
    const KernelBody body = make_kernel_body(one, plain, 111 << 10, 5);
    const harness::Buffer memory(static_cast<size_t>(body.of(Extent::whole).memory_bytes),
                                 harness::Pages::small);
    body.fill(memory.data(), Extent::whole);
    for (int i = 0; i < 64; ++i) memory.data()[i] ^= std::byte{0x11};
    body.call(memory.data(), Extent::whole);
    EXPECT_FALSE(body.right(Extent::whole)) << one.kernel;
  }
}

TEST(KernelBody, a_whole_call_has_between_64_and_256_rows_as_memory_allows_a_far_one_four_times_as_many) {
  const auto rows = [](int64_t most_bytes, Extent extent = Extent::whole) {
    return make_kernel_body(use("int8", 512, models::Reads::dense), plain, most_bytes, 1).of(extent).bytes /
           512;
  };
  EXPECT_EQ(rows(200 * 512, Extent::brief), 48);
  EXPECT_EQ(rows(200 * 512, Extent::far), 768);
  EXPECT_EQ(rows(1 << 20), 256);
  EXPECT_EQ(rows(200 * 512), 192);
  EXPECT_EQ(rows(1000), 64);
}

}  // namespace
}  // namespace probes
