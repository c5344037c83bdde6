#include <gtest/gtest.h>

#include "models/decoder.hpp"
#include "models/kernels/kernels.hpp"
#include "models/thread_team.hpp"
#include "models/token_work.hpp"

namespace models {
namespace {

double barriers_of_a_token(const Shape& shape, int members) {
  double count = 0;
  for (const Handover& each : handovers(shape, members)) count += each.count;
  return count;
}

/// As many as a decoder really comes to in a token.
double barriers_of_a_decoder(const Shape& shape, int members) {
  ThreadTeam team(members);
  Decoder decoder(shape, synthetic_source(1), Kernels{}, {Arithmetic::int8, harness::Pages::small, &team});
  constexpr int tokens = 2;
  const uint32_t before = team.barriers();
  for (int i = 0; i < tokens; ++i) decoder.step(1);
  return static_cast<double>(team.barriers() - before) / tokens;
}

TEST(Handovers, are_the_barriers_that_a_decoder_comes_to) {
  // Convolutions and attention, one MLP each; and experts, shared ones among them.
  for (const char* model : {"coreflow_1_9m", "moe_ternary_8m"}) {
    for (const int members : {2, 3}) {
      const Shape& shape = find_shape(model);
      EXPECT_EQ(barriers_of_a_token(shape, members), barriers_of_a_decoder(shape, members)) << model;
    }
  }
  Shape unshared = find_shape("moe_ternary_8m");
  unshared.experts = {5, 2, 0};
  unshared.blocks = {Block::conv, Block::attention};
  EXPECT_EQ(barriers_of_a_token(unshared, 2), barriers_of_a_decoder(unshared, 2));
}

TEST(Handovers, one_thread_has_none) {
  EXPECT_TRUE(handovers(find_shape("coreflow_1_9m"), 1).empty());
}

TEST(Handovers, tell_what_a_member_reads_of_what_all_have_written) {
  const auto bytes_of = [](const char* model, int members) {
    double bytes = 0;
    for (const Handover& each : handovers(find_shape(model), members)) bytes += each.count * each.bytes;
    return bytes / 4;
  };
  // Four convolutions, two attentions (half of 180 values of Q, K and V), six MLPs.
  EXPECT_DOUBLE_EQ(bytes_of("coreflow_1_9m", 2), 4 * (144 + 144) + 2 * (90 + 144 + 144) + 6 * (396 + 144));
  // Six attentions with experts: 16 logits, a shared expert's 80 values; outputs of two and the shared one.
  EXPECT_DOUBLE_EQ(bytes_of("moe_ternary_8m", 2), 6 * (192 + 256 + 256) + 6 * (16 + 80 + 3 * 256));
}

}  // namespace
}  // namespace models
