// What the catalogue and the priors were read in.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "analysis/cpu_catalogue.hpp"
#include "harness/error.hpp"

namespace analysis {

using nlohmann::json;

const std::map<std::string, Reference>& references() {
  static const std::map<std::string, Reference> all = [] {
    std::map<std::string, Reference> made;
    for (const char* file : {"cpus", "microarchitectures"}) {
      try {
        const json document = json::parse(catalogue_text(file));
        for (const auto& [key, source] : document.at("sources").items())
          made.emplace(key, Reference{source.at("title"), source.value("where", "")});
      } catch (const json::exception& wrong) {
        throw harness::Error(harness::ExitCode::internal,
                             fmt::format("analysis/{}.json, compiled in: {}", file, wrong.what()));
      }
    }
    return made;
  }();
  return all;
}

std::vector<std::string> references_in(std::string_view text) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::vector<std::string> keys;
  for (size_t at = 0; at < text.size();) {
    if (!is_part(text[at])) {
      ++at;
      continue;
    }
    const auto* end = std::find_if_not(text.begin() + at, text.end(), is_part);
    const std::string word(text.begin() + at, end);
    if (references().count(word) > 0 && std::find(keys.begin(), keys.end(), word) == keys.end())
      keys.push_back(word);
    at = static_cast<size_t>(end - text.begin());
  }
  return keys;
}

}  // namespace analysis
