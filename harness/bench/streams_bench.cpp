#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "harness/bench/register.hpp"
#include "harness/buffer.hpp"
#include "harness/streams/streams.hpp"

namespace bench {
namespace {

constexpr int64_t sizes_bytes[] = {16 << 10, 256 << 10, 1 << 20,  2 << 20,
                                   4 << 20,  16 << 20,  64 << 20, 256 << 20};

void read_stream(benchmark::State& state, harness::ReadLoop loop, int64_t bytes) {
  const harness::Buffer buffer(static_cast<size_t>(bytes), harness::Pages::huge);
  // Small sets are read many times per timed call, so that the call itself does not count.
  const int64_t passes = std::max<int64_t>(1, (1 << 20) / bytes);
  for (auto unused : state) {
    benchmark::DoNotOptimize(loop(buffer.data(), buffer.bytes(), passes));
  }
  state.SetBytesProcessed(state.iterations() * passes * bytes);
}

/// Arrays of a working set in one buffer, each on pages of its own.
struct Arrays {
  Arrays(int count, int64_t set_bytes)
      : each_bytes(static_cast<size_t>(set_bytes / count / block_bytes * block_bytes)),
        stride_bytes((each_bytes + page_bytes - 1) / page_bytes * page_bytes),
        buffer(stride_bytes * static_cast<size_t>(count), harness::Pages::huge) {
    // Ordinary numbers: arithmetic on denormals would be slow, and a copy does not mind.
    auto* const numbers = reinterpret_cast<double*>(buffer.data());
    for (size_t i = 0; i < buffer.bytes() / sizeof(double); ++i)
      numbers[i] = 1 + static_cast<double>(i % 1021) / 1021;
  }
  [[nodiscard]] double* at(int index) const {
    return reinterpret_cast<double*>(buffer.data() + static_cast<size_t>(index) * stride_bytes);
  }
  static constexpr int64_t block_bytes = 512, page_bytes = 4096;
  size_t each_bytes, stride_bytes;
  harness::Buffer buffer;
};

/// Calls `pass(arrays, passes)` and counts what the program moves: each array once per pass. What
/// write-allocate adds is counted apart: traffic_ratio times the bytes.
template <class Pass>
void written_stream(benchmark::State& state, int count, double traffic_ratio, int64_t set_bytes,
                    const Pass& pass) {
  const Arrays arrays(count, set_bytes);
  const int64_t passes = std::max<int64_t>(1, (1 << 20) / set_bytes);
  for (auto unused : state) {
    pass(arrays, passes);
    benchmark::ClobberMemory();
  }
  const int64_t moved_bytes = state.iterations() * passes * count * static_cast<int64_t>(arrays.each_bytes);
  state.SetBytesProcessed(moved_bytes);
  state.counters["traffic"] = benchmark::Counter(traffic_ratio * static_cast<double>(moved_bytes),
                                                 benchmark::Counter::kIsRate, benchmark::Counter::kIs1024);
}

void register_written(const harness::Streams& table, int64_t bytes) {
  const auto add = [&](const char* operation, const std::function<void(benchmark::State&)>& run) {
    benchmark::RegisterBenchmark(fmt::format("{}/{}/{}KiB", operation, table.isa, bytes >> 10).c_str(), run);
  };
  for (const auto& [name, store, ratio] :
       {std::tuple{"store", table.store, 2.0}, {"store_nt", table.store_nt, 1.0}}) {
    if (store == nullptr) continue;
    add(name, [store = store, ratio = ratio, bytes](benchmark::State& state) {
      written_stream(state, 1, ratio, bytes,
                     [&](const Arrays& a, int64_t passes) { store(a.at(0), a.each_bytes, passes, 1); });
    });
  }
  add("copy", [&table, bytes](benchmark::State& state) {
    written_stream(state, 2, 3.0 / 2, bytes, [&](const Arrays& a, int64_t passes) {
      table.copy(a.at(0), a.at(1), a.each_bytes, passes);
    });
  });
  add("triad", [&table, bytes](benchmark::State& state) {
    written_stream(state, 3, 4.0 / 3, bytes, [&](const Arrays& a, int64_t passes) {
      table.triad(a.at(0), a.at(1), a.at(2), a.each_bytes, 3, passes);
    });
  });
}

}  // namespace

void register_streams(const harness::CpuFeatures& features) {
  for (const harness::Streams& table : harness::streams_tables()) {
    if (!harness::runs_on(table, features)) continue;
    for (const int64_t bytes : sizes_bytes) {
      for (const auto& [name, loop] : {std::pair{"read", table.read}, {"read_ahead", table.read_ahead}}) {
        if (loop == nullptr) continue;
        benchmark::RegisterBenchmark(
            fmt::format("{}/{}/{}KiB", name, table.isa, bytes >> 10).c_str(),
            [loop = loop, bytes](benchmark::State& state) { read_stream(state, loop, bytes); });
      }
      register_written(table, bytes);
    }
  }
}

}  // namespace bench
