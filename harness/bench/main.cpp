// tokroof_bench: every read stream and decode kernel as a Google Benchmark, with its standard --benchmark_*
// flags; or, with --pairs N, the interleaved comparison that script/bench-kernels prints.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "harness/bench/pairs.hpp"
#include "harness/bench/register.hpp"
#include "harness/cpu_features.hpp"
#include "harness/error.hpp"
#include "harness/pinning.hpp"
#include "harness/topology.hpp"

namespace {

/// Counts runs that ended in an error, which Google Benchmark itself exits 0 for.
template <class Reporter>
class ErrorCounting : public Reporter {
 public:
  using Reporter::Reporter;
  void ReportRuns(const std::vector<benchmark::BenchmarkReporter::Run>& runs) override {
    for (const auto& run : runs) errors += run.error_occurred ? 1 : 0;
    Reporter::ReportRuns(runs);
  }
  int errors = 0;
};

/// Returns whether an argument chooses another display format than the console's: then Google Benchmark's own
/// reporter shows it.
bool wants_other_format(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with("--benchmark_format=") && argument != "--benchmark_format=console") return true;
  }
  return false;
}

int run(int argc, char** argv) {
  const bool json = wants_other_format(argc, argv);
  const std::optional<int> pairs = bench::parse_pairs(argc, argv);
  const harness::Topology topology = harness::read_host_topology();
  const harness::Pin pin(topology, harness::choose_pu(topology));
  const harness::CpuFeatures features = harness::read_cpu_features();
  if (pairs) {
    fmt::print("{}\n", bench::measure_pairs(features, *pairs, pin.pu()));
    return 0;
  }
  bench::register_streams(features);
  bench::register_kernels(features);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return static_cast<int>(harness::ExitCode::usage);
  const char* no_colour = std::getenv("NO_COLOR");
  const bool colour = isatty(STDOUT_FILENO) != 0 && (no_colour == nullptr || *no_colour == '\0');
  ErrorCounting<benchmark::ConsoleReporter> console(colour ? benchmark::ConsoleReporter::OO_ColorTabular
                                                           : benchmark::ConsoleReporter::OO_Tabular);
  ErrorCounting<benchmark::JSONReporter> json_reporter;
  benchmark::BenchmarkReporter* display = &console;
  if (json) display = &json_reporter;
  const size_t matched = benchmark::RunSpecifiedBenchmarks(display);
  if (matched == 0) {
    fmt::print(stderr,
               "tokroof_bench: error: nothing matches --benchmark_filter; list the names with "
               "--benchmark_list_tests\n");
    return static_cast<int>(harness::ExitCode::usage);
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    fmt::print(stderr, "tokroof_bench: error: the results cannot be written to stdout\n");
    return static_cast<int>(harness::ExitCode::store);
  }
  const int errors = console.errors + json_reporter.errors;
  if (errors > 0) {
    fmt::print(stderr, "tokroof_bench: error: {} benchmark(s) ended in an error\n", errors);
    return static_cast<int>(harness::ExitCode::internal);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const harness::Error& error) {
    fmt::print(stderr, "tokroof_bench: error: {}\n", error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "tokroof_bench: error: {}\n", error.what());
    return static_cast<int>(harness::ExitCode::internal);
  }
}
