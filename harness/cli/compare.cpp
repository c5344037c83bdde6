// tokroof compare: is the second slower? Of two documents, two stores, or two executables that take turns.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "harness/cli/command.hpp"
#include "harness/cli/comparison_binaries.hpp"
#include "harness/cli/comparison_sides.hpp"
#include "harness/cli/named_output.hpp"
#include "harness/cli/parse.hpp"
#include "harness/cli/result_output.hpp"

namespace cli {
namespace {

using analysis::ComparedDecode;
using harness::Error;
using harness::ExitCode;

constexpr int sittings_that_confirm = 5;

struct CompareOptions {
  std::vector<std::string> names, confirm, modes;
  std::string margin = "3%", isa, positions, arithmetic, routing, pages, placement;
  int threads = 1;
  BinaryOptions binaries;
  std::string output;
  bool json = false, markdown = false;
};

/// All launches of a side; of several documents one value each, so that the scatter between sittings counts.
std::vector<ComparedDecode> united(const SideOfMachine& side, bool by_document) {
  std::vector<ComparedDecode> all;
  for (std::vector<ComparedDecode> document : side.documents) {
    for (ComparedDecode& decode : document) {
      if (by_document && !decode.tokens_per_s.empty())
        decode.tokens_per_s = {harness::median(decode.tokens_per_s)};
    }
    analysis::add_launch(all, document);
  }
  return all;
}

/// Which read roof moved between the sides, "" when none did: then it is not the kernel alone that changed.
std::string moved_roof(const SideOfMachine& before, const SideOfMachine& after) {
  constexpr double most = 0.05;  // as flags call roofs drifted (docs/flags.md)
  for (const auto& [name, rates] : before.roofs) {
    const auto found = after.roofs.find(name);
    if (found == after.roofs.end()) continue;
    const double ratio = harness::median(found->second) / harness::median(rates);
    if (std::abs(ratio - 1) > most)
      return fmt::format(
          "the read roof {} is {:.3f} of what it was: the machine changed, not the kernel alone", name,
          ratio);
  }
  return "";
}

ComparedMachine compare_machine(const std::string& key, const SideOfMachine& before,
                                const SideOfMachine& after, const analysis::ComparisonRule& rule) {
  const bool by_document = before.documents.size() > 1 || after.documents.size() > 1;
  ComparedMachine machine{key, after.cpu_model, by_document ? "document" : "launch", {}};
  machine.rows = analysis::compare_decodes(united(before, by_document), united(after, by_document),
                                           analysis::Pairing::independent, rule);
  const std::string moved = moved_roof(before, after);
  for (analysis::ComparedRow& row : machine.rows) {
    if (moved.empty() || row.word == "wrong" || row.word == "only_old" || row.word == "only_new") continue;
    row.word = "inconclusive";
    row.why = moved;
  }
  return machine;
}

ComparisonReport compare_sides(const Side& before, const Side& after, const analysis::ComparisonRule& rule) {
  ComparisonReport report;
  report.rule = rule;
  report.before = before.told;
  report.after = after.told;
  size_t elsewhere = 0;
  for (const auto& [key, side] : before.machines) {
    const auto same = after.machines.find(key);
    if (same == after.machines.end()) {
      ++elsewhere;
      continue;
    }
    report.machines.push_back(compare_machine(key, side, same->second, rule));
  }
  for (const auto& [key, side] : after.machines) elsewhere += before.machines.count(key) == 0 ? 1 : 0;
  if (report.machines.empty())
    throw Error(
        ExitCode::not_enough_data,
        "the two have no machine with decodes in common: a kernel is compared with itself on one machine");
  if (elsewhere > 0)
    report.notes.push_back(fmt::format("{} {} in one of the two only", elsewhere,
                                       elsewhere == 1 ? "machine is" : "machines are"));
  return report;
}

/// Says of each change that nobody has seen twice that it is not proven.
void doubt_what_was_seen_once(ComparedMachine& machine) {
  for (analysis::ComparedRow& row : machine.rows) {
    const bool many_sittings = machine.unit == "document" && row.change.old_count >= sittings_that_confirm &&
                               row.change.new_count >= sittings_that_confirm;
    if (row.again || many_sittings) continue;
    analysis::doubt(row, "seen in one pair: name a second one with --confirm OLD NEW");
  }
}

std::string copies_note(int copies) {
  return copies == 1 ? "1 document is a copy, or on both sides: it counts once"
                     : fmt::format("{} documents are copies, or on both sides: they count once", copies);
}

ComparisonReport compare_files(const CompareOptions& options, const analysis::ComparisonRule& rule) {
  const auto [before, after] = read_sides(options.names, {});
  ComparisonReport report = compare_sides(before, after, rule);
  if (before.copies + after.copies > 0) report.notes.push_back(copies_note(before.copies + after.copies));
  if (!options.confirm.empty()) {
    std::set<std::string> known = before.fingerprints;
    known.insert(after.fingerprints.begin(), after.fingerprints.end());
    const auto [before_again, after_again] = read_sides(options.confirm, known);
    const ComparisonReport again = compare_sides(before_again, after_again, rule);
    for (ComparedMachine& machine : report.machines) {
      for (const ComparedMachine& second : again.machines) {
        if (second.machine_key == machine.machine_key) analysis::confirm(machine.rows, second.rows);
      }
    }
  }
  for (ComparedMachine& machine : report.machines) doubt_what_was_seen_once(machine);
  return report;
}

void add_argument(std::vector<std::string>& arguments, const char* name, const std::string& value) {
  if (value.empty()) return;
  arguments.emplace_back(name);
  arguments.push_back(value);
}

/// Those of decode that tell what is decoded: `counts` has them, too.
std::vector<std::string> count_arguments(const CompareOptions& options) {
  std::vector<std::string> arguments;
  add_argument(arguments, "--isa", options.isa);
  add_argument(arguments, "--positions", options.positions);
  add_argument(arguments, "--arithmetic", options.arithmetic);
  add_argument(arguments, "--routing", options.routing);
  return arguments;
}

std::vector<std::string> decode_arguments(const CompareOptions& options) {
  std::vector<std::string> arguments = count_arguments(options);
  for (const std::string& mode : options.modes) add_argument(arguments, "--mode", mode);
  add_argument(arguments, "--pages", options.pages);
  add_argument(arguments, "--placement", options.placement);
  if (options.threads != 1) add_argument(arguments, "--threads", std::to_string(options.threads));
  return arguments;
}

ExitCode run(CompareOptions options, const Terminal& terminal) {
  analysis::ComparisonRule rule;
  rule.margin_ratio = parse_percent(options.margin, "--margin");
  check_named_outputs({{"--output", options.output}});
  ComparisonReport report;
  if (!options.binaries.binaries.empty()) {
    if (options.binaries.binaries.size() != 2)
      throw Error(ExitCode::usage, "--binary is given twice: the old one, then the new one");
    options.binaries.models =
        options.names.empty() ? std::vector<std::string>{"coreflow_1_9m"} : options.names;
    options.binaries.decode_arguments = decode_arguments(options);
    options.binaries.count_arguments = count_arguments(options);
    report = compare_binaries(options.binaries, rule, terminal);
  } else {
    if (options.names.size() != 2)
      throw Error(ExitCode::usage, "name two documents or two stores, or two executables with --binary");
    if (!decode_arguments(options).empty() || options.binaries.launches != 0)
      throw Error(ExitCode::usage,
                  "documents are compared as they are: --mode, --launches and the like go with --binary");
    report = compare_files(options, rule);
  }
  deliver(options.json ? to_json(report).dump(2) + "\n"
                       : to_text(terminal, report,
                                 options.markdown ? ComparisonFormat::markdown : ComparisonFormat::text),
          options.output);
  return outcome(report);
}

}  // namespace

void add_compare(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(
      app, "compare", "tells whether the second is slower, of two documents, stores or executables",
      "tokroof compare old.json new.json --confirm old2.json new2.json\n"
      "         tokroof compare --binary build/old/tokroof --binary build/new/tokroof moe_ternary_105m "
      "--mode evict_flush");
  auto options = std::make_shared<CompareOptions>();
  command->add_option(
      "NAME", options->names,
      "two documents or two stores; with --binary models (see tokroof models), coreflow_1_9m unless named");
  CLI::Option* binary = command
                            ->add_option("--binary", options->binaries.binaries,
                                         "an executable of tokroof; twice: the old one, then the new one")
                            ->allow_extra_args(false);
  command->add_option("--confirm", options->confirm, "a second pair of documents or stores, taken later")
      ->expected(2)
      ->excludes(binary);
  command->add_option("--margin", options->margin, "the slow-down from which on it is a regression")
      ->capture_default_str();
  command
      ->add_option("--launches", options->binaries.launches,
                   "rounds of one launch each, instead of asking a pilot")
      ->check(CLI::Range(2, 1000));
  command->add_option("--mode", options->modes, "as of decode; may be repeated")->allow_extra_args(false);
  command->add_option("--isa", options->isa, "as of decode");
  command->add_option("--positions", options->positions, "as of decode");
  command->add_option("--arithmetic", options->arithmetic, "as of decode");
  command->add_option("--routing", options->routing, "as of decode");
  command->add_option("--pages", options->pages, "as of decode");
  command->add_option("--placement", options->placement, "as of decode");
  command->add_option("--threads", options->threads, "as of decode")->check(CLI::Range(1, 1024));
  command->add_option("--seed", options->binaries.seed, "of the order in which the two take turns")
      ->capture_default_str();
  CLI::Option* json = command->add_flag("--json", options->json, "print JSON");
  command->add_flag("--markdown", options->markdown, "print a Markdown table")->excludes(json);
  command->add_option("--output", options->output, "write what is printed to this file, too");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options] { return run(*options, invocation.terminal); };
  });
}

}  // namespace cli
