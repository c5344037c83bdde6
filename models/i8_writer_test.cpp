#include "models/i8_writer.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "harness/error.hpp"
#include "models/i8_file.hpp"
#include "models/i8_layout.hpp"
#include "models/weight_source.hpp"

namespace models {
namespace {

I8Model read_back(const std::string& file) {
  return parse_i8({reinterpret_cast<const std::byte*>(file.data()), file.size()}, "FILE");
}

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(i8_writer, files_have_the_published_sizes_to_the_byte) {
  const Shape& small = find_shape("coreflow_1_9m");
  const Weights weights = synthetic_weights(small, 1);
  const DraftWeights draft = synthetic_draft_weights(small, 1);
  EXPECT_EQ(i8_bytes(small, weights, &draft).size(), 1'965'250u);
  EXPECT_EQ(i8_bytes(small, weights).size(), 1'935'202u);
  const Shape& large = find_shape("coreflow_12_6m");
  EXPECT_EQ(i8_bytes(large, synthetic_weights(large, 1)).size(), 12'773'890u);
}

TEST(i8_writer, what_was_written_is_read_back_the_same) {
  for (const char* name : {"coreflow_1_9m", "coreflow_x300kib"}) {
    Shape shape = find_shape(name);
    shape.draft_ff = 0;
    const Weights weights = synthetic_weights(shape, 7);
    const std::string file = i8_bytes(shape, weights);
    EXPECT_EQ(file.size(), static_cast<size_t>(cost(shape).file_bytes));
    const I8Model model = read_back(file);
    EXPECT_EQ(weights_digest(shape, source_of(model.weights)), weights_digest(shape, source_of(weights)))
        << name;
    EXPECT_EQ(model.shape.blocks, shape.blocks);
    EXPECT_EQ(model.shape.vocab, shape.vocab);
    EXPECT_EQ(model.shape.softcap, shape.softcap);
    EXPECT_EQ(model.shape.kv_heads, shape.kv_heads);
    EXPECT_EQ(model.shape.context, shape.context);
  }
}

TEST(i8_writer, a_draft_head_is_written_behind_the_same_weights_and_makes_the_published_shape) {
  const Shape& shape = find_shape("coreflow_1_9m");
  const Weights weights = synthetic_weights(shape, 1);
  const DraftWeights draft = synthetic_draft_weights(shape, 1);
  const I8Model model = read_back(i8_bytes(shape, weights, &draft));
  EXPECT_EQ(model.shape, shape);
  EXPECT_EQ(weights_digest(shape, source_of(model.weights)), weights_digest(shape, source_of(weights)));
}

TEST(i8_writer, an_oracle_file_without_draft_head_comes_back_byte_for_byte) {
  const std::string file = read_all("models/testdata/odd_stress.i8");
  const I8Model model = read_back(file);
  ASSERT_EQ(model.shape.draft_ff, 0);
  EXPECT_TRUE(i8_bytes(model.shape, model.weights) == file);
}

/// Header and table depend on the shape alone, so a draft head of any weights must give the published ones.
TEST(i8_writer, header_and_section_table_are_those_of_the_oracle_file_with_draft_head) {
  const std::string oracle = read_all("models/testdata/p3_stress.i8");
  const Shape& shape = find_shape("coreflow_1_9m");
  const DraftWeights draft = synthetic_draft_weights(shape, 1);
  const std::string file = i8_bytes(shape, synthetic_weights(shape, 1), &draft);
  ASSERT_EQ(file.size(), oracle.size());
  constexpr size_t sections = 53, payload = i8_header_bytes + sections * i8_section_bytes;
  EXPECT_TRUE(file.substr(0, payload) == oracle.substr(0, payload));
  EXPECT_FALSE(file == oracle) << "the weights are others";
}

TEST(i8_writer, the_draft_heads_tensors_are_numbered_behind_all_others) {
  // A shape whose final norm is followed by one more tensor of the draft's first norm's length: the same
  // draw.
  Shape shape = find_shape("coreflow_1_9m");
  shape.blocks = {Block::conv};
  const DraftWeights draft = synthetic_draft_weights(shape, 3);
  Shape longer = shape;
  longer.blocks = {Block::conv, Block::conv};
  // Tensors of `longer`: embedding, 8 of the first block, then 9 = norm1 of the second, 10 = norm2.
  EXPECT_EQ(draft.norm1, synthetic_weights(longer, 3).blocks[1].norm2) << "tensor 10 of seed 3";
  EXPECT_NE(draft.norm1, synthetic_draft_weights(shape, 4).norm1);
  EXPECT_EQ(draft.f1.rows, shape.draft_ff);
  EXPECT_EQ(draft.f3.cols, shape.draft_ff);
}

TEST(i8_writer, refuses_a_model_that_the_format_cannot_hold) {
  const Shape& shape = find_shape("moe_ternary_8m");
  EXPECT_THROW(i8_bytes(shape, synthetic_weights(shape, 1)), harness::Error);
}

}  // namespace
}  // namespace models
