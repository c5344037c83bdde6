#include "models/decoder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/counters.hpp"
#include "harness/error.hpp"
#include "models/decoder_state.hpp"
#include "models/experts.hpp"

namespace models {
namespace {

/// Of the vectors that matrices read, but for h.
int widest_input(const Shape& shape) {
  return std::max({shape.d, shape.heads * shape.head_dim, shape.ff, shape.experts.count});
}

}  // namespace

Decoder::State::State(const Shape& model, PackedWeights packed, const Kernels& table)
    : shape(model),
      kernels(table),
      weights(std::move(packed)),
      rotary(make_rotary_table(model.context, model.head_dim)),
      blocks(model.blocks.size()),
      weight_bytes_per_token(cost(model).weight_bytes_per_token),
      macs_per_token(cost(model).macs_per_token),
      context_stride(padded16(model.context)),
      head_stride(padded16(model.head_dim)),
      x_codes(widest_input(model)),
      h_codes(model.d),
      x(model.d),
      h(model.d),
      gate(model.d),
      c(model.d),
      y(model.d),
      qkv(model.d + 2 * model.kv_heads * model.head_dim),
      attended(model.heads * model.head_dim),
      rotated(head_stride),
      q_codes(model.heads * head_stride),
      q_scales(model.heads),
      attention_weights(model.heads / model.kv_heads * context_stride),
      f12(padded16(model.ff) + model.ff),
      ones(widest_input(model)),
      normed_attended(model.heads * model.head_dim),
      normed_f(model.ff),
      expert_shares(model.experts.count),
      gates(model.experts.top_k),
      mixed(model.d),
      chosen(model.blocks.size() * static_cast<size_t>(model.experts.top_k)),
      logits(model.vocab) {
  std::fill_n(ones.data(), padded16(widest_input(model)), 1.0f);
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (model.blocks[i] == Block::conv) {
      blocks[i].history = Padded<float>(model.conv_taps * padded16(model.d));
    } else {
      blocks[i].kv = KvCache(model.kv_heads, model.head_dim, model.context);
    }
  }
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
                 Arithmetic arithmetic) {
  check_shape(shape);
  state_ = std::make_unique<State>(shape, pack_weights(shape, weights, kernels, arithmetic), kernels);
}

Decoder::Decoder(const Shape& shape, const Weights& weights, const Kernels& kernels, Arithmetic arithmetic) {
  check_shape(shape);
  state_ = std::make_unique<State>(shape, pack_weights(shape, weights, kernels, arithmetic), kernels);
}

Decoder::~Decoder() = default;

void Decoder::reset() {
  state_->position = 0;
  for (size_t i = 0; i < state_->blocks.size(); ++i) {
    // K and V need no clearing: nothing beyond the position is ever attended to.
    if (state_->shape.blocks[i] == Block::conv) state_->blocks[i].history.clear();
  }
}

std::span<const float> Decoder::step(uint32_t token) {
  State& state = *state_;
  if (state.position >= state.shape.context || token >= static_cast<uint32_t>(state.shape.vocab)) {
    throw harness::Error(
        harness::ExitCode::invalid_input,
        fmt::format("model {}: token {} at position {} is outside vocabulary {} or context {}",
                    state.shape.name, token, state.position, state.shape.vocab, state.shape.context));
  }
  if (state.trace != nullptr && state.position >= state.trace->shape().tokens) {
    throw harness::Error(
        harness::ExitCode::invalid_input,
        fmt::format("model {}: the routing trace ends before position {}", state.shape.name, state.position));
  }
  if (state.times != nullptr) state.lap_ns = state.clock.now_ns();
  state.look_up(token);
  for (size_t i = 0; i < state.blocks.size(); ++i) {
    const PackedBlock& block = state.weights.blocks[i];
    if (block.kind == Block::conv) {
      state.run_conv(block, state.blocks[i]);
    } else {
      state.run_attention(block, state.blocks[i]);
    }
    state.run_mlps(i);
  }
  float* logits = state.run_head();
  ++state.position;
  if (state.times != nullptr) ++state.times->tokens;
  harness::WorkCounts& counts = harness::work_counts();
  counts.bytes_streamed += state.weight_bytes_per_token;
  counts.tokens += 1;
  counts.macs += state.macs_per_token;
  return {logits, static_cast<size_t>(state.shape.vocab)};
}

int Decoder::position() const {
  return state_->position;
}

const char* Decoder::isa() const {
  return state_->kernels.isa;
}

void Decoder::route(const RoutingTrace* trace) {
  const Shape& shape = state_->shape;
  if (trace != nullptr &&
      (trace->shape().experts != shape.experts.count || trace->shape().top_k != shape.experts.top_k ||
       trace->shape().layers != static_cast<int>(shape.blocks.size()))) {
    throw harness::Error(
        harness::ExitCode::invalid_input,
        fmt::format("model {}: its {} blocks visit {} of {} experts; the routing trace is for {}, {} and {}",
                    shape.name, shape.blocks.size(), shape.experts.top_k, shape.experts.count,
                    trace->shape().layers, trace->shape().top_k, trace->shape().experts));
  }
  state_->trace = trace;
}

std::span<const uint16_t> Decoder::chosen_experts() const {
  return state_->chosen;
}

void Decoder::profile(OpTimes* times) {
  state_->times = times;
}

std::vector<std::span<const std::byte>> Decoder::weight_regions() const {
  return {{state_->weights.memory->data(), state_->weights.bytes}};
}

}  // namespace models
