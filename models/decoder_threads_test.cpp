// The logits have the same bytes whatever the number of threads, and wherever the memory lies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <tuple>

#include "harness/cpu_features.hpp"
#include "models/decoder.hpp"
#include "models/kernels/select.hpp"
#include "models/thread_team.hpp"

namespace models {
namespace {

constexpr int few_tokens = 6, many_tokens = 40;  // of many the last lie in the third tile of positions

/// A shape in which nothing divides evenly.
Shape odd_shape(Format body, int kv_heads, Experts experts) {
  const bool grouped = body == Format::group3;  // whose widths are multiples of 32
  Shape shape;
  shape.name = "odd";
  shape.vocab = 77;
  shape.d = grouped ? 96 : 72;
  shape.ff = grouped ? 64 : 90;
  shape.blocks = {Block::attention, Block::conv, Block::attention};
  shape.heads = 6;
  shape.kv_heads = kv_heads;
  shape.head_dim = shape.d / 6;
  shape.context = 40;
  shape.softcap = 20;
  shape.body_format = body;
  shape.embedding_format = grouped ? Format::group4 : Format::int8;
  shape.experts = experts;
  shape.inner_norms = body == Format::ternary;
  return shape;
}

std::vector<float> logits_of(Decoder& decoder, const Shape& shape, int tokens) {
  std::vector<float> all;
  for (const uint32_t token : seeded_tokens(shape, 5, tokens)) {
    const auto logits = decoder.step(token);
    all.insert(all.end(), logits.begin(), logits.end());
  }
  return all;
}

void expect_same_bytes(const Shape& shape, const Kernels& table, ThreadTeam& team, int tokens,
                       Arithmetic arithmetic = Arithmetic::int8) {
  const WeightSource source = synthetic_source(1);
  Decoder alone(shape, source, table, arithmetic);
  Decoder together(shape, source, table, {arithmetic, harness::Pages::small, &team});
  const std::vector<float> expected = logits_of(alone, shape, tokens),
                           got = logits_of(together, shape, tokens);
  ASSERT_EQ(expected.size(), got.size());
  // Bytes, not values: −0 is not 0.
  EXPECT_EQ(std::memcmp(expected.data(), got.data(), expected.size() * sizeof(float)), 0)
      << shape.name << " on " << table.isa;
  together.reset();
  const int again = std::min(tokens, few_tokens);
  EXPECT_EQ(logits_of(together, shape, again),
            std::vector<float>(expected.begin(), expected.begin() + int64_t{again} * shape.vocab))
      << "after a reset";
}

class DecoderTeam : public testing::TestWithParam<std::tuple<const Kernels*, int>> {
 protected:
  void SetUp() override {
    const std::string missing = missing_feature(table(), harness::read_cpu_features());
    if (!missing.empty()) GTEST_SKIP() << "this CPU lacks " << missing;
  }
  static const Kernels& table() { return *std::get<0>(GetParam()); }
  static int threads() { return std::get<1>(GetParam()); }
};

// Each barrier of more threads than CPUs costs switches between them: every split of the rows is seen by a
// few tokens, and only the split of the heads over positions, which knows nothing of formats, needs many.
TEST_P(DecoderTeam, gives_the_bytes_of_one_thread_for_shapes_that_divide_badly) {
  ThreadTeam team(threads());
  for (const int kv_heads : {1, 2, 6}) {
    for (const Format body : {Format::int8, Format::ternary, Format::group3}) {
      const int tokens = body == Format::int8 ? many_tokens : few_tokens;
      expect_same_bytes(odd_shape(body, kv_heads, {}), table(), team, tokens);
      expect_same_bytes(odd_shape(body, kv_heads, {7, 3, 2}), table(), team, few_tokens);
      expect_same_bytes(odd_shape(body, kv_heads, {5, 1, 0}), table(), team, few_tokens);
    }
  }
  expect_same_bytes(odd_shape(Format::int8, 2, {}), table(), team, few_tokens, Arithmetic::float32);
}

TEST_P(DecoderTeam, gives_the_bytes_of_one_thread_for_models_of_each_kind) {
  ThreadTeam team(threads());
  for (const char* name : {"coreflow_1_9m", "moe_ternary_8m"})
    expect_same_bytes(find_shape(name), table(), team, few_tokens);
}

INSTANTIATE_TEST_SUITE_P(Tables, DecoderTeam,
                         testing::Combine(testing::ValuesIn(kernel_tables().begin(), kernel_tables().end()),
                                          testing::Values(2, 3, 5)),
                         [](const auto& instance) {
                           return std::string(std::get<0>(instance.param)->isa) + "_" +
                                  std::to_string(std::get<1>(instance.param));
                         });

TEST(decoder_team, follows_a_trace_and_tells_the_chosen_experts) {
  const Shape shape = odd_shape(Format::ternary, 2, {7, 3, 2});
  ThreadTeam team(2);
  Decoder alone(shape, synthetic_source(1), Kernels{}),
      together(shape, synthetic_source(1), Kernels{}, {Arithmetic::int8, harness::Pages::small, &team});
  const RoutingTrace trace = make_trace(parse_routing("uniform"), {7, 3, 3, 20}, 1);
  alone.route(&trace);
  together.route(&trace);
  EXPECT_EQ(logits_of(alone, shape, 20), logits_of(together, shape, 20));
  const auto a = alone.chosen_experts(), b = together.chosen_experts();
  EXPECT_EQ(std::vector<int>(a.begin(), a.end()), std::vector<int>(b.begin(), b.end()));
}

TEST(decoder_team, one_member_is_one_thread) {
  ThreadTeam team(1);
  const Shape shape = odd_shape(Format::int8, 2, {});
  Decoder alone(shape, synthetic_source(1), Kernels{}),
      together(shape, synthetic_source(1), Kernels{}, {Arithmetic::int8, harness::Pages::small, &team});
  EXPECT_EQ(logits_of(alone, shape, 8), logits_of(together, shape, 8));
}

TEST(decoder_team, waiting_is_an_op_of_its_own) {
  const Shape shape = odd_shape(Format::ternary, 2, {7, 3, 2});
  ThreadTeam team(2);
  Decoder decoder(shape, synthetic_source(1), Kernels{}, {Arithmetic::int8, harness::Pages::small, &team});
  OpTimes times;
  decoder.profile(&times);
  logits_of(decoder, shape, 20);
  EXPECT_EQ(times.tokens, 20);
  for (const int64_t ns : times.ns) EXPECT_GT(ns, 0);
}

TEST(decoder_pages, give_the_same_bytes) {
  const Shape shape = odd_shape(Format::int8, 2, {});
  Decoder small_pages(shape, synthetic_source(1), Kernels{}),
      huge_pages(shape, synthetic_source(1), Kernels{}, {Arithmetic::int8, harness::Pages::huge, nullptr});
  EXPECT_EQ(logits_of(small_pages, shape, 20), logits_of(huge_pages, shape, 20));
  EXPECT_EQ(small_pages.huge_weight_bytes(), 0u);
}

}  // namespace
}  // namespace models
