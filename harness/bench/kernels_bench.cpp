#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "harness/bench/register.hpp"
#include "harness/buffer.hpp"
#include "harness/statistics.hpp"
#include "models/kernels/select.hpp"

namespace bench {
namespace {

struct MatrixShape {
  int rows, cols;
};
/// The true row lengths of coreflow_1_9m (head, gate and mix, f1 and f2, f3), its matrices laid end to end,
/// and two that show the kernel beyond a 2 MiB cache.
constexpr MatrixShape matrix_shapes[] = {{4096, 144}, {144, 144},   {396, 144},  {144, 396},
                                         {5184, 396}, {2048, 1024}, {4096, 4096}};

int padded_to_16(int n) {
  return (n + 15) / 16 * 16;
}

struct GemvInput {
  std::vector<int8_t> codes, x;
  std::vector<float> scales, y;
};

GemvInput make_input(const MatrixShape& shape) {
  harness::SplitMix64 random(1);
  const auto code = [&random] { return static_cast<int8_t>(static_cast<int>(random.below(255)) - 127); };
  GemvInput input;
  input.codes.resize(static_cast<size_t>(shape.rows) * static_cast<size_t>(shape.cols));
  for (int8_t& value : input.codes) value = code();
  input.x.resize(static_cast<size_t>(padded_to_16(shape.cols)));
  for (int i = 0; i < shape.cols; ++i) input.x[static_cast<size_t>(i)] = code();
  input.scales.assign(static_cast<size_t>(padded_to_16(shape.rows)), 0.01F);
  input.y.assign(input.scales.size(), 0);
  return input;
}

void gemv_i8(benchmark::State& state, const models::Kernels& kernels, const MatrixShape& shape) {
  GemvInput input = make_input(shape);
  const harness::Buffer packed(kernels.packed_bytes(shape.rows, shape.cols), harness::Pages::huge);
  auto* const codes = reinterpret_cast<int8_t*>(packed.data());
  kernels.pack(input.codes.data(), shape.rows, shape.cols, codes);
  for (auto unused : state) {
    kernels.gemv(codes, input.scales.data(), shape.rows, shape.cols, input.x.data(), 0.02F, input.y.data());
    benchmark::ClobberMemory();
  }
  const int64_t weights = int64_t{shape.rows} * shape.cols;
  state.SetBytesProcessed(state.iterations() * (weights + 4 * int64_t{shape.rows}));
  state.counters["weights"] =
      benchmark::Counter(static_cast<double>(state.iterations() * weights), benchmark::Counter::kIsRate);
}

}  // namespace

void register_kernels(const harness::CpuFeatures& features) {
  for (const models::Kernels* kernels : models::kernel_tables()) {
    if (!models::missing_feature(*kernels, features).empty()) continue;
    for (const MatrixShape& shape : matrix_shapes) {
      const std::string name = fmt::format("gemv_i8/{}/{}x{}", kernels->isa, shape.rows, shape.cols);
      benchmark::RegisterBenchmark(
          name.c_str(), [kernels, shape](benchmark::State& state) { gemv_i8(state, *kernels, shape); });
    }
  }
}

}  // namespace bench
