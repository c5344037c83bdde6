#include "models/packed_weights.hpp"

#include <gtest/gtest.h>

#include "harness/cpu_features.hpp"
#include "harness/error.hpp"
#include "models/kernels/select.hpp"

namespace models {
namespace {

const Shape& small() {
  return find_shape("coreflow_1_9m");
}

TEST(packed_weights, padding_is_at_most_three_percent_on_every_isa) {
  Weights weights = synthetic_weights(small(), 1);
  auto weight_bytes = static_cast<double>(cost(small()).weight_bytes_per_token);
  for (const Kernels* table : kernel_tables()) {
    if (!missing_feature(*table, harness::read_cpu_features()).empty()) continue;
    auto packed = static_cast<double>(pack_weights(small(), weights, *table).bytes);
    EXPECT_GE(packed, weight_bytes) << table->isa;
    EXPECT_LE(packed, weight_bytes * 1.03) << table->isa;
  }
}

TEST(packed_weights, every_array_starts_on_a_cache_line_inside_the_allocation) {
  PackedWeights packed = pack_weights(small(), synthetic_weights(small(), 1), Kernels{});
  const PackedBlock &conv = packed.blocks[0], &attention = packed.blocks[2];
  const void* arrays[] = {packed.embedding.codes,
                          packed.embedding.scales,
                          packed.final_norm,
                          conv.norm1,
                          conv.taps,
                          conv.tap_scales,
                          conv.gate.codes,
                          conv.mix.scales,
                          attention.qkv.codes,
                          attention.out.codes,
                          conv.f3.codes,
                          conv.norm2};
  for (const void* array : arrays) {
    const auto* at = static_cast<const std::byte*>(array);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(at) % 64, 0u);
    EXPECT_GE(at, packed.memory->data());
    EXPECT_LT(at, packed.memory->data() + packed.bytes);
  }
}

TEST(packed_weights, taps_are_transposed) {
  Weights weights = synthetic_weights(small(), 1);
  PackedWeights packed = pack_weights(small(), weights, Kernels{});
  for (int tap = 0; tap < 4; ++tap) {
    EXPECT_EQ(packed.blocks[1].taps[tap * 144 + 77],
              weights.blocks[1].depthwise.codes[77 * 4 + static_cast<size_t>(tap)]);
  }
}

void expect_refused(const Weights& weights, const char* why) {
  try {
    pack_weights(small(), weights, Kernels{});
    ADD_FAILURE() << "accepted: " << why;
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::invalid_input);
    EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
  }
}

TEST(packed_weights, refuses_weights_of_another_shape) {
  expect_refused(synthetic_weights(find_shape("coreflow_12_6m"), 1), "the embedding");
  Weights weights = synthetic_weights(small(), 1);
  weights.blocks[3].f3.scales.pop_back();
  expect_refused(weights, "an f3");
  weights = synthetic_weights(small(), 1);
  weights.blocks.pop_back();
  expect_refused(weights, "the list of blocks");
  weights = synthetic_weights(small(), 1);
  weights.blocks[0].norm2.push_back(1);
  expect_refused(weights, "a block's norm");
}

TEST(packed_weights, refuses_the_code_that_cannot_be_negated) {
  Weights weights = synthetic_weights(small(), 1);
  weights.blocks[2].qkv.codes[5] = -128;
  expect_refused(weights, "q|k|v projection");
}

}  // namespace
}  // namespace models
