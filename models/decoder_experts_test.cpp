// Decoding mixtures of experts and quantised formats; decoder_test.cpp has what every model shares.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/cpu_features.hpp"
#include "harness/error.hpp"
#include "models/decoder.hpp"
#include "models/kernels/select.hpp"
#include "models/reference.hpp"

namespace models {
namespace {

const Kernels& widest() {
  return select_kernels(kernel_tables(), harness::read_cpu_features(), "");
}

std::vector<float> copy(std::span<const float> logits) {
  return {logits.begin(), logits.end()};
}

Decoder decoder_of(const Shape& shape, const Kernels& kernels = widest()) {
  return {shape, synthetic_source(1), kernels};
}

/// Widths that are no multiple of 16 or 4, an odd number of experts, two shared ones, a convolution.
Shape awkward() {
  Shape shape;
  shape.name = "awkward";
  shape.vocab = 1003;
  shape.d = 72;
  shape.ff = 90;
  shape.blocks = {Block::attention, Block::conv, Block::attention};
  shape.heads = 4;
  shape.kv_heads = 2;
  shape.head_dim = 18;
  shape.context = 50;
  shape.body_format = Format::ternary;
  shape.experts = {5, 3, 2};
  shape.inner_norms = true;
  return shape;
}

/// Groups of 32 in every width, and rows that no vector divides.
Shape grouped(Format body) {
  Shape shape = awkward();
  shape.name = body == Format::group3 ? "group3" : "group4";
  shape.d = 96;
  shape.ff = 160;
  shape.head_dim = 24;
  shape.body_format = body;
  shape.embedding_format = Format::group4;
  return shape;
}

std::vector<Shape> small_shapes() {
  Shape dense = awkward(), int8 = awkward();
  dense.experts = {};
  dense.name = "dense";
  int8.name = "int8";
  int8.body_format = Format::int8;
  return {awkward(), dense, int8, grouped(Format::group3), grouped(Format::group4)};
}

TEST(decoder_formats, every_isa_gives_the_same_bytes) {
  for (const Shape& shape : small_shapes()) {
    Decoder scalar = decoder_of(shape, *kernel_tables()[0]);
    std::vector<std::vector<float>> expected;
    const std::vector<uint32_t> tokens = seeded_tokens(shape, 6, 50);
    expected.reserve(tokens.size());
    for (const uint32_t token : tokens) expected.push_back(copy(scalar.step(token)));
    for (const Kernels* table : kernel_tables()) {
      if (!missing_feature(*table, harness::read_cpu_features()).empty()) continue;
      Decoder decoder = decoder_of(shape, *table);
      for (size_t i = 0; i < tokens.size(); ++i)
        ASSERT_EQ(copy(decoder.step(tokens[i])), expected[i]) << shape.name << ' ' << table->isa << ' ' << i;
    }
  }
}

/// Largest difference from the reference over a few tokens, in standard deviations of the logits.
double worst_difference(const Shape& shape, const Shape& referred) {
  const Weights weights = synthetic_weights(referred, 1);
  Decoder decoder = decoder_of(shape);
  Reference reference(referred, weights, Rounding::as_decoder);
  double worst = 0;
  for (const uint32_t token : seeded_tokens(shape, 8, 3)) {
    const std::vector<float> got = copy(decoder.step(token));
    const std::vector<double> want = step(reference, token, decoder.chosen_experts());
    double squares = 0;
    for (const double value : want) squares += value * value / static_cast<double>(want.size());
    for (size_t i = 0; i < want.size(); ++i)
      worst = std::max(worst, std::fabs(got[i] - want[i]) / std::sqrt(squares));
  }
  return worst;
}

TEST(decoder_formats, every_format_computes_what_the_reference_does) {
  for (const Shape& shape : small_shapes()) EXPECT_LT(worst_difference(shape, shape), 1e-4) << shape.name;
}

// What the comparison above would say of a decoder that leaves one thing out.
TEST(decoder_formats, inner_norms_and_shared_experts_are_seen_in_the_logits) {
  Shape without_norms = awkward(), one_shared = awkward();
  without_norms.inner_norms = false;
  one_shared.experts.shared = 0;
  EXPECT_GT(worst_difference(without_norms, awkward()), 0.5);
  EXPECT_GT(worst_difference(awkward(), without_norms), 0.5);
  Decoder all = decoder_of(awkward()), fewer = decoder_of(one_shared);
  EXPECT_NE(copy(all.step(3)), copy(fewer.step(3)));
}

RoutingTrace uniform_trace(const Shape& shape, int tokens, uint64_t seed = 1) {
  return make_trace(parse_routing("uniform"),
                    {shape.experts.count, shape.experts.top_k, static_cast<int>(shape.blocks.size()), tokens},
                    seed);
}

class decoder_experts : public testing::Test {
 protected:
  const Shape& shape = find_shape("moe_ternary_8m");
  Decoder decoder = decoder_of(shape);
};

TEST_F(decoder_experts, chosen_ones_are_ascending_experts_of_every_block) {
  std::set<uint16_t> seen;
  for (const uint32_t token : seeded_tokens(shape, 1, 100)) {
    decoder.step(token);
    const std::span<const uint16_t> chosen = decoder.chosen_experts();
    ASSERT_EQ(chosen.size(), 6u * 2);
    for (size_t i = 0; i < chosen.size(); i += 2) {
      ASSERT_LT(chosen[i], chosen[i + 1]);
      ASSERT_LT(chosen[i + 1], 16);
    }
    seen.insert(chosen.begin(), chosen.end());
  }
  EXPECT_EQ(seen.size(), 16u) << "some expert is never visited";
}

TEST_F(decoder_experts, a_trace_replaces_the_routers_choice_at_every_position) {
  const RoutingTrace trace = uniform_trace(shape, 20);
  decoder.route(&trace);
  for (int position = 0; position < 20; ++position) {
    decoder.step(static_cast<uint32_t>(position));
    for (int block = 0; block < 6; ++block) {
      const auto want = trace.at(position, block),
                 got = decoder.chosen_experts().subspan(static_cast<size_t>(block) * 2, 2);
      ASSERT_TRUE(std::equal(want.begin(), want.end(), got.begin())) << position << ' ' << block;
    }
  }
}

TEST_F(decoder_experts, a_trace_of_the_routers_own_choices_changes_no_byte) {
  std::vector<uint16_t> ids;
  std::vector<std::vector<float>> logits;
  const std::vector<uint32_t> tokens = seeded_tokens(shape, 3, 30);
  for (const uint32_t token : tokens) {
    logits.push_back(copy(decoder.step(token)));
    ids.insert(ids.end(), decoder.chosen_experts().begin(), decoder.chosen_experts().end());
  }
  const RoutingTrace same({16, 2, 6, 30}, ids), other = uniform_trace(shape, 30);
  decoder.reset();
  decoder.route(&same);
  for (size_t i = 0; i < tokens.size(); ++i) ASSERT_EQ(copy(decoder.step(tokens[i])), logits[i]);
  decoder.reset();
  decoder.route(&other);
  EXPECT_NE(copy(decoder.step(tokens[0])), logits[0]);
  decoder.reset();
  decoder.route(nullptr);
  EXPECT_EQ(copy(decoder.step(tokens[0])), logits[0]);
}

TEST_F(decoder_experts, a_trace_of_another_shape_is_refused) {
  for (const RoutingShape& wrong :
       {RoutingShape{17, 2, 6, 9}, RoutingShape{16, 3, 6, 9}, RoutingShape{16, 2, 5, 9}}) {
    const RoutingTrace trace = make_trace(parse_routing("uniform"), wrong, 1);
    EXPECT_THROW(decoder.route(&trace), harness::Error);
  }
  const RoutingTrace trace = uniform_trace(shape, 9);
  EXPECT_THROW(decoder_of(find_shape("coreflow_1_9m")).route(&trace), harness::Error);
}

TEST_F(decoder_experts, a_position_beyond_the_trace_is_refused) {
  const RoutingTrace trace = uniform_trace(shape, 2);
  decoder.route(&trace);
  decoder.step(1);
  decoder.step(1);
  EXPECT_THROW(decoder.step(1), harness::Error);
  EXPECT_EQ(decoder.position(), 2);
}

TEST(decoder_shape, refuses_experts_and_groups_that_cannot_be) {
  for (auto spoil : {+[](Shape& s) { s.experts.top_k = 6; }, +[](Shape& s) { s.experts.top_k = 0; },
                     +[](Shape& s) { s.experts.count = 0; }, +[](Shape& s) { s.experts.shared = -1; },
                     +[](Shape& s) { s.embedding_format = Format::ternary; },
                     +[](Shape& s) { s.body_format = Format::group3; },
                     +[](Shape& s) { s.embedding_format = Format::group4; }}) {
    Shape shape = awkward();
    spoil(shape);
    EXPECT_THROW(decoder_of(shape), harness::Error);
  }
}

class Successors : public testing::TestWithParam<const char*> {};

TEST_P(Successors, of_a_hundred_tokens_at_least_twenty_are_distinct) {
  Decoder decoder = decoder_of(find_shape(GetParam()));
  std::set<uint32_t> chosen;
  for (const uint32_t token : seeded_tokens(find_shape(GetParam()), 2, 100))
    chosen.insert(argmax(decoder.step(token)));
  EXPECT_GE(chosen.size(), 20u);
}

INSTANTIATE_TEST_SUITE_P(Models, Successors,
                         testing::Values("moe_ternary_8m", "moe_ternary_105m", "moe_ternary_206m",
                                         "moe_ternary_402m", "dense_44m_q3"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace models
