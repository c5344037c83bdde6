#include "models/parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "models/kernels/kernels.hpp"
#include "models/packed_weights.hpp"

namespace models {
namespace {

TEST(Parts, are_whole_units_of_16_rows_and_cover_all) {
  for (const int rows : {1, 16, 17, 144, 396, 4096}) {
    for (const int parts : {1, 2, 3, 7}) {
      int next = 0, most = 0;
      for (int part = 0; part < parts; ++part) {
        const auto [first, end] = rows_of_part(rows, part, parts);
        EXPECT_EQ(first, next) << rows << " rows in " << parts;
        EXPECT_TRUE(first % 16 == 0 || first == rows);
        most = std::max(most, end - first);
        next = end;
      }
      EXPECT_EQ(next, rows);
      EXPECT_EQ(most_rows_of_a_part(rows, parts), most);
    }
  }
  EXPECT_EQ(most_rows_of_a_part(144, 2), 80);  // nine units
}

TEST(Parts, the_most_rows_are_those_of_packed_weights) {
  const Shape& shape = find_shape("coreflow_1_9m");
  Packed how;
  how.parts = 2;
  const PackedWeights packed = pack_weights(shape, synthetic_source(1), Kernels{}, how);
  const auto most = [&](auto rows_of) {
    return std::max(rows_of(packed.parts[0]), rows_of(packed.parts[1]));
  };
  EXPECT_EQ(most([](const PackedPart& part) { return part.blocks[0].gate.rows; }),
            most_rows_of_a_part(shape.d, 2));
  EXPECT_EQ(most([](const PackedPart& part) { return part.blocks[2].qkv.rows; }),
            most_rows_of_a_part(180, 2));
  EXPECT_EQ(most([](const PackedPart& part) { return part.blocks[0].mlps[0].hidden_rows; }),
            most_rows_of_a_part(shape.ff, 2));
  EXPECT_EQ(most([](const PackedPart& part) { return part.embedding.rows; }),
            most_rows_of_a_part(shape.vocab, 2));
}

TEST(Parts, heads_that_share_a_kv_head_may_be_of_several_members) {
  EXPECT_EQ(most_heads_of_a_part(8, 1, 2).heads, 4);
  EXPECT_EQ(most_heads_of_a_part(8, 1, 2).kv_heads, 1);
  EXPECT_EQ(most_heads_of_a_part(8, 4, 2).kv_heads, 2);
  EXPECT_EQ(most_heads_of_a_part(9, 3, 2).heads, 5);  // 0–3 and 4–8
  EXPECT_EQ(most_heads_of_a_part(9, 3, 2).kv_heads, 2);
  EXPECT_EQ(most_heads_of_a_part(1, 1, 3).heads, 1);
  EXPECT_EQ(most_heads_of_a_part(8, 2, 1).heads, 8);
}

}  // namespace
}  // namespace models
