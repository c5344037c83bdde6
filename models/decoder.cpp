#include "models/decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "harness/counters.hpp"
#include "harness/error.hpp"
#include "models/decoder_state.hpp"
#include "models/experts.hpp"
#include "models/padded.hpp"
#include "models/parts.hpp"

namespace models {
namespace {

/// Of the vectors that matrices read, but for h.
int widest_input(const Shape& shape) {
  return std::max({shape.d, shape.heads * shape.head_dim, shape.ff, shape.experts.count});
}

}  // namespace

void DecoderShared::place(Arena& arena) {
  const int outputs = shape.experts.top_k + shape.experts.shared;
  qkv = arena.take_padded<float>(shape.d + 2 * shape.kv_heads * shape.head_dim);
  attended = arena.take_padded<float>(shape.heads * shape.head_dim);
  mixed = arena.take_padded<float>(shape.d);
  y = arena.take_padded<float>(shape.d);
  hidden = arena.take_padded<float>(std::max(shape.experts.shared, 1) * padded16(shape.ff));
  router = arena.take_padded<float>(shape.experts.count);
  expert_out = arena.take_padded<float>(outputs * padded16(shape.d));
  logits = arena.take_padded<float>(shape.vocab);
}

DecoderMember::DecoderMember(DecoderShared& all, int own_index, Arena& arena)
    : shared(all),
      shape(all.shape),
      kernels(all.kernels),
      weights(all.weights.parts[static_cast<size_t>(own_index)]),
      index(own_index),
      members(static_cast<int>(all.weights.parts.size())),
      first_head(heads_of_part(shape.heads, index, members).first),
      end_head(heads_of_part(shape.heads, index, members).second),
      blocks(shape.blocks.size()),
      x_codes(arena.take_padded<int8_t>(widest_input(shape))),
      h_codes(arena.take_padded<int8_t>(shape.d)),
      x(arena.take_padded<float>(shape.d)),
      h(arena.take_padded<float>(shape.d)),
      gate(arena.take_padded<float>(shape.d)),
      own_mixed(arena.take_padded<float>(shape.d)),
      rotated(arena.take_padded<float>(all.head_stride)),
      q_codes(arena.take_padded<int8_t>(shape.heads * all.head_stride)),
      q_scales(arena.take_padded<float>(shape.heads)),
      attention_weights(arena.take_padded<float>(shape.heads / shape.kv_heads * all.context_stride)),
      f12(arena.take_padded<float>(padded16(shape.ff) + shape.ff)),
      own_hidden(arena.take_padded<float>(shape.ff)),
      ones(arena.take_padded<float>(widest_input(shape))),
      normed_attended(arena.take_padded<float>(shape.heads * shape.head_dim)),
      normed_hidden(arena.take_padded<float>(shape.ff)),
      expert_shares(arena.take_padded<float>(shape.experts.count)),
      gates(arena.take_padded<float>(shape.experts.top_k)),
      chosen(shape.blocks.size() * static_cast<size_t>(shape.experts.top_k)) {
  if (!arena.only_counts()) std::fill_n(ones, padded16(widest_input(shape)), 1.0f);
  const int sharing = shape.heads / shape.kv_heads;
  const int kv_heads = first_head == end_head ? 0 : (end_head - 1) / sharing - first_head / sharing + 1;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (shape.blocks[i] == Block::conv) {
      blocks[i].history = arena.take_padded<float>(shape.conv_taps * padded16(shape.d));
    } else {
      blocks[i].kv = KvCache(kv_heads, shape.head_dim, shape.context, arena);
    }
  }
}

namespace {

constexpr size_t page_bytes = 4096;  // members share none

std::vector<DecoderMember> place_all(DecoderShared& shared, Arena& arena) {
  shared.place(arena);
  std::vector<DecoderMember> members;
  const int count = static_cast<int>(shared.weights.parts.size());
  members.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    if (count > 1) arena.align(page_bytes);
    members.emplace_back(shared, i, arena);
  }
  return members;
}

}  // namespace

Decoder::State::State(const Shape& model, PackedWeights packed, const Kernels& table,
                      const DecoderSetup& setup)
    : weight_bytes_per_token(cost(model).weight_bytes_per_token), macs_per_token(cost(model).macs_per_token) {
  shared.shape = model;
  shared.kernels = table;
  shared.weights = std::move(packed);
  shared.rotary = make_rotary_table(model.context, model.head_dim);
  shared.team = shared.weights.parts.size() > 1 ? setup.team : nullptr;
  shared.context_stride = padded16(model.context);
  shared.head_stride = padded16(model.head_dim);
  Arena counts(nullptr);
  place_all(shared, counts);
  memory.emplace(counts.used(), setup.pages);
  std::memset(memory->data(), 0, memory->bytes());  // padding counts as zero
  Arena arena(memory->data());
  members = place_all(shared, arena);
}

namespace {

[[noreturn]] void refuse(const Shape& shape, const std::string& needs) {
  throw harness::Error(harness::ExitCode::invalid_input,
                       fmt::format("model {}: needs {}", shape.name, needs));
}

void check_experts(const Shape& shape) {
  const Experts& experts = shape.experts;
  const bool none = experts.count == 0 && experts.top_k == 0 && experts.shared == 0;
  const bool some = experts.count <= max_experts && experts.top_k >= 1 && experts.top_k <= experts.count &&
                    experts.shared >= 0;
  if (!none && !some) refuse(shape, fmt::format("1 ≤ top_k ≤ count of experts ≤ {}", max_experts));
}

/// What the packed forms ask of a row's width.
void check_width(const Shape& shape, int width, Format format) {
  const bool grouped = format == Format::group3 || format == Format::group4;
  if (grouped && width % group_cols != 0)
    refuse(shape, fmt::format("widths that are multiples of {} where weights share scales", group_cols));
  if (format != Format::int8 && width > max_low_bit_cols)
    refuse(shape, fmt::format("widths up to {} where weights are not int8", max_low_bit_cols));
}

void check_shape(const Shape& shape) {
  if (shape.conv_taps != 4 || shape.kv_heads <= 0 || shape.heads % shape.kv_heads != 0 ||
      shape.head_dim % 2 != 0 || shape.head_dim > max_head_dim) {
    refuse(shape,
           "4 convolution taps, an even head width up to 256 and heads that are a multiple of kv heads");
  }
  // Offsets into K and V are 32-bit.
  if (int64_t{shape.kv_heads} * padded16(shape.context) * shape.head_dim > INT32_MAX) {
    throw harness::Error(
        harness::ExitCode::unavailable,
        fmt::format("model {}: keys of {} heads of {} at {} positions are more than 2 GiB, which this "
                    "decoder cannot hold",
                    shape.name, shape.kv_heads, shape.head_dim, shape.context));
  }
  if (shape.embedding_format != Format::int8 && shape.embedding_format != Format::group4)
    refuse(shape, "an embedding in int8 or group4");
  check_experts(shape);
  check_width(shape, shape.d, shape.embedding_format);
  for (const int width : {shape.d, shape.heads * shape.head_dim, shape.ff})
    check_width(shape, width, shape.body_format);
}

}  // namespace

Decoder::Decoder(const Shape& shape, const WeightSource& weights, const Kernels& kernels,
                 const DecoderSetup& setup) {
  check_shape(shape);
  const int parts = setup.team == nullptr ? 1 : setup.team->size();
  state_ = std::make_unique<State>(
      shape, pack_weights(shape, weights, kernels, {setup.arithmetic, setup.pages, parts}), kernels, setup);
}

Decoder::Decoder(const Shape& shape, const WeightSource& weights, const Kernels& kernels,
                 Arithmetic arithmetic)
    : Decoder(shape, weights, kernels, DecoderSetup{arithmetic}) {}

Decoder::Decoder(const Shape& shape, const Weights& weights, const Kernels& kernels, Arithmetic arithmetic) {
  check_shape(shape);
  const DecoderSetup setup{arithmetic};
  state_ =
      std::make_unique<State>(shape, pack_weights(shape, weights, kernels, {arithmetic}), kernels, setup);
}

Decoder::~Decoder() = default;

void Decoder::reset() {
  const Shape& shape = state_->shared.shape;
  state_->shared.position = 0;
  const auto history_bytes = static_cast<size_t>(shape.conv_taps * padded16(shape.d)) * sizeof(float);
  for (const DecoderMember& member : state_->members) {
    // K and V need no clearing: nothing beyond the position is ever attended to.
    for (const BlockState& block : member.blocks) {
      if (block.history != nullptr) std::memset(block.history, 0, history_bytes);
    }
  }
}

void DecoderMember::step() {
  look_up();
  for (size_t i = 0; i < blocks.size(); ++i) {
    const PackedBlock& block = weights.blocks[i];
    if (block.kind == Block::conv) {
      run_conv(block, blocks[i]);
    } else {
      run_attention(block, blocks[i]);
    }
    run_mlps(i);
  }
  run_head();
}

std::span<const float> Decoder::step(uint32_t token) {
  State& state = *state_;
  DecoderShared& shared = state.shared;
  if (shared.position >= shared.shape.context || token >= static_cast<uint32_t>(shared.shape.vocab)) {
    throw harness::Error(
        harness::ExitCode::invalid_input,
        fmt::format("model {}: token {} at position {} is outside vocabulary {} or context {}",
                    shared.shape.name, token, shared.position, shared.shape.vocab, shared.shape.context));
  }
  if (shared.trace != nullptr && shared.position >= shared.trace->shape().tokens) {
    throw harness::Error(harness::ExitCode::invalid_input,
                         fmt::format("model {}: the routing trace ends before position {}", shared.shape.name,
                                     shared.position));
  }
  shared.token = token;
  DecoderMember& lead = state.members.front();
  if (lead.times != nullptr) lead.lap_ns = lead.clock.now_ns();
  if (shared.team == nullptr) {
    lead.step();
  } else {
    shared.team->run(
        [](void* of, int member) { static_cast<State*>(of)->members[static_cast<size_t>(member)].step(); },
        &state);
    lead.lap(Op::waiting);
  }
  ++shared.position;
  if (lead.times != nullptr) ++lead.times->tokens;
  harness::WorkCounts& counts = harness::work_counts();
  counts.bytes_streamed += state.weight_bytes_per_token;
  counts.tokens += 1;
  counts.macs += state.macs_per_token;
  return {shared.logits, static_cast<size_t>(shared.shape.vocab)};
}

int Decoder::position() const {
  return state_->shared.position;
}

const char* Decoder::isa() const {
  return state_->shared.kernels.isa;
}

void Decoder::route(const RoutingTrace* trace) {
  const Shape& shape = state_->shared.shape;
  if (trace != nullptr &&
      (trace->shape().experts != shape.experts.count || trace->shape().top_k != shape.experts.top_k ||
       trace->shape().layers != static_cast<int>(shape.blocks.size()))) {
    throw harness::Error(
        harness::ExitCode::invalid_input,
        fmt::format("model {}: its {} blocks visit {} of {} experts; the routing trace is for {}, {} and {}",
                    shape.name, shape.blocks.size(), shape.experts.top_k, shape.experts.count,
                    trace->shape().layers, trace->shape().top_k, trace->shape().experts));
  }
  state_->shared.trace = trace;
}

std::span<const uint16_t> Decoder::chosen_experts() const {
  return state_->members.front().chosen;
}

void Decoder::profile(OpTimes* times) {
  state_->members.front().times = times;
}

std::vector<std::span<const std::byte>> Decoder::weight_regions() const {
  return {{state_->shared.weights.memory->data(), state_->shared.weights.bytes}};
}

size_t Decoder::huge_weight_bytes() const {
  return state_->shared.weights.memory->huge_bytes_granted();
}

}  // namespace models
