// tokroof: the executable. Parses, runs the chosen subcommand, and turns errors into one line and an exit
// code.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <ios>
#include <iostream>
#include <string_view>
#include <system_error>
#include <vector>

#include "harness/build_info.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/interrupt.hpp"
#include "harness/nearest_name.hpp"

namespace cli {
namespace {

void add_commands(CLI::App& app, Invocation& invocation) {
  add_info(app, invocation);
  add_doctor(app, invocation);
  add_probe(app, invocation);
  add_models(app, invocation);
  add_decode(app, invocation);
  add_predict(app, invocation);
  add_run(app, invocation);
  add_claim(app, invocation);
  add_compare(app, invocation);
  add_counts(app, invocation);
  add_regress(app, invocation);
  add_bench(app, invocation);
  add_explain(app, invocation);
  add_validate(app, invocation);
  add_import(app, invocation);
  add_failure(app, invocation);
  add_submit(app, invocation);
  add_verify(app, invocation);
  add_ingest(app, invocation);
  add_store(app, invocation);
  add_show(app, invocation);
  add_query(app, invocation);
  add_score(app, invocation);
  add_launch(app, invocation);
}

/// Says what a command line that cannot be parsed should have been.
std::string parse_advice(const CLI::App& app, const CLI::ParseError& error,
                         const std::vector<std::string>& args) {
  std::vector<std::string> owned;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) owned.push_back(command->get_name());
  }
  const std::vector<std::string_view> names(owned.begin(), owned.end());
  const std::string first = args.empty() ? "" : args[0];
  const bool known = std::find(names.begin(), names.end(), first) != names.end();
  if (!known && !first.empty() && first[0] != '-') {
    return fmt::format("there is no command '{}'{}. See tokroof --help.", first,
                       harness::did_you_mean(first, names));
  }
  std::string line = error.what();
  while (!line.empty() && (line.back() == '\n' || line.back() == '.')) line.pop_back();
  return fmt::format("{}. See tokroof {}--help.", line, known ? first + " " : "");
}

harness::ExitCode fail(harness::ExitCode code, std::string_view message) {
  print_aside(fmt::format("tokroof: error: {}\n", message));
  return code;
}

harness::ExitCode run(const CLI::App& app, const Invocation& invocation) {
  try {
    if (!invocation.action) {
      print_result(app.help());
      return harness::ExitCode::usage;
    }
    return invocation.action();
  } catch (const Interrupted& interrupted) {
    return fail(harness::ExitCode::interrupted, interrupted.what());
  } catch (const harness::Error& error) {
    return fail(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(harness::ExitCode::unavailable,
                "not enough memory: free some, or measure less (--quick, --size)");
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(harness::ExitCode::invalid_input, fmt::format("a file or folder: {}", error.what()));
  } catch (const std::ios_base::failure& error) {
    return fail(harness::ExitCode::invalid_input,
                fmt::format("a file cannot be read or written (is it a folder?): {}", error.what()));
  } catch (const std::system_error& error) {  // threads and the like: a limit of this system
    return fail(
        harness::ExitCode::unavailable,
        fmt::format("the system refuses a thread or another resource ({}): raise its limit (ulimit -u, "
                    "the container's pids limit)",
                    error.what()));
  } catch (const std::exception& error) {
    return fail(
        harness::ExitCode::internal,
        fmt::format("internal: {}. Please report it with the output of 'tokroof info'.", error.what()));
  }
}

}  // namespace
}  // namespace cli

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of one line, not the end
  const harness::BuildInfo build = harness::build_info();
  CLI::App app{
      "Measures a CPU, forecasts small-LLM decode from what it measured, decodes, and says how far off it "
      "was.",
      "tokroof"};
  app.set_version_flag("--version", fmt::format("tokroof {} ({:.12}{}, {})", build.version, build.git_commit,
                                                build.git_dirty ? ", modified" : "", build.compiler));
  app.footer(
      "Example: tokroof run --quick\nResults go to stdout, everything else to stderr. Exit codes: "
      "docs/exit-codes.md.");
  cli::Invocation invocation;
  invocation.terminal = cli::read_terminal();
  cli::add_commands(app, invocation);
  cli::refuse_empty_values(app);
  app.require_subcommand(0, 1);  // else `query models` would be taken for the commands query and models
  const std::vector<std::string> args(argv + 1, argv + argc);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    app.exit(asked);
    std::cout.flush();
    return std::cout.good()
               ? 0
               : static_cast<int>(cli::fail(harness::ExitCode::store, "stdout: cannot be written"));
  } catch (const CLI::ParseError& error) {  // CLI11's own codes are 100…127; ours is 2
    return static_cast<int>(cli::fail(harness::ExitCode::usage, cli::parse_advice(app, error, args)));
  } catch (const harness::Error& error) {  // an option whose value is read while it is parsed
    return static_cast<int>(cli::fail(error.code(), error.what()));
  }
  return static_cast<int>(cli::run(app, invocation));
}
