// How comparisons of speeds are worded, on a terminal, in Markdown and in JSON.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "harness/cli/terminal.hpp"
#include "harness/statistics.hpp"
#include "harness/submission.hpp"

namespace cli {

/// Returns foreign text in one line: what could drive a terminal, or Markdown, is a question mark.
std::string plain(const std::string& text);
/// Returns what a terminal without UTF-8 shows.
std::string ascii(std::string text);
/// Returns a ratio as a change, "−5.0 %".
std::string percent(double ratio);
/// Returns a verdict's word as it is read: "no worse".
std::string spelt(const std::string& word);
/// The same in its colour.
std::string word_text(const Terminal& terminal, const std::string& word);
/// Returns what distinguishes a decode beyond model and mode: its ISA, and what is not as usual.
std::string how(const harness::DecodeKey& key);
std::string mode_text(const harness::DecodeKey& key);

nlohmann::ordered_json interval_json(const harness::Interval& interval);
nlohmann::ordered_json key_json(const harness::DecodeKey& key);

}  // namespace cli
