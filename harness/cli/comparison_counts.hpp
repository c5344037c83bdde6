// What a token is made of in two executables: compared as counts, which no noise can touch.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/cli/terminal.hpp"
#include "harness/cli/token_counts.hpp"

namespace cli {

/// One model, as both executables count it.
struct ComparedCounts {
  std::string model, isa;
  std::string word;  ///< "same" | "changed" | "unknown": one of the two cannot tell
  std::string why;   ///< unknown: who cannot, in its own words
  std::vector<CountChange> changes;
  /// Instructions of all counted tokens, 0 where the CPU tells none: shown, but no verdict of theirs, for a
  /// counter takes in what interrupts it.
  int64_t old_instructions = 0, new_instructions = 0;
};

/// Compares what two executables print for `counts MODEL --json`. Throws nothing: what cannot be read is
/// unknown.
ComparedCounts compare_counts(const std::string& model, const std::string& before, const std::string& after);

/// Asks both executables for the counts of a model. `arguments` are options of `counts`. One that has no such
/// command, or fails, leaves them unknown.
ComparedCounts ask_for_counts(const std::string& old_binary, const std::string& new_binary,
                              const std::string& model, const std::vector<std::string>& arguments);

/// Returns a line for each model, and one for each of the first changes; "" for none.
std::string to_text(const Terminal& terminal, const std::vector<ComparedCounts>& all);
nlohmann::ordered_json to_json(const std::vector<ComparedCounts>& all);

}  // namespace cli
