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
  for (const Shape& shape : shapes()) {
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
