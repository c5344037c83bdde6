// The operations on vectors: quantise, norm, convolution, SiLU, softcap.
#include <array>

#include "harness/bench/counted.hpp"
#include "harness/bench/inputs.hpp"
#include "harness/bench/register.hpp"

namespace bench {
namespace {

constexpr int64_t float_bytes = sizeof(float);

struct Quantise {
  const models::Kernels& kernels;
  int n;
  models::Padded<float> x = random_floats(n, 1);
  models::Padded<int8_t> codes{n};
  void call() const { benchmark::DoNotOptimize(kernels.quantise(x.data(), n, codes.data())); }
  [[nodiscard]] std::string result() const { return bytes_of(codes.data(), n); }
  [[nodiscard]] Work work() const { return {n * (float_bytes + 1), n, 0}; }
};

struct RmsNorm {
  const models::Kernels& kernels;
  int n;
  models::Padded<float> x = random_floats(n, 1), w = random_floats(n, 2), y{n};
  void call() const { kernels.rms_norm(x.data(), w.data(), n, y.data()); }
  [[nodiscard]] std::string result() const { return bytes_of(y.data(), n); }
  [[nodiscard]] Work work() const { return {3 * n * float_bytes, 2 * int64_t{n}, 0}; }
};

struct ConvStep {
  static constexpr int taps = 4;
  const models::Kernels& kernels;
  int n, stride = models::padded16(n);
  models::Padded<int8_t> codes = random_codes(taps * stride, 1);
  models::Padded<float> scales = constant_floats(n, 0.01F), history = random_floats(taps * stride, 2), c{n};
  ConvStep(const models::Kernels& table, int length) : kernels(table), n(length) {
    for (int tap = 0; tap < taps; ++tap) {
      for (int i = n; i < stride; ++i) codes.data()[tap * stride + i] = 0;
      for (int i = n; i < stride; ++i) history.data()[tap * stride + i] = 0;
    }
  }
  void call() const {
    std::array<const float*, taps> rows{};
    for (int tap = 0; tap < taps; ++tap) rows[static_cast<size_t>(tap)] = history.data() + tap * stride;
    kernels.conv_step(codes.data(), stride, scales.data(), rows.data(), n, c.data());
  }
  [[nodiscard]] std::string result() const { return bytes_of(c.data(), n); }
  [[nodiscard]] Work work() const {
    return {n * (taps + (taps + 2) * float_bytes), int64_t{taps} * n, int64_t{taps} * n};
  }
};

struct SiluProduct {
  const models::Kernels& kernels;
  int n;
  models::Padded<float> a = random_floats(n, 1), b = random_floats(n, 2), y{n};
  void call() const { kernels.silu_product(a.data(), b.data(), n, y.data()); }
  [[nodiscard]] std::string result() const { return bytes_of(y.data(), n); }
  [[nodiscard]] Work work() const { return {3 * n * float_bytes, 0, 0}; }
};

/// In place: each call caps what the one before it left.
struct Softcap {
  static constexpr float cap = 15;
  const models::Kernels& kernels;
  int n;
  models::Padded<float> logits = random_floats(n, 1);
  void call() const { kernels.softcap(logits.data(), n, cap); }
  [[nodiscard]] std::string result() const { return bytes_of(logits.data(), n); }
  [[nodiscard]] Work work() const { return {2 * n * float_bytes, 0, 0}; }
};

template <class Operation>
void register_length(const char* operation, const models::Kernels& kernels, int n) {
  register_operation(operation, kernels, std::to_string(n), [n](const models::Kernels& table) {
    return Operation{table, n};
  });
}

}  // namespace

void register_vectors(const models::Kernels& kernels) {
  std::set<int> gemv_inputs = model_widths();
  gemv_inputs.merge(feed_forward_widths());
  for (const int n : gemv_inputs) register_length<Quantise>("quantise", kernels, n);
  for (const int n : model_widths()) register_length<RmsNorm>("rms_norm", kernels, n);
  for (const int n : model_widths()) register_length<ConvStep>("conv_step", kernels, n);
  for (const int n : feed_forward_widths()) register_length<SiluProduct>("silu_product", kernels, n);
  for (const int n : vocabularies()) register_length<Softcap>("softcap", kernels, n);
}

}  // namespace bench
