#include "harness/cli/comparison_binaries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "harness/cli/child.hpp"
#include "harness/cli/interrupt.hpp"

namespace cli {
namespace {

using analysis::ComparedDecode;
using harness::Error;
using harness::ExitCode;

constexpr int pilot_rounds = 5, least_rounds = 5, most_rounds = 30;

/// What both sides gave, side by side.
struct Rounds {
  std::vector<ComparedDecode> before, after;
};

/// Asks one binary for one launch.
class Binary {
 public:
  explicit Binary(std::string path) : path_(std::move(path)) {}

  /// Returns the decodes of one launch, as those of `round`. Throws Error(wrong_result) when it failed for
  /// wrong logits without a document that tells so, Error(unavailable) for any other failure.
  std::vector<ComparedDecode> launch(const std::string& model, const std::vector<std::string>& extra,
                                     int round) {
    std::vector<std::string> arguments{"decode", model, "--launches", "1", "--json"};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    const ProgramOutput output = run_program(path_, arguments);
    const bool wrong = output.exit_code == static_cast<int>(ExitCode::wrong_result);
    const bool answered =
        output.exit_code == 0 || wrong || output.exit_code == static_cast<int>(ExitCode::unavailable);
    const bool usage = output.exit_code == static_cast<int>(ExitCode::usage);
    if (!answered || output.text.empty())
      throw Error(wrong   ? ExitCode::wrong_result
                  : usage ? ExitCode::usage
                          : ExitCode::unavailable,
                  fmt::format("{} decode {}: exit code {}{}{}", path_, model, output.exit_code,
                              output.error.empty() ? "" : ": ", output.error));
    harness::Submission document;
    try {
      document = harness::submission_from_json(output.text);
    } catch (const Error& error) {
      throw Error(
          ExitCode::unavailable,
          fmt::format(
              "{} decode {}: its document cannot be read ({}); compare with the newer tokroof of the two",
              path_, model, error.what()));
    }
    suite = document.suite;
    machine = document.machine;
    std::vector<ComparedDecode> decodes = analysis::collect_decodes(document);
    for (ComparedDecode& decode : decodes) {
      decode.aa_ratios.clear();  // one launch, its arms always in the same order
      decode.rounds.assign(decode.tokens_per_s.size(), round);
    }
    if (wrong &&
        std::all_of(decodes.begin(), decodes.end(), [](const auto& each) { return each.wrong.empty(); }))
      throw Error(ExitCode::wrong_result,
                  fmt::format("{} decode {}: its timed tokens are not the expected ones", path_, model));
    return decodes;
  }

  harness::Suite suite;
  harness::Machine machine;

 private:
  std::string path_;
};

/// Takes turns on the two binaries.
class Turns {
 public:
  Turns(const BinaryOptions& options, const Terminal& terminal)
      : options_(options),
        terminal_(terminal),
        before(options.binaries[0]),
        after(options.binaries[1]),
        random_(options.seed) {}

  /// Takes so many rounds of a model; the order of each second round mirrors the one before it.
  Rounds take(const std::string& model, int rounds, const char* what) {
    Rounds taken;
    Progress progress(terminal_, rounds * seconds_per_round_);
    const auto start = std::chrono::steady_clock::now();
    bool old_first = false;
    for (int round = 0; round < rounds; ++round) {
      progress.show(fmt::format("{} {} {} of {}", model, what, round + 1, rounds),
                    static_cast<double>(round) / rounds);
      old_first = round % 2 == 0 ? random_.below(2) == 0 : !old_first;
      for (const bool is_old : {old_first, !old_first}) {
        analysis::add_launch(is_old ? taken.before : taken.after,
                             (is_old ? before : after).launch(model, options_.decode_arguments, round));
      }
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    seconds_per_round_ = took.count() / rounds;
    return taken;
  }

  [[nodiscard]] double seconds_per_round() const { return seconds_per_round_; }

 private:
  const BinaryOptions& options_;
  const Terminal& terminal_;

 public:
  Binary before, after;

 private:
  harness::SplitMix64 random_;
  double seconds_per_round_ = 0.5;
};

std::vector<analysis::ComparedRow> compare(const Rounds& rounds, const analysis::ComparisonRule& rule) {
  return analysis::compare_decodes(rounds.before, rounds.after, analysis::Pairing::rounds, rule);
}

bool has(const std::vector<analysis::ComparedRow>& rows, const char* word) {
  return std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.word == word; });
}

int planned_rounds(const Rounds& pilot, const analysis::ComparisonRule& rule) {
  int rounds = least_rounds;
  for (const ComparedDecode& old_side : pilot.before) {
    for (const ComparedDecode& new_side : pilot.after) {
      if (new_side.key != old_side.key) continue;
      const std::vector<double> ratios = analysis::round_ratios(old_side, new_side);
      if (ratios.size() < 2) continue;
      rounds = std::max(rounds, analysis::launches_for(ratios, rule, least_rounds, most_rounds));
    }
  }
  return rounds;
}

std::vector<analysis::ComparedRow> compare_model(Turns& turns, const BinaryOptions& options,
                                                 const std::string& model,
                                                 const analysis::ComparisonRule& rule) {
  int rounds = options.launches;
  if (rounds == 0) {
    const Rounds pilot = turns.take(model, pilot_rounds, "pilot");
    std::vector<analysis::ComparedRow> rows = compare(pilot, rule);
    if (has(rows, "wrong")) return rows;
    rounds = planned_rounds(pilot, rule);
    note(fmt::format("{}: {} rounds by the pilot's scatter, about {}; nothing else should run", model, rounds,
                     format_seconds(rounds * turns.seconds_per_round())));
  }
  std::vector<analysis::ComparedRow> rows = compare(turns.take(model, rounds, "round"), rule);
  if (!has(rows, "wrong") && (has(rows, "regressed") || has(rows, "improved")))
    analysis::confirm(rows, compare(turns.take(model, rounds, "again"), rule));
  return rows;
}

}  // namespace

ComparisonReport compare_binaries(const BinaryOptions& options, const analysis::ComparisonRule& rule,
                                  const Terminal& terminal) {
  note_interrupts();
  Turns turns(options, terminal);
  ComparisonReport report;
  report.rule = rule;
  ComparedMachine& machine = report.machines.emplace_back();
  machine.unit = "round";
  for (const std::string& model : options.models) {
    report.counts.push_back(
        ask_for_counts(options.binaries[0], options.binaries[1], model, options.count_arguments));
    for (analysis::ComparedRow& row : compare_model(turns, options, model, rule))
      machine.rows.push_back(std::move(row));
  }
  machine.machine_key = turns.after.machine.machine_key;
  machine.cpu_model =
      turns.after.machine.cpu_model.empty() ? turns.before.machine.cpu_model : turns.after.machine.cpu_model;
  report.before = {options.binaries[0], {turns.before.suite}, 0};
  report.after = {options.binaries[1], {turns.after.suite}, 0};
  report.pilot_rounds = options.launches == 0 ? pilot_rounds : 0;
  return report;
}

}  // namespace cli
