#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <memory>

#include "harness/bench/register.hpp"
#include "harness/buffer.hpp"
#include "harness/streams/streams.hpp"

namespace bench {
namespace {

constexpr int64_t sizes_bytes[] = {16 << 10, 256 << 10, 1 << 20,  2 << 20,
                                   4 << 20,  16 << 20,  64 << 20, 256 << 20};

void read_stream(benchmark::State& state, const harness::Streams& table, int64_t bytes) {
  const harness::Buffer buffer(static_cast<size_t>(bytes), harness::Pages::huge);
  // Small sets are read many times per timed call, so that the call itself does not count.
  const int64_t passes = std::max<int64_t>(1, (1 << 20) / bytes);
  for (auto unused : state) {
    benchmark::DoNotOptimize(table.read(buffer.data(), buffer.bytes(), passes));
  }
  state.SetBytesProcessed(state.iterations() * passes * bytes);
}

}  // namespace

void register_streams(const harness::CpuFeatures& features) {
  for (const harness::Streams& table : harness::streams_tables()) {
    if (!harness::runs_on(table, features)) continue;
    for (const int64_t bytes : sizes_bytes) {
      const std::string name = fmt::format("read/{}/{}KiB", table.isa, bytes >> 10);
      benchmark::RegisterBenchmark(
          name.c_str(), [&table, bytes](benchmark::State& state) { read_stream(state, table, bytes); });
    }
  }
}

}  // namespace bench
