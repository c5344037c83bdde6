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

void refuse_empty_values(CLI::App& app) {
  const CLI::Validator filled{[](std::string& text) {
                                return text.empty() ? std::string("is empty: give a value, or leave it out")
                                                    : "";
                              },
                              "", "filled"};
  for (CLI::Option* option : app.get_options()) {
    if (option->get_expected_min() > 0) option->check(filled);
  }
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    // What the program starts itself may hand on what is empty.
    if (!command->get_group().empty()) refuse_empty_values(*command);
  }
}

void print_result(const std::string& text) {
  const size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  if (written != text.size() || std::fflush(stdout) != 0) {
    throw harness::Error(harness::ExitCode::store,
                         fmt::format("stdout: cannot be written ({})", std::strerror(errno)));
  }
}

}  // namespace cli
