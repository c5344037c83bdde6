// Times one operation as a benchmark and reports what PAPI counted meanwhile.
#pragma once
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "harness/counters.hpp"
#include "models/kernels/kernels.hpp"
#include "models/kernels/select.hpp"

namespace bench {

/// What one call of an operation handles, by its contract.
struct Work {
  int64_t bytes = 0;    ///< read and written, each once
  int64_t macs = 0;     ///< multiply-adds
  int64_t weights = 0;  ///< weight codes read; 0: it has none
};

/// The counters of this process: PAPI runs one set of them at a time.
harness::Counters& counters();

/// Adds the work of all calls of a benchmark to the software-defined events.
void publish_work(int64_t calls, const Work& work);

/// Reports bytes and weights per second of `calls` calls, and each counter per call. What is unavailable is
/// left out, and said once on stderr.
void report(benchmark::State& state, const Work& work, const harness::CounterValues& counted);

/// Runs an operation as a benchmark. `make(kernels)` returns its input with call(), result() (the bytes it
/// left, as a string) and work(). A first call must leave the bytes that the scalar table does, else the
/// benchmark ends in an error.
template <class Make>
void run_operation(benchmark::State& state, const models::Kernels& kernels, bool& checked, const Make& make) {
  auto input = make(kernels);
  if (!checked) {
    auto expected = make(*models::kernel_tables().front());
    expected.call();
    input.call();
    checked = input.result() == expected.result();
    if (!checked) {
      state.SkipWithError("its result is not that of the scalar kernels");
      return;
    }
  }
  counters().start();
  for (auto unused : state) {
    input.call();
    benchmark::ClobberMemory();
  }
  publish_work(state.iterations(), input.work());
  report(state, input.work(), counters().stop());
}

/// Registers run_operation under "OPERATION/ISA/CASE".
template <class Make>
void register_operation(const std::string& operation, const models::Kernels& kernels,
                        const std::string& case_name, const Make& make) {
  const std::string name = operation + "/" + kernels.isa + "/" + case_name;
  benchmark::RegisterBenchmark(name.c_str(),
                               [&kernels, make, checked = false](benchmark::State& state) mutable {
                                 run_operation(state, kernels, checked, make);
                               });
}

/// The bytes of n values as a string, for comparing.
template <class T>
std::string bytes_of(const T* values, int n) {
  return {reinterpret_cast<const char*>(values), static_cast<size_t>(n) * sizeof(T)};
}

}  // namespace bench
