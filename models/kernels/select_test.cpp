#include "models/kernels/select.hpp"

#include <gtest/gtest.h>

#include <array>

#include "harness/error.hpp"

namespace models {
namespace {

constexpr Kernels plain{};
constexpr Kernels wide{.isa = "avx2", .needs = feature_avx2};
constexpr std::array<const Kernels*, 2> both{&plain, &wide};

harness::CpuFeatures cpu(bool avx2) {
  harness::CpuFeatures features;
  features.arch = "x86_64";
  features.avx2 = avx2;
  return features;
}

harness::Error refusal_of(std::string_view forced, bool avx2) {
  try {
    select_kernels(both, cpu(avx2), forced);
  } catch (const harness::Error& error) {
    return error;
  }
  ADD_FAILURE() << forced << " was accepted";
  return {harness::ExitCode::ok, ""};
}

TEST(select_kernels, takes_the_widest_table_that_the_cpu_runs) {
  EXPECT_EQ(&select_kernels(both, cpu(true), ""), &wide);
  EXPECT_EQ(&select_kernels(both, cpu(false), ""), &plain);
}

TEST(select_kernels, a_forced_name_wins_over_a_wider_table) {
  EXPECT_EQ(&select_kernels(both, cpu(true), "scalar"), &plain);
  EXPECT_EQ(&select_kernels(both, cpu(true), "avx2"), &wide);
}

TEST(select_kernels, an_unknown_name_is_a_usage_error_with_the_nearest_one) {
  harness::Error error = refusal_of("avx3", true);
  EXPECT_EQ(error.code(), harness::ExitCode::usage);
  EXPECT_NE(std::string(error.what()).find("did you mean 'avx2'?"), std::string::npos) << error.what();
}

TEST(select_kernels, a_table_the_cpu_lacks_the_feature_for_is_unavailable_and_names_it) {
  harness::Error error = refusal_of("avx2", false);
  EXPECT_EQ(error.code(), harness::ExitCode::unavailable);
  EXPECT_NE(std::string(error.what()).find("CPU feature avx2"), std::string::npos) << error.what();
}

TEST(select_kernels, refuses_when_no_table_runs) {
  std::array<const Kernels*, 1> only_wide{&wide};
  EXPECT_THROW(select_kernels(only_wide, cpu(false), ""), harness::Error);
}

TEST(kernel_tables, begin_with_scalar_and_have_distinct_names) {
  std::span<const Kernels* const> tables = kernel_tables();
  ASSERT_FALSE(tables.empty());
  EXPECT_STREQ(tables[0]->isa, "scalar");
  EXPECT_EQ(tables[0]->needs, 0u);
  for (size_t i = 1; i < tables.size(); ++i) {
    EXPECT_STRNE(tables[i]->isa, tables[i - 1]->isa);
    EXPECT_NE(tables[i]->needs, 0u) << tables[i]->isa << " would run anywhere";
  }
}

}  // namespace
}  // namespace models
