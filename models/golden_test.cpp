// The committed digests: what each build, whatever its compiler and optimisation, must reproduce.
#include <gtest/gtest.h>

#include <limits>

#include "harness/cpu_features.hpp"
#include "harness/error.hpp"
#include "models/decoder.hpp"
#include "models/kernels/select.hpp"

namespace models {
namespace {

class golden : public testing::TestWithParam<std::tuple<const Kernels*, std::string, std::string>> {};

TEST_P(golden, logits_have_the_committed_bytes) {
  auto [table, name, arithmetic] = GetParam();
  std::string missing = missing_feature(*table, harness::read_cpu_features());
  if (!missing.empty()) GTEST_SKIP() << "this CPU lacks " << missing;
  const Shape& shape = find_shape(name);
  Decoder decoder(shape, synthetic_source(1), *table, find_arithmetic(arithmetic));
  ASSERT_EQ(expected_golden(shape, arithmetic).size(), 64u);
  EXPECT_EQ(golden_digest(decoder, shape), expected_golden(shape, arithmetic));
}

INSTANTIATE_TEST_SUITE_P(every_isa, golden,
                         testing::Combine(testing::ValuesIn(kernel_tables().begin(), kernel_tables().end()),
                                          testing::Values("coreflow_1_9m", "coreflow_12_6m"),
                                          testing::Values("int8", "float")),
                         [](const auto& parameter) {
                           return std::string(std::get<0>(parameter.param)->isa) + "_" +
                                  std::get<1>(parameter.param) + "_" + std::get<2>(parameter.param);
                         });

INSTANTIATE_TEST_SUITE_P(every_isa_of_quantised_models, golden,
                         testing::Combine(testing::ValuesIn(kernel_tables().begin(), kernel_tables().end()),
                                          testing::Values("moe_ternary_8m", "moe_ternary_105m",
                                                          "moe_ternary_206m", "moe_ternary_402m",
                                                          "dense_44m_q3"),
                                          testing::Values("int8")),
                         [](const auto& parameter) {
                           return std::string(std::get<0>(parameter.param)->isa) + "_" +
                                  std::get<1>(parameter.param);
                         });

const Shape& small() {
  return find_shape("coreflow_1_9m");
}

TEST(golden_digest, is_the_same_whatever_was_decoded_before) {
  Decoder decoder(small(), synthetic_weights(small(), 1), Kernels{});
  decoder.step(3);
  EXPECT_EQ(golden_digest(decoder, small()), expected_golden(small()));
}

TEST(golden_digest, ends_where_the_context_does) {
  for (int context : {1, 63, 64, 100}) {
    Shape shape = small();
    shape.context = context;
    Decoder decoder(shape, synthetic_weights(small(), 1), Kernels{});
    EXPECT_EQ(golden_digest(decoder, shape).size(), 64u);
    EXPECT_EQ(decoder.position(), context);
  }
}

TEST(golden_digest, refuses_logits_that_are_no_numbers) {
  Kernels broken;
  broken.softcap = [](float* logits, int n, float /*cap*/) {
    logits[n - 1] = std::numeric_limits<float>::infinity();
  };
  Decoder decoder(small(), synthetic_weights(small(), 1), broken);
  try {
    golden_digest(decoder, small());
    ADD_FAILURE() << "accepted";
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::invalid_input);
  }
}

TEST(golden_digest, sees_one_code_of_the_weights_changed) {
  Weights weights = synthetic_weights(small(), 1);
  weights.blocks[4].f2.codes[1000] = static_cast<int8_t>(-weights.blocks[4].f2.codes[1000] + 1);
  Decoder decoder(small(), weights, Kernels{});
  EXPECT_NE(golden_digest(decoder, small()), expected_golden(small()));
}

TEST(expected_golden, is_empty_for_a_model_without_one) {
  Shape shape = small();
  shape.name = "coreflow_9_9m";
  EXPECT_EQ(expected_golden(shape), "");
}

}  // namespace
}  // namespace models
