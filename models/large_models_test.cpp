// Gates that take seconds each: the fidelity of the large models and what packing them takes in memory. Not
// run under sanitizers.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "harness/cpu_features.hpp"
#include "models/fidelity.hpp"
#include "models/kernels/select.hpp"
#include "models/packed_weights.hpp"

namespace models {
namespace {

const Kernels& widest() {
  return select_kernels(kernel_tables(), harness::read_cpu_features(), "");
}

class LargeFidelity : public testing::TestWithParam<const char*> {};

TEST_P(LargeFidelity, the_decoder_passes_every_gate) {
  const Shape& shape = find_shape(GetParam());
  Decoder decoder(shape, synthetic_source(1), widest());
  const FidelityResult result =
      measure_fidelity(decoder, shape, synthetic_weights(shape, 1), 1, min_fidelity_tokens(shape));
  EXPECT_EQ(result.clear_matches, result.clear_tokens);
  EXPECT_LE(result.rms_difference_sigmas, max_rms_difference_sigmas);
  EXPECT_LE(result.perplexity_delta_ratio, max_perplexity_delta_ratio);
  EXPECT_TRUE(passes(result));
  EXPECT_LT(result.foreign_choice_ratio, 0.05);
  EXPECT_EQ(result.foreign_choice_ratio > 0, shape.experts.count > 0);
  std::printf(
      "%s: %d tokens, clear %d of %d, %.4f sigma, perplexity %.2f %%, greedy %.1f %%, unrounded %.1f %%, "
      "foreign choices %.2f %%\n",
      GetParam(), result.tokens, result.clear_matches, result.clear_tokens, result.rms_difference_sigmas,
      100 * result.perplexity_delta_ratio, 100 * result.greedy_match_ratio,
      100 * result.unrounded_match_ratio, 100 * result.foreign_choice_ratio);
}

INSTANTIATE_TEST_SUITE_P(Models, LargeFidelity,
                         testing::Values("moe_ternary_8m", "moe_ternary_105m", "moe_ternary_206m",
                                         "moe_ternary_402m", "dense_44m_q3"),
                         [](const auto& instance) { return std::string(instance.param); });

/// Returns a figure of /proc/self/status in bytes: VmRSS, or VmHWM, its maximum so far.
double status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kib = 0;
    if (word == key + ":" && status >> kib) return kib * 1024;
  }
  return -1;
}

/// Runs `pack`, which returns bytes, in a child, whose maximum starts anew; returns how many times those
/// bytes its resident memory grew at most.
template <class Pack>
double growth_ratio(Pack pack) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const double before = status_bytes("VmRSS");
    const double bytes = static_cast<double>(pack());
    const double ratio = (status_bytes("VmHWM") - before) / bytes;
    _exit(write(ends[1], &ratio, sizeof ratio) == sizeof ratio ? 0 : 1);
  }
  double ratio = -1;
  EXPECT_EQ(read(ends[0], &ratio, sizeof ratio), static_cast<ssize_t>(sizeof ratio));
  close(ends[0]);
  close(ends[1]);
  waitpid(child, nullptr, 0);
  return ratio;
}

TEST(large_model, packing_takes_little_more_memory_than_the_packed_weights) {
  const Shape& shape = find_shape("moe_ternary_402m");
  const double streamed =
      growth_ratio([&] { return pack_weights(shape, synthetic_source(1), widest()).bytes; });
  EXPECT_GT(streamed, 0.95);
  EXPECT_LE(streamed, 1.3);
  // What the measurement says of a model held in canonical form.
  EXPECT_GT(growth_ratio([&] { return pack_weights(shape, synthetic_weights(shape, 1), widest()).bytes; }),
            4);
}

TEST(large_model, packed_weights_are_little_larger_than_the_weights) {
  for (const char* name : {"moe_ternary_105m", "dense_44m_q3"}) {
    const Shape& shape = find_shape(name);
    const auto weight_bytes = static_cast<double>(cost(shape).weight_bytes);
    for (const Kernels* table : kernel_tables()) {
      if (!missing_feature(*table, harness::read_cpu_features()).empty()) continue;
      const auto packed = static_cast<double>(pack_weights(shape, synthetic_source(1), *table).bytes);
      EXPECT_GE(packed, weight_bytes) << name << ' ' << table->isa;
      EXPECT_LE(packed, weight_bytes * 1.03) << name << ' ' << table->isa;
    }
  }
}

}  // namespace
}  // namespace models
