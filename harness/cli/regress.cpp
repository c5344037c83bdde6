// tokroof regress: did a decode become slower over the commits that a store holds?
#include <fmt/format.h>

#include <cctype>
#include <memory>
#include <sstream>

#include "analysis/commit_order.hpp"
#include "analysis/speed_history.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/named_output.hpp"
#include "harness/cli/parse.hpp"
#include "harness/cli/regression_ci.hpp"
#include "harness/cli/regression_report.hpp"
#include "harness/cli/result_output.hpp"
#include "harness/cli/session.hpp"
#include "harness/store.hpp"
#include "harness/user_file.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;

constexpr size_t max_commits_bytes = size_t{64} << 20;
constexpr size_t least_commit_digits = analysis::shown_commit_digits;

struct RegressOptions {
  std::string database, margin = "3%", since, commits, junit, output;
  harness::HistoryFilter filter;
  uint64_t seed = 1;
  bool json = false, points = false, github = false;
  RegressionForm form;
};

/// Reads hashes, oldest first, as git log --reverse --format=%H prints them.
std::vector<std::string> read_commits(const std::string& path) {
  std::istringstream lines(harness::read_user_file(path, max_commits_bytes));
  std::vector<std::string> commits;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const size_t end = line.find_first_of(" \t\r");
    const std::string hash = line.substr(0, end);
    if (hash.empty()) continue;
    if (hash.size() < least_commit_digits || hash.find_first_not_of("0123456789abcdef") != std::string::npos)
      throw Error(
          ExitCode::invalid_input,
          fmt::format("{}:{}: no commit: want a hash of at least {} digits per line, oldest first, as git "
                      "log --reverse --format=%H prints them",
                      path, number, least_commit_digits));
    commits.push_back(hash);
  }
  if (commits.empty()) throw Error(ExitCode::invalid_input, path + ": holds no commits");
  return commits;
}

void check_since(const std::string& since) {
  const bool commit = since.size() >= 4 && since.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!since.empty() && !commit && !analysis::is_time(since))
    throw Error(
        ExitCode::usage,
        fmt::format("--since '{}': want a day (2026-01-31), a UTC time (2026-01-31T12:00:00Z) or the first "
                    "digits of a commit",
                    since));
}

RegressionReport make_report(const RegressOptions& options) {
  RegressionReport report;
  report.store = store_path(options.database);
  report.since = options.since;
  report.rule.margin_ratio = parse_percent(options.margin, "--margin");
  report.rule.change.seed = options.seed;
  analysis::HistoryRule reading;
  reading.since = options.since;
  if (!options.commits.empty()) reading.commits = read_commits(options.commits);
  harness::Store store = harness::Store::open_existing(report.store);
  analysis::SeriesOfHistory history =
      analysis::series_of(harness::read_history(store, options.filter), reading);
  if (history.series.empty()) {
    std::string why = "no stored run has a decode of that kind; tokroof query decode shows what there is";
    for (const auto& [reason, count] : history.left_out)
      why = fmt::format("no figure is left: {} were left out, e.g. {}", count, reason);
    throw Error(ExitCode::not_enough_data, report.store + ": " + why);
  }
  if (!history.since_found)
    throw Error(ExitCode::not_enough_data,
                fmt::format("{}: nothing was measured since '{}', and no commit that was measured begins so",
                            report.store, options.since));
  report.series = std::move(history.series);
  report.left_out = std::move(history.left_out);
  report.commits = history.commits;
  report.verdicts = analysis::judge_series(report.series, report.rule);
  report.kernels = analysis::judge_kernels(report.series, report.verdicts, report.rule);
  return report;
}

CLI::Validator natural() {
  return {[](std::string& text) {
            const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
            return digits ? std::string() : "'" + text + "' is no natural number";
          },
          "", "natural"};
}

ExitCode run(const RegressOptions& options, const Terminal& terminal) {
  check_since(options.since);
  check_named_outputs({{"--junit", options.junit}, {"--output", options.output}});
  const RegressionReport report = make_report(options);
  if (!options.junit.empty()) write_named_output(options.junit, to_junit(report));
  deliver(options.json     ? to_json(report, options.points).dump(2) + "\n"
          : options.github ? to_annotations(report)
                           : to_text(terminal, report, options.form),
          options.output);
  return outcome(report);
}

void add_forms(CLI::App& command, RegressOptions& options) {
  CLI::Option* json = command.add_flag("--json", options.json, "print JSON");
  command.add_flag("--points", options.points, "with every sitting of every series")->needs(json);
  CLI::Option* markdown =
      command.add_flag("--markdown", options.form.markdown, "print Markdown")->excludes(json);
  command.add_flag("--github", options.github, "print annotations of a GitHub workflow")
      ->excludes(json)
      ->excludes(markdown);
  command.add_flag("--all", options.form.all, "list series that are no worse, too, however many there are")
      ->excludes(json);
  command.add_option("--junit", options.junit, "write JUnit XML to this file besides");
  command.add_option("--output", options.output, "write what is printed to this file, too");
}

}  // namespace

void add_regress(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(
      app, "regress",
      "tells which decodes became slower over the commits that a store holds, and on which machines",
      "tokroof regress --since 2026-11-01 --junit regress.xml");
  auto options = std::make_shared<RegressOptions>();
  command->add_option("--store,--db", options->database, "store instead of $TOKROOF_HOME/store.sqlite");
  command->add_option("--margin", options->margin, "the slow-down from which on it is a regression")
      ->capture_default_str();
  command->add_option(
      "--since", options->since,
      "judge only changes since a day, a UTC time or a commit; what is older is the baseline");
  command->add_option("--model", options->filter.model, "only decodes of this model");
  command->add_option("--mode", options->filter.mode, "only this mode, such as warm or evict_flush");
  command->add_option("--isa", options->filter.isa, "only kernels of this ISA");
  command->add_option("--machine", options->filter.machine_key_prefix,
                      "only runs of this machine: the first digits of its key (tokroof store list)");
  command->add_option(
      "--commits", options->commits,
      "the order of commits: a file of hashes, oldest first (git log --reverse --format=%H); others "
      "are left out");
  command->add_option("--seed", options->seed, "of the permutations")
      ->capture_default_str()
      ->check(natural());
  add_forms(*command, *options);
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options] { return run(*options, invocation.terminal); };
  });
}

}  // namespace cli
