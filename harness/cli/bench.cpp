// tokroof bench: becomes tokroof_bench, the Google Benchmarks of streams and kernels, with the arguments
// given.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "harness/cli/command.hpp"
#include "harness/cli/measuring_lock.hpp"

namespace cli {
namespace {

/// Beside this executable when installed; in the folder bench beside its folder in a build tree. Returns ""
/// when it is in neither.
std::filesystem::path find_bench() {
  std::error_code unknown;
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
  for (const std::filesystem::path& path :
       {here / "tokroof_bench", here.parent_path() / "bench" / "tokroof_bench"}) {
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

harness::ExitCode bench(const std::vector<std::string>& arguments) {
  const MeasuringLock measuring;
  measuring.keep_over_exec();
  const std::filesystem::path path = find_bench();
  if (path.empty()) {
    throw harness::Error(
        harness::ExitCode::unavailable,
        "bench: there is no tokroof_bench beside this executable; build it (script/build release "
        "--target tokroof_bench)");
  }
  std::string name = path.string();
  std::vector<std::string> owned = arguments;
  std::vector<char*> argv = {name.data()};
  for (std::string& argument : owned) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execv(path.c_str(), argv.data());
  throw harness::Error(harness::ExitCode::unavailable,
                       fmt::format("bench: {} cannot be run ({})", name, std::strerror(errno)));
}

}  // namespace

void add_bench(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, "bench", "runs the Google Benchmarks of streams, kernels and whole tokens", "");
  command->footer(
      "All arguments go to tokroof_bench: --benchmark_list_tests, --benchmark_filter=REGEX,\n"
      "--benchmark_format=json, --benchmark_repetitions=N; or --pairs N alone, the interleaved\n"
      "comparison that script/bench-kernels prints.\n"
      "Example: tokroof bench --benchmark_filter='gemv_i8/.*/4096x144' --benchmark_format=json");
  command->prefix_command();
  command->callback([&invocation, command] {
    invocation.action = [arguments = command->remaining()] { return bench(arguments); };
  });
}

}  // namespace cli
