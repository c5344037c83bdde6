// How a subcommand plugs in: it declares its options on the CLI11 app and says what to run when it is chosen.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "harness/cli/terminal.hpp"
#include "harness/error.hpp"

namespace cli {

/// What parsing fills in and main runs.
struct Invocation {
  Terminal terminal;
  std::function<harness::ExitCode()> action;  ///< of the chosen subcommand
};

/// Adds a subcommand whose --help ends with an example line.
CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& summary,
                      const std::string& example);

void add_info(CLI::App& app, Invocation& invocation);
void add_doctor(CLI::App& app, Invocation& invocation);
void add_probe(CLI::App& app, Invocation& invocation);
void add_models(CLI::App& app, Invocation& invocation);
void add_decode(CLI::App& app, Invocation& invocation);
void add_predict(CLI::App& app, Invocation& invocation);
void add_run(CLI::App& app, Invocation& invocation);
void add_claim(CLI::App& app, Invocation& invocation);
void add_compare(CLI::App& app, Invocation& invocation);
void add_counts(CLI::App& app, Invocation& invocation);
void add_regress(CLI::App& app, Invocation& invocation);
void add_bench(CLI::App& app, Invocation& invocation);
void add_explain(CLI::App& app, Invocation& invocation);
void add_score(CLI::App& app, Invocation& invocation);
void add_show(CLI::App& app, Invocation& invocation);
void add_validate(CLI::App& app, Invocation& invocation);
void add_import(CLI::App& app, Invocation& invocation);
void add_submit(CLI::App& app, Invocation& invocation);
void add_failure(CLI::App& app, Invocation& invocation);
void add_verify(CLI::App& app, Invocation& invocation);
void add_ingest(CLI::App& app, Invocation& invocation);
void add_store(CLI::App& app, Invocation& invocation);
void add_query(CLI::App& app, Invocation& invocation);
void add_launch(CLI::App& app, Invocation& invocation);  ///< hidden: what a child process runs

/// Writes a result to stdout and makes sure that it got there. Throws Error(store) when it did not (disk
/// full, …).
void print_result(const std::string& text);

/// Makes every option and argument of an application and its listed commands refuse an empty value (exit 2):
/// an unset variable of a script is no filter and no file.
void refuse_empty_values(CLI::App& app);

}  // namespace cli
