#include "models/kernel_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "harness/digest.hpp"
#include "harness/error.hpp"
#include "models/padded.hpp"

namespace models {
namespace {

constexpr int64_t float_bytes = sizeof(float);

/// The table that is called, and what it was asked for.
struct Tally {
  Kernels called;
  bool counts = false;
  std::map<std::pair<std::string, int>, KernelCount> by_kernel;
};

/// Kernels are plain functions: they find their tally here. One at a time.
Tally* tally = nullptr;

void add(const char* kernel, int cols, Touches touches, int64_t bytes, int64_t macs) {
  if (!tally->counts) return;
  KernelCount& count = tally->by_kernel[{kernel, cols}];
  count.kernel = kernel;
  count.cols = cols;
  count.touches = touches;
  ++count.calls;
  count.bytes += bytes;
  count.macs += macs;
}

void add_matrix(const char* kernel, int rows, int cols, size_t packed_bytes, int64_t scales) {
  add(kernel, cols, Touches::weights, static_cast<int64_t>(packed_bytes) + scales * float_bytes,
      int64_t{rows} * cols);
}

void add_vector(const char* kernel, int64_t values) {
  add(kernel, 0, Touches::vectors, values * float_bytes, 0);
}

/// Keys or values of a group: tiles are read whole.
void add_attention(const char* kernel, const AttentionGroup& group) {
  const int tiles = (group.positions + kv_tile_positions - 1) / kv_tile_positions;
  add(kernel, group.head_dim, Touches::kv,
      int64_t{tiles} * kv_tile_positions * group.head_dim + float_bytes * group.positions,
      int64_t{group.heads} * group.head_dim * group.positions);
}

void gemv(const int8_t* packed, const float* scales, int rows, int cols, const int8_t* x, float x_scale,
          float* y) {
  add_matrix("gemv", rows, cols, tally->called.packed_bytes(rows, cols), rows);
  tally->called.gemv(packed, scales, rows, cols, x, x_scale, y);
}

void gemv_float(const int8_t* codes, const float* scales, int rows, int cols, const float* x, float* y) {
  add_matrix("gemv_float", rows, cols, static_cast<size_t>(rows) * static_cast<size_t>(padded16(cols)), rows);
  tally->called.gemv_float(codes, scales, rows, cols, x, y);
}

void ternary_gemv(const uint8_t* packed, float gamma, int rows, int cols, const int8_t* x, float x_scale,
                  float* y) {
  add_matrix("ternary_gemv", rows, cols, tally->called.ternary_packed_bytes(rows, cols), 1);
  tally->called.ternary_gemv(packed, gamma, rows, cols, x, x_scale, y);
}

void group3_gemv(const uint8_t* packed, int rows, int cols, const int8_t* x, float x_scale, float* y) {
  add_matrix("group3_gemv", rows, cols, tally->called.group3_packed_bytes(rows, cols), 0);
  tally->called.group3_gemv(packed, rows, cols, x, x_scale, y);
}

void group4_gemv(const uint8_t* packed, int rows, int cols, const int8_t* x, float x_scale, float* y) {
  add_matrix("group4_gemv", rows, cols, tally->called.group4_packed_bytes(rows, cols), 0);
  tally->called.group4_gemv(packed, rows, cols, x, x_scale, y);
}

float quantise(const float* x, int n, int8_t* codes) {
  add_vector("quantise", n);
  return tally->called.quantise(x, n, codes);
}

void rms_norm(const float* x, const float* w, int n, float* y) {
  add_vector("rms_norm", int64_t{2} * n);
  tally->called.rms_norm(x, w, n, y);
}

void conv_step(const int8_t* taps, int stride, const float* scales, const float* const* history, int n,
               float* c) {
  constexpr int taps_of_one = 4;
  add("conv_step", 0, Touches::weights, n * (taps_of_one + float_bytes), int64_t{taps_of_one} * n);
  tally->called.conv_step(taps, stride, scales, history, n, c);
}

void silu_product(const float* a, const float* b, int n, float* y) {
  add_vector("silu_product", int64_t{2} * n);
  tally->called.silu_product(a, b, n, y);
}

void attention_scores(const AttentionGroup* group) {
  add_attention("attention_scores", *group);
  tally->called.attention_scores(group);
}

void softmax(float* row, const float* value_scales, int positions) {
  add_vector("softmax", positions);
  tally->called.softmax(row, value_scales, positions);
}

void attention_values(const AttentionGroup* group) {
  add_attention("attention_values", *group);
  tally->called.attention_values(group);
}

void softcap(float* logits, int n, float cap) {
  add_vector("softcap", n);
  tally->called.softcap(logits, n, cap);
}

/// The same table, but that each operation of a token counts first.
Kernels counting(const Kernels& kernels) {
  Kernels table = kernels;
  table.gemv = gemv;
  table.gemv_float = gemv_float;
  table.ternary_gemv = ternary_gemv;
  table.group3_gemv = group3_gemv;
  table.group4_gemv = group4_gemv;
  table.quantise = quantise;
  table.rms_norm = rms_norm;
  table.conv_step = conv_step;
  table.silu_product = silu_product;
  table.attention_scores = attention_scores;
  table.softmax = softmax;
  table.attention_values = attention_values;
  table.softcap = softcap;
  return table;
}

/// Ends with the scope in which kernels count.
class Scope {
 public:
  explicit Scope(Tally& own) { tally = &own; }
  ~Scope() { tally = nullptr; }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
};

}  // namespace

CountedTokens count_tokens(const Shape& shape, const WeightSource& weights, const Kernels& kernels,
                           Arithmetic arithmetic, const RoutingTrace* trace, int first, int last) {
  if (first < 0 || last < first || last >= shape.context)
    throw harness::Error(harness::ExitCode::usage, fmt::format("positions {}:{}: {} has positions 0:{}",
                                                               first, last, shape.name, shape.context - 1));
  Tally own;
  own.called = kernels;
  const Scope scope(own);
  Decoder decoder(shape, weights, counting(kernels), arithmetic);
  decoder.route(trace);
  CountedTokens counted;
  counted.packed_bytes = static_cast<int64_t>(decoder.weight_regions().front().size());
  harness::Sha256 digest;
  for (const uint32_t token : seeded_tokens(shape, 1, last + 1)) {
    own.counts = decoder.position() >= first;
    const std::span<const float> logits = decoder.step(token);
    if (own.counts) digest.update(logits.data(), logits.size_bytes());
  }
  for (const auto& [key, count] : own.by_kernel) counted.kernels.push_back(count);
  counted.tokens = int64_t{last} - first + 1;
  counted.logits_sha256 = digest.hex();
  return counted;
}

}  // namespace models
