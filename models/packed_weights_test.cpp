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
  const PackedBlock &conv = packed.parts[0].blocks[0], &attention = packed.parts[0].blocks[2];
  const void* arrays[] = {packed.parts[0].embedding.codes,
                          packed.parts[0].embedding.scales,
                          packed.parts[0].final_norm,
                          conv.norm1,
                          conv.taps,
                          conv.tap_scales,
                          conv.gate.codes,
                          conv.mix.scales,
                          attention.qkv.codes,
                          attention.out.codes,
                          conv.mlps[0].f3.codes,
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
    EXPECT_EQ(packed.parts[0].blocks[1].taps[tap * 144 + 77],
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
  expect_refused(synthetic_weights(find_shape("coreflow_12_6m"), 1), "the list of blocks");
  Weights weights = synthetic_weights(small(), 1);
  weights.embedding.rows = 4095;
  expect_refused(weights, "the embedding");
  weights = synthetic_weights(small(), 1);
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

Shape tiny(Format body, Format embedding) {
  Shape shape;
  shape.name = "tiny";
  shape.vocab = 100;
  shape.d = 64;
  shape.ff = 96;
  shape.blocks = {Block::attention};
  shape.heads = shape.kv_heads = 2;
  shape.head_dim = 32;
  shape.context = 16;
  shape.body_format = body;
  shape.embedding_format = embedding;
  return shape;
}

TEST(packed_weights, refuses_codes_outside_each_formats_range) {
  struct Case {
    Format format;
    int8_t lowest, highest;
  };
  for (const Case& one :
       {Case{Format::ternary, -1, 1}, Case{Format::group3, -4, 3}, Case{Format::group4, -8, 7}}) {
    const Shape shape = tiny(one.format, Format::int8);
    Weights weights = synthetic_weights(shape, 1);
    for (const int8_t code : {one.lowest, one.highest}) {
      weights.blocks[0].f3.codes[3] = code;
      EXPECT_NO_THROW(pack_weights(shape, weights, Kernels{})) << int{code};
    }
    for (const int code : {one.lowest - 1, one.highest + 1}) {
      weights.blocks[0].f3.codes[3] = static_cast<int8_t>(code);
      EXPECT_THROW(pack_weights(shape, weights, Kernels{}), harness::Error) << code;
    }
  }
}

TEST(packed_weights, refuses_a_matrix_in_another_format_and_missing_scales) {
  const Shape shape = tiny(Format::group3, Format::group4);
  Weights weights = synthetic_weights(shape, 1);
  weights.blocks[0].qkv.format = Format::group4;
  EXPECT_THROW(pack_weights(shape, weights, Kernels{}), harness::Error);
  weights = synthetic_weights(shape, 1);
  weights.embedding.half_scales.pop_back();
  EXPECT_THROW(pack_weights(shape, weights, Kernels{}), harness::Error);
}

TEST(packed_weights, only_int8_matrices_multiply_in_float) {
  const Shape shape = tiny(Format::ternary, Format::int8);
  EXPECT_THROW(pack_weights(shape, synthetic_source(1), Kernels{}, {Arithmetic::float32}), harness::Error);
  EXPECT_NO_THROW(
      pack_weights(tiny(Format::int8, Format::int8), synthetic_source(1), Kernels{}, {Arithmetic::float32}));
}

TEST(packed_weights, refuses_a_missing_expert) {
  Shape shape = tiny(Format::ternary, Format::int8);
  shape.experts = {4, 2, 1};
  Weights weights = synthetic_weights(shape, 1);
  weights.blocks[0].experts.pop_back();
  EXPECT_THROW(pack_weights(shape, weights, Kernels{}), harness::Error);
}

}  // namespace
}  // namespace models
