#include "harness/cli/command.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace cli {

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& summary,
                      const std::string& example) {
  CLI::App* command = app.add_subcommand(name, summary);
  command->footer("Example: " + example);
  return command;
}

void print_result(const std::string& text) {
  const size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  if (written != text.size() || std::fflush(stdout) != 0) {
    throw harness::Error(harness::ExitCode::store,
                         fmt::format("stdout: cannot be written ({})", std::strerror(errno)));
  }
}

}  // namespace cli
