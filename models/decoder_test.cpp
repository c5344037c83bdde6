#include "models/decoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "harness/counters.hpp"
#include "harness/cpu_features.hpp"
#include "harness/error.hpp"
#include "models/kernels/select.hpp"

namespace models {
namespace {

const Shape& small() {
  return find_shape("coreflow_1_9m");
}
const Kernels& widest() {
  return select_kernels(kernel_tables(), harness::read_cpu_features(), "");
}

std::vector<float> copy(std::span<const float> logits) {
  return {logits.begin(), logits.end()};
}

class decoder : public testing::Test {
 protected:
  Weights weights = synthetic_weights(small(), 1);
  Decoder decode{small(), weights, widest()};
};

TEST_F(decoder, logits_of_every_isa_have_the_same_bytes_at_every_position) {
  Decoder scalar(small(), weights, *kernel_tables()[0]);
  for (uint32_t token : seeded_tokens(small(), 5, 200)) {
    ASSERT_EQ(copy(decode.step(token)), copy(scalar.step(token))) << "position " << scalar.position() - 1;
  }
}

TEST_F(decoder, float_logits_of_every_isa_have_the_same_bytes_and_are_not_the_int8_ones) {
  Decoder scalar(small(), weights, *kernel_tables()[0], Arithmetic::float32),
      wide(small(), weights, widest(), Arithmetic::float32);
  for (uint32_t token : seeded_tokens(small(), 5, 40)) {
    const std::vector<float> logits = copy(scalar.step(token));
    ASSERT_EQ(copy(wide.step(token)), logits) << "position " << scalar.position() - 1;
    ASSERT_NE(copy(decode.step(token)), logits);
  }
}

TEST_F(decoder, rows_wider_than_the_weights_allow_for_int8_are_multiplied_in_float) {
  Weights narrow = weights;
  narrow.widest_int8_row = 144;  // f3 alone, with its 396 columns, is wider
  Decoder mixed(small(), narrow, widest()), mixed_scalar(small(), narrow, *kernel_tables()[0]);
  const std::vector<float> logits = copy(mixed.step(9));
  EXPECT_EQ(logits, copy(mixed_scalar.step(9)));
  EXPECT_NE(logits, copy(decode.step(9)));
  narrow.widest_int8_row = 16;
  Decoder all(small(), narrow, widest()), asked(small(), weights, widest(), Arithmetic::float32);
  EXPECT_EQ(copy(all.step(9)), copy(asked.step(9)));
}

TEST_F(decoder, a_profile_adds_up_every_op_and_changes_no_logits) {
  Decoder plain(small(), weights, widest());
  OpTimes times;
  decode.profile(&times);
  for (uint32_t token : seeded_tokens(small(), 5, 8))
    ASSERT_EQ(copy(decode.step(token)), copy(plain.step(token)));
  EXPECT_EQ(times.tokens, 8);
  for (const Op op : {Op::gemv, Op::attention, Op::head, Op::rest})
    EXPECT_GT(times.ns[static_cast<size_t>(op)], 0);
  for (const Op op : {Op::router, Op::experts, Op::waiting}) EXPECT_EQ(times.ns[static_cast<size_t>(op)], 0);
  const OpTimes before = times;
  decode.profile(nullptr);
  decode.step(1);
  EXPECT_EQ(times.tokens, before.tokens);
  EXPECT_EQ(times.ns, before.ns);
}

// Each slot of the table that a decoder is given runs, and no other table's: what forces an ISA.
int slot_calls[9];
template <int slot, auto function>
struct Counted;
template <int slot, class Result, class... Arguments, Result (*function)(Arguments...)>
struct Counted<slot, function> {
  static Result call(Arguments... arguments) {
    ++slot_calls[slot];
    return function(arguments...);
  }
};

TEST_F(decoder, runs_every_slot_of_its_own_table) {
  Kernels counting;
  counting.isa = "counting";
  counting.gemv = Counted<0, scalar::gemv>::call;
  counting.gemv_float = Counted<1, scalar::gemv_float>::call;
  counting.quantise = Counted<2, scalar::quantise>::call;
  counting.rms_norm = Counted<3, scalar::rms_norm>::call;
  counting.conv_step = Counted<4, scalar::conv_step>::call;
  counting.silu_product = Counted<5, scalar::silu_product>::call;
  counting.attention_scores = Counted<6, scalar::attention_scores>::call;
  counting.softmax = Counted<7, scalar::softmax>::call;
  counting.softcap = Counted<8, scalar::softcap>::call;
  Decoder counted(small(), weights, counting);
  EXPECT_STREQ(counted.isa(), "counting");
  counted.step(1);
  // 4 convolutions, 2 attentions, 6 MLPs, one head.
  const int expected[] = {4 * 2 + 2 * 2 + 6 * 2 + 1, 0, 25 + 2 * 8, 13, 4, 4 + 6, 2, 16, 1};
  for (int slot = 0; slot < 9; ++slot) EXPECT_EQ(slot_calls[slot], expected[slot]) << "slot " << slot;
}

TEST_F(decoder, a_hundred_tokens_choose_at_least_twenty_distinct_successors) {
  std::set<uint32_t> chosen;
  for (uint32_t token : seeded_tokens(small(), 2, 100)) chosen.insert(argmax(decode.step(token)));
  EXPECT_GE(chosen.size(), 20u);
}

TEST_F(decoder, logits_depend_on_the_tokens_before) {
  std::vector<float> after_1 = copy((decode.step(1), decode.step(9)));
  decode.reset();
  std::vector<float> after_2 = copy((decode.step(2), decode.step(9)));
  EXPECT_NE(after_1, after_2);
}

TEST_F(decoder, reset_forgets_the_sequence) {
  std::vector<uint32_t> tokens = seeded_tokens(small(), 3, 40);
  std::vector<std::vector<float>> first;
  for (uint32_t token : tokens) first.push_back(copy(decode.step(token)));
  for (uint32_t token : seeded_tokens(small(), 4, 70)) decode.step(token);
  decode.reset();
  EXPECT_EQ(decode.position(), 0);
  for (size_t i = 0; i < tokens.size(); ++i) ASSERT_EQ(copy(decode.step(tokens[i])), first[i]) << i;
  EXPECT_EQ(decode.position(), 40);
}

TEST_F(decoder, logits_stay_inside_the_softcap) {
  for (float logit : decode.step(7)) ASSERT_LT(std::abs(logit), small().softcap);
}

TEST_F(decoder, refuses_a_token_outside_the_vocabulary_and_stays_usable) {
  EXPECT_THROW(decode.step(4096), harness::Error);
  EXPECT_EQ(decode.position(), 0);
  EXPECT_EQ(decode.step(4095).size(), 4096u);
}

TEST_F(decoder, refuses_a_position_beyond_the_context) {
  for (int i = 0; i < small().context; ++i) decode.step(1);
  try {
    decode.step(1);
    ADD_FAILURE() << "position " << small().context << " was decoded";
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::invalid_input);
  }
  decode.reset();
  decode.step(1);
}

TEST_F(decoder, publishes_what_it_did_once_per_token) {
  harness::WorkCounts before = harness::work_counts();
  for (int i = 0; i < 3; ++i) decode.step(1);
  EXPECT_THROW(decode.step(1u << 20), harness::Error);
  harness::WorkCounts after = harness::work_counts();
  EXPECT_EQ(after.tokens - before.tokens, 3);
  EXPECT_EQ(after.bytes_streamed - before.bytes_streamed, 3 * 1'933'600);
  EXPECT_EQ(after.macs - before.macs, 3 * 1'877'760);
}

TEST_F(decoder, weight_regions_cover_the_weights_and_little_more) {
  size_t bytes = 0;
  for (std::span<const std::byte> region : decode.weight_regions()) bytes += region.size();
  EXPECT_GE(bytes, 1'933'600u);
  EXPECT_LE(bytes, 1'933'600u * 103 / 100);
}

TEST(decoder_shape, refuses_a_shape_it_has_no_blocks_for) {
  for (auto spoil : {+[](Shape& s) { s.conv_taps = 3; }, +[](Shape& s) { s.kv_heads = 3; },
                     +[](Shape& s) { s.head_dim = 9; }, +[](Shape& s) { s.kv_heads = 0; }}) {
    Shape shape = small();
    spoil(shape);
    EXPECT_THROW(Decoder(shape, synthetic_weights(small(), 1), Kernels{}), harness::Error);
  }
}

TEST(decoder_shape, refuses_keys_beyond_what_it_can_address) {
  Shape shape = small();
  shape.d = 16384, shape.heads = shape.kv_heads = 64, shape.head_dim = 256, shape.context = 131072;
  try {
    Decoder decoder(shape, synthetic_weights(small(), 1), Kernels{});
    ADD_FAILURE() << "accepted";
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::unavailable);
  }
}

/// A model with every awkward size: widths that are no multiple of 16 or 4, an odd vocabulary, two kv heads.
Shape awkward() {
  Shape shape;
  shape.name = "awkward";
  shape.vocab = 1003;
  shape.d = 72;
  shape.ff = 90;
  shape.blocks = {Block::conv, Block::attention, Block::conv, Block::attention};
  shape.heads = 4;
  shape.kv_heads = 2;
  shape.head_dim = 18;
  shape.context = 50;
  return shape;
}

TEST(decoder_shape, awkward_sizes_give_the_same_bytes_on_every_isa) {
  Weights weights = synthetic_weights(awkward(), 1);
  Decoder wide(awkward(), weights, widest()), scalar(awkward(), weights, *kernel_tables()[0]);
  for (uint32_t token : seeded_tokens(awkward(), 6, 50)) {
    std::span<const float> logits = wide.step(token);
    ASSERT_EQ(logits.size(), 1003u);
    ASSERT_EQ(copy(logits), copy(scalar.step(token))) << "position " << scalar.position() - 1;
  }
}

TEST(argmax, ties_go_to_the_lowest_index) {
  std::vector<float> logits(100, -2);
  EXPECT_EQ(argmax(logits), 0u);
  logits[99] = 3;
  EXPECT_EQ(argmax(logits), 99u);
  logits[40] = logits[41] = 3;
  EXPECT_EQ(argmax(logits), 40u);
  EXPECT_EQ(argmax(std::vector<float>{1, 5, 5}), 1u);
}

TEST(seeded_tokens, lie_in_the_vocabulary_and_depend_on_the_seed_alone) {
  std::vector<uint32_t> tokens = seeded_tokens(small(), 1, 20'000);
  EXPECT_LT(*std::max_element(tokens.begin(), tokens.end()), 4096u);
  EXPECT_GT(*std::max_element(tokens.begin(), tokens.end()), 4080u);
  EXPECT_LT(*std::min_element(tokens.begin(), tokens.end()), 16u);
  EXPECT_EQ(tokens, seeded_tokens(small(), 1, 20'000));
  EXPECT_NE(tokens, seeded_tokens(small(), 2, 20'000));
}

}  // namespace
}  // namespace models
