#include "harness/cli/comparison_counts.hpp"

#include <fmt/format.h>

#include "harness/cli/child.hpp"
#include "harness/cli/foreign_text.hpp"

namespace cli {
namespace {

using json = nlohmann::ordered_json;
using harness::Error;

/// The one entry of an answer. Throws Error(invalid_input) for anything else.
json only_entry(const std::string& answer) {
  const json all = json::parse(answer, nullptr, false);
  if (!all.is_array() || all.size() != 1)
    throw Error(harness::ExitCode::invalid_input, "its counts are no list of one model");
  return all[0];
}

int64_t instructions_of(const json& entry) {
  const auto found = entry.find("instructions");
  return found != entry.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
}

/// What an executable prints, or why it prints nothing.
harness::Reading<std::string> ask(const std::string& binary, const std::string& model,
                                  const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"counts", model, "--json"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const ProgramOutput output = run_program(binary, all);
  if (output.exit_code == 0) return output.text;
  return harness::Unavailable{fmt::format("{} counts {}: exit code {}{}{}", binary, model, output.exit_code,
                                          output.error.empty() ? "" : ": ", output.error)};
}

ComparedCounts unknown(const std::string& model, const std::string& why) {
  ComparedCounts counts;
  counts.model = model;
  counts.word = "unknown";
  counts.why = why;
  return counts;
}

}  // namespace

ComparedCounts compare_counts(const std::string& model, const std::string& before, const std::string& after) {
  ComparedCounts counts;
  counts.model = model;
  try {
    const json old_entry = only_entry(before), new_entry = only_entry(after);
    const auto old_figures = comparable_counts(old_entry), new_figures = comparable_counts(new_entry);
    counts.changes = count_changes(old_figures, new_figures);
    counts.isa = new_figures.at("isa");
    counts.old_instructions = instructions_of(old_entry);
    counts.new_instructions = instructions_of(new_entry);
  } catch (const std::exception& error) {
    return unknown(model, error.what());
  }
  counts.word = counts.changes.empty() ? "same" : "changed";
  return counts;
}

ComparedCounts ask_for_counts(const std::string& old_binary, const std::string& new_binary,
                              const std::string& model, const std::vector<std::string>& arguments) {
  const harness::Reading<std::string> before = ask(old_binary, model, arguments),
                                      after = ask(new_binary, model, arguments);
  for (const harness::Reading<std::string>* each : {&before, &after}) {
    if (!harness::available(*each)) return unknown(model, std::get<harness::Unavailable>(*each).reason);
  }
  return compare_counts(model, std::get<std::string>(before), std::get<std::string>(after));
}

std::string to_text(const Terminal& terminal, const std::vector<ComparedCounts>& all) {
  constexpr size_t most_shown = 8;
  std::string text;
  for (const ComparedCounts& counts : all) {
    if (counts.word == "unknown") {
      text += fmt::format("{} {}: work per token unknown: {}\n", mark_warning(terminal), counts.model,
                          one_line(counts.why));
      continue;
    }
    const std::string name = counts.model + " " + one_line(counts.isa);
    if (counts.word == "same") {
      text += fmt::format("{} {}: same work per token (bytes, multiply-adds, kernel calls, logits)\n",
                          mark_good(terminal), name);
    } else {
      text += fmt::format("{} {}: another work per token, {} figures changed\n", mark_warning(terminal), name,
                          counts.changes.size());
    }
    for (size_t i = 0; i < counts.changes.size() && i < most_shown; ++i)
      text += fmt::format("    {}: {} → {}\n", one_line(counts.changes[i].what),
                          one_line(counts.changes[i].before), one_line(counts.changes[i].after));
    if (counts.changes.size() > most_shown) text += "    … and more: --json\n";
    if (counts.old_instructions > 0 && counts.new_instructions > 0)
      text += fmt::format("    instructions: {} → {}\n", counts.old_instructions, counts.new_instructions);
  }
  return text;
}

json to_json(const std::vector<ComparedCounts>& all) {
  json made = json::array();
  for (const ComparedCounts& counts : all) {
    json entry = {{"model", counts.model}, {"isa", counts.isa}, {"word", counts.word}};
    if (!counts.why.empty()) entry["why"] = counts.why;
    json changes = json::array();
    for (const CountChange& change : counts.changes)
      changes.push_back({{"what", change.what}, {"old", change.before}, {"new", change.after}});
    entry["changes"] = std::move(changes);
    if (counts.old_instructions > 0) entry["old_instructions"] = counts.old_instructions;
    if (counts.new_instructions > 0) entry["new_instructions"] = counts.new_instructions;
    made.push_back(std::move(entry));
  }
  return made;
}

}  // namespace cli
