// Steps over vectors, each with vectors of its own.
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "models/experts.hpp"
#include "models/padded.hpp"
#include "models/rotary.hpp"
#include "probes/kernel_rates_body.hpp"
#include "probes/kernel_rates_draw.hpp"

namespace probes {
namespace {

using models::Kernels;
using models::Padded;

/// Vectors of one length for every step, and its result.
struct Steps {
  int length;
  Padded<float> a, b, out;
  Padded<int8_t> codes, taps;
  models::RotaryTable table;
  std::array<uint16_t, 4> chosen{};
  std::array<float, 4> gates{};

  explicit Steps(int n, uint64_t seed) : length(n), a(n), b(n), out(n), codes(n), taps(4 * n) {
    Draw draw(seed);
    for (int i = 0; i < n; ++i) {
      a.data()[i] = draw.value();
      b.data()[i] = draw.value();
    }
    for (int i = 0; i < 4 * n; ++i) taps.data()[i] = static_cast<int8_t>(draw.code(-127, 127));
  }
  void run(const std::string& step, const Kernels& kernels) {
    if (step == "rms_norm") return kernels.rms_norm(a.data(), b.data(), length, out.data());
    if (step == "quantise") {
      out.data()[0] = kernels.quantise(a.data(), length, codes.data());
      return;
    }
    if (step == "silu_product") return kernels.silu_product(a.data(), b.data(), length, out.data());
    if (step == "conv_step") {
      const float* history[4] = {a.data(), b.data(), a.data(), b.data()};
      return kernels.conv_step(taps.data(), length, b.data(), history, length, out.data());
    }
    if (step == "add") return models::add_scaled(a.data(), 0.0f, length, out.data());
    std::memcpy(out.data(), a.data(), static_cast<size_t>(length) * sizeof(float));
    if (step == "softcap") return kernels.softcap(out.data(), length, 30.0f);
    if (step == "rotate") return models::rotate(table, 1, out.data());
    kernels.softmax(out.data(), b.data(), length);  // route
    models::choose_highest(out.data(), length, chosen);
    models::renormalise(out.data(), chosen, gates.data());
  }
};

}  // namespace

KernelBody make_steps_body(const models::KernelUse& use, const Kernels& kernels, uint64_t seed) {
  const bool rotates = use.kernel == "rotate", routes = use.kernel == "route";
  const int far = rotates ? 64 : routes ? 256 : 1024, near = rotates ? 16 : routes ? 64 : 128;
  auto make = [&](int length) {
    auto steps = std::make_shared<Steps>(length, seed), plain = std::make_shared<Steps>(length, seed);
    steps->table = plain->table = models::make_rotary_table(2, length);
    plain->run(use.kernel, Kernels{});
    return std::pair(steps, plain);
  };
  const auto whole = make(far), part = make(near);
  KernelBody body;
  body.sizes = {KernelBody::Size{4 * near, 0}, {4 * far, 0}, {}};
  body.fill = [](std::byte*, Extent) {};
  body.call = [=, &kernels, step = use.kernel](std::byte*, Extent extent) {
    (extent == Extent::brief ? part : whole).first->run(step, kernels);
  };
  body.right = [=](Extent extent) {
    const auto& [steps, plain] = extent == Extent::brief ? part : whole;
    const auto bytes = static_cast<size_t>(steps->length) * sizeof(float);
    return std::memcmp(steps->out.data(), plain->out.data(), bytes) == 0 &&
           std::memcmp(steps->codes.data(), plain->codes.data(), static_cast<size_t>(steps->length)) == 0 &&
           steps->chosen == plain->chosen;
  };
  return body;
}

}  // namespace probes
