#include "analysis/cpu_catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/error.hpp"
#include "harness/nearest_name.hpp"

namespace analysis {
namespace {

using nlohmann::json;

Provenance provenance_of(const json& fact) {
  return {fact.value("source", ""), fact.value("unverified", "")};
}

CpuCache cache_of(const json& cache) {
  return {cache.at("level"), cache.at("bytes"), cache.at("instances"), provenance_of(cache)};
}

CpuKind kind_of(const json& text) {
  CpuKind kind;
  kind.kind = text.at("kind");
  kind.microarchitecture = text.at("microarchitecture");
  kind.cores = text.at("cores");
  kind.threads = text.at("threads");
  kind.base_hz = text.at("clock").value("base_hz", 0.0);
  kind.boost_hz = text.at("clock").value("boost_hz", 0.0);
  kind.clock = provenance_of(text.at("clock"));
  for (const json& cache : text.at("caches")) kind.caches.push_back(cache_of(cache));
  return kind;
}

Cpu cpu_of(const json& text) {
  Cpu cpu;
  cpu.name = text.at("name");
  cpu.vendor = text.at("vendor");
  cpu.codename = text.at("codename");
  cpu.note = text.value("note", "");
  cpu.cores = text.at("cores");
  cpu.threads = text.at("threads");
  for (const json& kind : text.at("kinds")) cpu.kinds.push_back(kind_of(kind));
  const json& memory = text.at("memory");
  cpu.memory.channels = memory.at("channels");
  cpu.memory.types = memory.at("types");
  cpu.memory.slowest_transfers_per_s = memory.at("transfers_per_s").at(0);
  cpu.memory.fastest_transfers_per_s = memory.at("transfers_per_s").at(1);
  cpu.memory.provenance = provenance_of(memory);
  return cpu;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// "12-core", "13th" and the like: words that are no part of a maker's name for the CPU.
bool is_aside(const std::string& word) {
  static const std::array<std::string_view, 5> asides = {"cpu", "processor", "gen", "apu", "@"};
  if (std::find(asides.begin(), asides.end(), word) != asides.end()) return true;
  if (word.empty() || std::isdigit(static_cast<unsigned char>(word[0])) == 0) return false;
  return word.ends_with("-core") || word.ends_with("th") || word.ends_with("ghz");
}

bool contains_all(const std::vector<std::string>& words, const std::vector<std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&words](const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  });
}

}  // namespace

const std::vector<Cpu>& cpu_catalogue() {
  static const std::vector<Cpu> cpus = [] {
    std::vector<Cpu> made;
    try {
      const json document = json::parse(catalogue_text("cpus"));
      for (const json& cpu : document.at("cpus")) made.push_back(cpu_of(cpu));
    } catch (const json::exception& wrong) {
      throw harness::Error(harness::ExitCode::internal,
                           fmt::format("analysis/cpus.json, compiled in: {}", wrong.what()));
    }
    return made;
  }();
  return cpus;
}

std::string plain_cpu_name(std::string_view name) {
  std::string text;
  for (const char c : name.substr(0, 200))
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view mark : {"(r)", "(tm)"}) {
    for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark))
      text.replace(at, mark.size(), " ");
  }
  for (const std::string_view rest : {" with ", " w/ ", " @"}) text = text.substr(0, text.find(rest));
  std::string plain;
  for (const std::string& word : words_of(text)) {
    if (is_aside(word)) continue;
    if (!plain.empty()) plain += ' ';
    plain += word;
  }
  return plain;
}

std::vector<const Cpu*> find_cpus(std::string_view name) {
  const std::string plain = plain_cpu_name(name);
  const std::vector<std::string> wanted = words_of(plain);
  std::vector<const Cpu*> found;
  if (wanted.empty()) return found;
  for (const Cpu& cpu : cpu_catalogue()) {
    const std::string known = plain_cpu_name(cpu.name);
    if (known == plain) return {&cpu};
    if (contains_all(words_of(known), wanted)) found.push_back(&cpu);
  }
  return found;
}

std::vector<std::string> nearest_cpus(std::string_view name, size_t count) {
  std::vector<std::string> known, nearest;
  for (const Cpu& cpu : cpu_catalogue()) known.push_back(plain_cpu_name(cpu.name));
  const std::string plain = plain_cpu_name(name);
  // The part that tells models apart is compared too: people leave "AMD Ryzen 5" out.
  const auto last_word = [](const std::string& text) { return text.substr(text.rfind(' ') + 1); };
  for (const bool whole : {true, false}) {
    std::vector<std::string> forms;
    forms.reserve(known.size());
    for (const std::string& text : known) forms.push_back(whole ? text : last_word(text));
    const std::string wanted = whole ? plain : last_word(plain);
    std::vector<std::string_view> left(forms.begin(), forms.end());
    while (nearest.size() < count) {
      const std::string best = harness::nearest_name(wanted, left);
      const auto at = std::find(left.begin(), left.end(), std::string_view(best));
      if (best.empty() || at == left.end()) break;
      const std::string& found = cpu_catalogue()[static_cast<size_t>(at - left.begin())].name;
      if (std::find(nearest.begin(), nearest.end(), found) == nearest.end()) nearest.push_back(found);
      *at = "";  // an empty name is near to nothing
    }
  }
  return nearest;
}

}  // namespace analysis
