#include "models/coreflow_family.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "harness/error.hpp"

namespace models {
namespace {

Shape family(int64_t kib) {
  return make_family_shape(fmt::format("coreflow_x{}kib", kib)).value();
}

/// What a shape reads per token, over what its name asks for, less 1.
double miss(const Shape& shape, int64_t kib) {
  return static_cast<double>(cost(shape).weight_bytes_per_token) / (1024.0 * static_cast<double>(kib)) - 1;
}

void expect_a_sensible_shape(const Shape& shape) {
  const int triples = static_cast<int>(shape.blocks.size()) / 3;
  ASSERT_EQ(shape.blocks.size() % 3, 0u);
  for (size_t i = 0; i < shape.blocks.size(); ++i)
    EXPECT_EQ(shape.blocks[i], i % 3 == 2 ? Block::attention : Block::conv);
  EXPECT_EQ(shape.d % 16, 0);
  EXPECT_EQ(shape.ff * 4, shape.d * 11);
  EXPECT_EQ(shape.heads * shape.head_dim, shape.d);
  EXPECT_EQ(shape.head_dim % 2, 0);
  EXPECT_LE(shape.head_dim, 256);
  EXPECT_LE(36 * triples, shape.d) << "no deeper than twice coreflow_1_9m";
  EXPECT_GE(144 * triples, shape.d) << "no shallower than half";
  EXPECT_LE(2 * int64_t{shape.vocab} * (shape.d + 4), cost(shape).weight_bytes_per_token);
}

TEST(coreflow_family, weighs_what_its_name_says_around_every_usual_cache) {
  for (const int64_t cache_mib : {1, 2, 8, 16, 24, 32, 36, 96, 260}) {
    for (const int64_t eighths : {1, 2, 4, 8, 16, 32}) {
      const int64_t kib = std::min(cache_mib * 1024 * eighths / 8, family_max_kib);
      const Shape shape = family(kib);
      SCOPED_TRACE(shape.name);
      EXPECT_LT(std::abs(miss(shape, kib)), 0.025);
      expect_a_sensible_shape(shape);
    }
  }
}

TEST(coreflow_family, exists_at_every_size_in_between) {
  for (int64_t kib = family_min_kib; kib <= family_max_kib; kib += 1 + kib / 300) {
    const Shape shape = family(kib);
    SCOPED_TRACE(shape.name);
    ASSERT_LT(std::abs(miss(shape, kib)), 0.025);
    expect_a_sensible_shape(shape);
  }
}

TEST(coreflow_family, these_shapes_never_change) {
  const auto is = [](int64_t kib, size_t blocks, int d, int vocab) {
    const Shape shape = family(kib);
    EXPECT_EQ(shape.blocks.size(), blocks) << kib;
    EXPECT_EQ(shape.d, d) << kib;
    EXPECT_EQ(shape.vocab, vocab) << kib;
  };
  is(128, 3, 48, 1008);
  is(512, 3, 96, 2240);
  is(4096, 6, 224, 4096);
  is(32768, 15, 448, 4096);
  is(266240, 36, 848, 4096);
}

TEST(coreflow_family, a_vocabulary_of_4096_is_given_up_only_where_it_must_be) {
  int scaled = 0, all = 0;
  for (int64_t kib = 16 * 1024; kib <= family_max_kib; kib += kib / 50, ++all)
    scaled += family(kib).vocab < 4096 ? 1 : 0;
  EXPECT_LT(scaled, all / 20);
  EXPECT_LT(family(512).vocab, 4096);
}

TEST(coreflow_family, other_names_are_not_of_it) {
  for (const char* name :
       {"coreflow_x", "coreflow_xkib", "coreflow_x12", "coreflow_x012kib", "coreflow_x-5kib",
        "coreflow_x1.5kib", "coreflow_x512KiB", "coreflow_1_9m", "xcoreflow_x512kib"}) {
    EXPECT_FALSE(is_family_name(name)) << name;
    EXPECT_FALSE(make_family_shape(name)) << name;
  }
}

TEST(coreflow_family, sizes_outside_the_range_are_a_usage_error_that_names_it) {
  for (const char* name :
       {"coreflow_x127kib", "coreflow_x1048577kib", "coreflow_x99999999999999999999999kib"}) {
    try {
      find_shape(name);
      ADD_FAILURE() << name;
    } catch (const harness::Error& error) {
      EXPECT_EQ(error.code(), harness::ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find("from 128 to 1048576 KiB"), std::string::npos) << error.what();
    }
    EXPECT_EQ(known_shape(name), nullptr);
  }
}

TEST(coreflow_family, is_found_by_name_like_any_model) {
  const Shape& shape = find_shape("coreflow_x512kib");
  EXPECT_EQ(shape.name, "coreflow_x512kib");
  EXPECT_EQ(&find_shape("coreflow_x512kib"), &shape);
  EXPECT_EQ(known_shape("coreflow_x512kib"), &shape);
}

}  // namespace
}  // namespace models
