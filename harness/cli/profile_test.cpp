#include "harness/cli/profile.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cli {
namespace {

using models::Op;

/// Two ranges whose ops take 2, 3, 4 and 5 times what reading 1 GB/s would say of their bytes.
Profile made_profile() {
  Profile profile;
  profile.shape = models::find_shape("coreflow_1_9m");
  profile.isa = "avx2";
  profile.arithmetic = "int8";
  profile.read_bytes_per_s = 1e9;
  profile.read_size_bytes = 2'000'000;
  profile.measured.passes = 9;
  profile.measured.clock_pair_ns = 50;
  profile.measured.ranges = {{65, 128}, {896, 1023}};
  for (auto& range : profile.measured.ranges) {
    range.op_ns = {2 * *bound_bytes(profile.shape, Op::gemv, range),
                   3 * *bound_bytes(profile.shape, Op::attention, range),
                   4 * *bound_bytes(profile.shape, Op::head, range), 5000};
    range.unprofiled_ns = 10'000;
    range.profiled_ns = 12'500;
  }
  profile.measured.steps = {{0, 63, 1000}, {64, 127, 1080}, {128, 191, 1100}};
  return profile;
}

TEST(Profile, bounds_count_each_weight_byte_once) {
  const probes::RangeProfile range{0, 0};
  for (const char* name : {"coreflow_1_9m", "coreflow_12_6m"}) {
    const models::Shape& shape = models::find_shape(name);
    double matrices = 0;
    for (const models::Block block : shape.blocks) {
      const auto bytes = [](double rows, double cols) { return rows * (cols + 4); };
      matrices += 2 * bytes(shape.ff, shape.d) + bytes(shape.d, shape.ff) + bytes(shape.d, shape.d);
      matrices += block == models::Block::conv
                      ? bytes(shape.d, shape.d)
                      : bytes(shape.d + 2 * shape.kv_heads * shape.head_dim, shape.d);
    }
    EXPECT_DOUBLE_EQ(*bound_bytes(shape, Op::gemv, range), matrices) << shape.name;
    EXPECT_DOUBLE_EQ(*bound_bytes(shape, Op::head, range), shape.vocab * (shape.d + 4.0)) << shape.name;
  }
  // Of the ternary one codes of two matrices, of 5 experts and of the router, with their scales. Of the other
  // 4.5 bits a weight in the head, 3.5 elsewhere.
  const models::Shape &mixture = models::find_shape("moe_ternary_105m"),
                      &groups = models::find_shape("dense_44m_q3");
  EXPECT_DOUBLE_EQ(*bound_bytes(mixture, Op::head, range), 8192 * (512 + 4.0));
  EXPECT_DOUBLE_EQ(*bound_bytes(mixture, Op::gemv, range), 8 * ((393'216 + 262'144) / 4.0 + 2 * 4));
  EXPECT_DOUBLE_EQ(*bound_bytes(mixture, Op::experts, range), 8 * (5 * 196'608 / 4.0 + 15 * 4));
  EXPECT_DOUBLE_EQ(*bound_bytes(mixture, Op::router, range), 8 * 60 * (512 + 4.0));
  EXPECT_FALSE(bound_bytes(mixture, Op::waiting, range));
  EXPECT_DOUBLE_EQ(*bound_bytes(groups, Op::head, range), 9216 * 512 * 4.5 / 8);
  EXPECT_DOUBLE_EQ(*bound_bytes(groups, Op::gemv, range), 39'190'528 * 3.5 / 8);
  EXPECT_FALSE(bound_bytes(models::find_shape("coreflow_1_9m"), Op::rest, range));
}

TEST(Profile, attention_reads_what_lies_before_the_mean_position_and_itself) {
  const models::Shape& shape = models::find_shape("coreflow_1_9m");
  const double per_position = static_cast<double>(models::cost(shape).kv_bytes) / shape.context;
  EXPECT_DOUBLE_EQ(*bound_bytes(shape, Op::attention, {0, 0}), per_position);
  EXPECT_DOUBLE_EQ(*bound_bytes(shape, Op::attention, {65, 128}), per_position * 97.5);
}

TEST(Profile, the_farthest_op_is_the_one_with_the_largest_ratio) {
  Profile profile = made_profile();
  EXPECT_EQ(farthest_from_bound(profile).op, Op::head);
  EXPECT_DOUBLE_EQ(farthest_from_bound(profile).time_over_bound, 4);
  profile.measured.ranges[1].op_ns[1] *= 2;
  EXPECT_EQ(farthest_from_bound(profile).op, Op::attention);
  EXPECT_EQ(farthest_from_bound(profile).range, 1U);
}

TEST(Profile, a_rise_of_more_than_a_tenth_between_neighbours_is_a_cliff) {
  Profile profile = made_profile();
  Growth growth = growth_of(profile.measured);
  EXPECT_DOUBLE_EQ(growth.last_over_first, 1.1);
  EXPECT_NEAR(growth.largest_rise_ratio, 0.08, 1e-12);
  EXPECT_EQ(growth.largest_rise_position, 64);
  EXPECT_FALSE(growth.cliff);
  profile.measured.steps[2].token_ns = 1200;
  growth = growth_of(profile.measured);
  EXPECT_EQ(growth.largest_rise_position, 128);
  EXPECT_TRUE(growth.cliff);
  profile.measured.steps = {{0, 63, 1000}, {64, 127, 900}, {128, 191, 890}};  // it only falls
  EXPECT_LT(growth_of(profile.measured).largest_rise_ratio, 0);
}

TEST(Profile, text_and_json_say_the_same) {
  const Profile profile = made_profile();
  const std::string text = profile_text({}, profile);
  EXPECT_NE(text.find("Farthest from its bound: head, 4.00 times it at positions 65-128"), std::string::npos)
      << text;
  EXPECT_NE(text.find("profiling adds 2.50 us per token (25 %) at 65-128"), std::string::npos) << text;
  EXPECT_NE(text.find("8.0 % at 64: no cliff"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(profile_json(profile));
  EXPECT_EQ(json["farthest"]["op"], "head");
  EXPECT_EQ(json["steps"].size(), 3U);
  EXPECT_DOUBLE_EQ(json["ranges"][1]["ops"]["head"]["token_ns"].get<double>() /
                       json["ranges"][1]["ops"]["head"]["bound_ns"].get<double>(),
                   4);
  EXPECT_FALSE(json["ranges"][0]["ops"]["rest"].contains("bound_ns"));
}

}  // namespace
}  // namespace cli
