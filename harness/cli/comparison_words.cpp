#include "harness/cli/comparison_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/cli/foreign_text.hpp"

namespace cli {

std::string plain(const std::string& text) {
  return markdown_safe(text);
}

std::string ascii(std::string text) {
  static const std::pair<std::string, std::string> marks[] = {
      {"−", "-"}, {"±", "+/-"}, {"…", ".."}, {"→", "->"}};
  for (const auto& [mark, by] : marks) {
    for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += by.size())
      text.replace(at, mark.size(), by);
  }
  return text;
}

std::string percent(double ratio) {
  const double change = 100 * (ratio - 1);
  return fmt::format("{}{:.1f} %", change < -0.05 ? "−" : change > 0.05 ? "+" : "", std::abs(change));
}

std::string spelt(const std::string& word) {
  static const std::vector<std::pair<std::string, std::string>> texts{{"no_worse", "no worse"},
                                                                      {"only_old", "only in old"},
                                                                      {"only_new", "only in new"},
                                                                      {"cannot_tell", "cannot tell"}};
  const auto found =
      std::find_if(texts.begin(), texts.end(), [&](const auto& each) { return each.first == word; });
  return found == texts.end() ? word : found->second;
}

std::string word_text(const Terminal& terminal, const std::string& word) {
  const Colour colour = word == "regressed" || word == "wrong"          ? Colour::red
                        : word == "suspected" || word == "inconclusive" ? Colour::yellow
                        : word == "improved" || word == "no_worse"      ? Colour::green
                                                                        : Colour::plain;
  return paint(terminal, colour, spelt(word));
}

std::string how(const harness::DecodeKey& key) {
  std::string text = key.isa;
  if (key.arithmetic != "int8") text += " " + key.arithmetic;
  if (key.routing != "none") text += " " + key.routing;
  if (key.threads != 1) text += fmt::format(" {} threads", key.threads);
  if (key.page_bytes != 4096) text += " " + format_bytes(static_cast<double>(key.page_bytes)) + " pages";
  return text;
}

std::string mode_text(const harness::DecodeKey& key) {
  return key.placement == "none" ? key.mode : fmt::format("{} ({})", key.mode, key.placement);
}

nlohmann::ordered_json interval_json(const harness::Interval& interval) {
  return {{"median", interval.median}, {"low", interval.low}, {"high", interval.high}};
}

nlohmann::ordered_json key_json(const harness::DecodeKey& key) {
  return {{"model", key.model},
          {"mode", key.mode},
          {"placement", key.placement},
          {"isa", key.isa},
          {"arithmetic", key.arithmetic},
          {"weights", key.weights},
          {"routing", key.routing},
          {"threads", key.threads},
          {"page_bytes", key.page_bytes},
          {"core_kind", key.core_kind},
          {"position_first", key.position_first},
          {"position_last", key.position_last}};
}

}  // namespace cli
