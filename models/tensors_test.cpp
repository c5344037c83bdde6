#include "models/tensors.hpp"

#include <gtest/gtest.h>

namespace models {
namespace {

Shape mixture() {
  Shape shape = find_shape("moe_ternary_8m");
  shape.blocks = {Block::attention, Block::conv, Block::attention};
  shape.experts = {3, 1, 2};
  return shape;
}

TEST(tensors, are_numbered_in_file_order) {
  const std::vector<Tensor> all = tensors(mixture());
  // Embedding; blocks of norm1, norm2, qkv, out (or dw, gate, mix), router and 5 · 3; final norm.
  ASSERT_EQ(all.size(), 1u + 20 + 21 + 20 + 1);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].id, static_cast<int>(i));
  EXPECT_EQ(all[0].kind, TensorKind::embedding);
  EXPECT_EQ(all[5].kind, TensorKind::router);
  EXPECT_EQ(all[6].kind, TensorKind::f1);
  EXPECT_EQ(all[6].expert, 0);
  EXPECT_EQ(all[20].kind, TensorKind::f3);
  EXPECT_EQ(all[20].expert, 4);
  EXPECT_EQ(all[23].kind, TensorKind::depthwise);
  EXPECT_EQ(all.back().kind, TensorKind::final_norm);
}

TEST(tensors, formats_are_the_shapes_but_for_router_and_taps) {
  for (const Tensor& tensor : tensors(mixture())) {
    const bool always_int8 = tensor.kind == TensorKind::router || tensor.kind == TensorKind::depthwise ||
                             tensor.kind == TensorKind::embedding || is_norm(tensor.kind);
    EXPECT_EQ(tensor.format, always_int8 ? Format::int8 : Format::ternary) << describe(tensor);
  }
}

TEST(tensor_table, finds_every_tensor_by_its_place) {
  for (const Shape& shape : {mixture(), find_shape("coreflow_1_9m"), find_shape("dense_44m_q3")}) {
    const TensorTable table(shape);
    for (const Tensor& tensor : table.all())
      EXPECT_EQ(table.at(tensor.kind, tensor.block, tensor.expert).id, tensor.id) << describe(tensor);
  }
}

TEST(tensor_bytes, count_codes_scales_and_group_scales) {
  Tensor tensor{.kind = TensorKind::f1, .rows = 10, .cols = 64};
  EXPECT_EQ(tensor_bytes(tensor), 640 + 10 * 4);
  tensor.format = Format::ternary;
  EXPECT_EQ(tensor_bytes(tensor), 160 + 4);
  tensor.format = Format::group3;
  EXPECT_EQ(tensor_bytes(tensor), 240 + 10 * 2 * 2);
  tensor.format = Format::group4;
  EXPECT_EQ(tensor_bytes(tensor), 320 + 10 * 2 * 2);
  EXPECT_EQ(code_bytes(tensor), tensor_bytes(tensor));
  tensor = {.kind = TensorKind::norm1, .rows = 10, .cols = 1};
  EXPECT_EQ(tensor_bytes(tensor), 40);
  EXPECT_EQ(code_bytes(tensor), 0);
}

TEST(describe, tells_block_and_expert) {
  EXPECT_EQ(describe(TensorTable(mixture()).at(TensorKind::f3, 2, 4)), "an f3 of block 2, expert 4");
}

}  // namespace
}  // namespace models
