// A whole token, whose counters the decoder itself publishes.
#include <memory>

#include "harness/bench/counted.hpp"
#include "harness/bench/register.hpp"
#include "models/decoder.hpp"

namespace bench {
namespace {

constexpr const char* models_to_decode[] = {"coreflow_1_9m", "coreflow_12_6m"};

void decode_step(benchmark::State& state, const models::Kernels& kernels, const models::Shape& shape) {
  models::Decoder decoder(shape, models::synthetic_source(1), kernels);
  uint32_t token = 0;
  counters().start();
  for (auto unused : state) {
    if (decoder.position() == shape.context) decoder.reset();
    token = models::argmax(decoder.step(token));
    benchmark::DoNotOptimize(token);
  }
  const models::Cost cost = models::cost(shape);
  report(state, {cost.weight_bytes_per_token, cost.macs_per_token, cost.code_bytes_per_token},
         counters().stop());
}

}  // namespace

void register_decode(const models::Kernels& kernels) {
  for (const char* model : models_to_decode) {
    const models::Shape& shape = models::find_shape(model);
    const std::string name = std::string("decode_step/") + kernels.isa + "/" + model;
    benchmark::RegisterBenchmark(
        name.c_str(), [&kernels, &shape](benchmark::State& state) { decode_step(state, kernels, shape); });
  }
}

}  // namespace bench
