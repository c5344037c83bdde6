#include "models/shape.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/error.hpp"

namespace models {
namespace {

TEST(shape, coreflow_1_9m_costs_what_its_publication_says) {
  Cost got = cost(find_shape("coreflow_1_9m"));
  EXPECT_EQ(got.parameters, 1'879'632);
  EXPECT_EQ(got.code_bytes_per_token, 1'877'760);
  EXPECT_EQ(got.weight_bytes_per_token, 1'933'600);
  EXPECT_EQ(got.file_bytes, 1'965'250);
  EXPECT_EQ(got.kv_bytes, 90'112);
  EXPECT_EQ(got.working_set_bytes, 2'090'710);
  EXPECT_EQ(got.macs_per_token, 1'877'760);
}

TEST(shape, coreflow_12_6m_costs_what_its_publication_says) {
  Cost got = cost(find_shape("coreflow_12_6m"));
  EXPECT_EQ(got.weight_bytes_per_token, 12'770'816);
  EXPECT_EQ(got.file_bytes, 12'773'890);
  EXPECT_EQ(got.working_set_bytes - got.file_bytes - got.kv_bytes,
            8 * 384 * 3 * 4 + 4 * (4096 + 1024) + 4 * (7 * 384 + 2 * 512 + 640) + 2 * 64);
}

struct Figures {
  const char* model;
  int64_t parameters, code_bytes, weight_bytes_per_token, weight_bytes, macs;
};

// Codes per token as published for the ladder; the rest by hand from the table in docs/models.md.
constexpr Figures ladder[] = {
    // Codes + 4 bytes of each: row scales of embedding and routers, γ, norm weights.
    {"moe_ternary_8m", 8'326'400, 1'595'392, 1'595'392 + 4 * (4096 + 96 + 66 + 3328),
     2'885'632 + 4 * (4096 + 96 + 318 + 3328), 3'162'112},
    {"moe_ternary_105m", 105'636'352, 7'716'864, 7'716'864 + 4 * (8192 + 480 + 136 + 8704),
     29'736'960 + 4 * (8192 + 480 + 1480 + 8704), 17'547'264},
    {"moe_ternary_206m", 206'561'792, 7'979'008, 7'979'008 + 4 * (8192 + 992 + 136 + 8704),
     55'164'928 + 4 * (8192 + 992 + 3016 + 8704), 17'809'408},
    {"moe_ternary_402m", 402'104'832, 8'486'912, 8'486'912 + 4 * (8192 + 1984 + 136 + 8704),
     104'431'616 + 4 * (8192 + 1984 + 5992 + 8704), 18'317'312},
    {"dense_44m_q3", 43'922'944, 19'800'064, 19'855'360, 19'855'360, 43'909'120},
};

TEST(shape, quantised_models_cost_what_their_publications_say) {
  for (const Figures& figures : ladder) {
    const Cost got = cost(find_shape(figures.model));
    EXPECT_EQ(got.parameters, figures.parameters) << figures.model;
    EXPECT_EQ(got.code_bytes_per_token, figures.code_bytes) << figures.model;
    EXPECT_EQ(got.weight_bytes_per_token, figures.weight_bytes_per_token) << figures.model;
    EXPECT_EQ(got.weight_bytes, figures.weight_bytes) << figures.model;
    EXPECT_EQ(got.macs_per_token, figures.macs) << figures.model;
    EXPECT_EQ(got.file_bytes, 0) << figures.model;
    EXPECT_GT(got.working_set_bytes, got.weight_bytes + got.kv_bytes) << figures.model;
  }
}

TEST(shape, an_expert_of_the_ladder_has_49152_bytes_of_codes) {
  Shape shape = find_shape("moe_ternary_105m");
  const int64_t before = cost(shape).weight_bytes;
  ++shape.experts.count;
  // In each of 8 blocks one more expert with three γ, and one more row of the router.
  EXPECT_EQ(cost(shape).weight_bytes - before, 8 * (49'152 + 3 * 4 + 512 + 4));
}

TEST(shape, a_token_reads_the_visited_and_the_shared_experts_and_the_whole_router) {
  Shape shape = find_shape("moe_ternary_105m");
  const Cost before = cost(shape);
  shape.experts.top_k = 6;
  EXPECT_EQ(cost(shape).code_bytes_per_token - before.code_bytes_per_token, 8 * 2 * 49'152);
  EXPECT_EQ(cost(shape).parameters, before.parameters);
  shape.experts.shared = 2;
  EXPECT_EQ(cost(shape).code_bytes_per_token - before.code_bytes_per_token, 8 * 3 * 49'152);
}

TEST(shape, the_draft_head_adds_to_the_file_and_to_nothing_that_a_token_reads) {
  Shape shape = find_shape("coreflow_1_9m");
  Cost with = cost(shape);
  shape.draft_ff = 0;
  Cost without = cost(shape);
  EXPECT_EQ(without.file_bytes, 1'935'202);
  EXPECT_EQ(with.parameters, without.parameters);
  EXPECT_EQ(with.weight_bytes_per_token, without.weight_bytes_per_token);
}

TEST(shape, attention_stands_at_every_third_block) {
  for (const char* name : {"coreflow_1_9m", "coreflow_12_6m"}) {
    const Shape& shape = find_shape(name);
    for (size_t i = 0; i < shape.blocks.size(); ++i) {
      EXPECT_EQ(shape.blocks[i], i % 3 == 2 ? Block::attention : Block::conv) << shape.name << " block " << i;
    }
  }
  EXPECT_EQ(find_shape("coreflow_1_9m").blocks.size(), 6u);
  EXPECT_EQ(find_shape("coreflow_12_6m").blocks.size(), 12u);
}

TEST(shape, default_positions_lie_inside_the_context) {
  for (const Shape& shape : shapes()) {
    EXPECT_LE(shape.default_position_first, shape.default_position_last);
    EXPECT_LT(shape.default_position_last, shape.context);
  }
  EXPECT_EQ(find_shape("coreflow_1_9m").default_position_first, 65);
  EXPECT_EQ(find_shape("coreflow_1_9m").default_position_last, 1023);
  EXPECT_EQ(find_shape("coreflow_12_6m").default_position_last, 127);
}

std::string refusal_of(const char* name) {
  try {
    find_shape(name);
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::usage);
    return error.what();
  }
  ADD_FAILURE() << name << " was found";
  return "";
}

TEST(shape, an_unknown_name_is_a_usage_error_with_the_nearest_one) {
  EXPECT_NE(refusal_of("coreflow_1.9m").find("did you mean 'coreflow_1_9m'?"), std::string::npos);
  EXPECT_EQ(refusal_of("llama").find("did you mean"), std::string::npos);
}

}  // namespace
}  // namespace models
