#include "harness/cli/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "harness/cli/parse.hpp"
#include "harness/error.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;

analysis::WhatIf::Level& level_of(analysis::WhatIf& what_if, const std::string& name) {
  const auto at = std::find_if(what_if.levels.begin(), what_if.levels.end(),
                               [&](const auto& level) { return level.first == name; });
  if (at != what_if.levels.end()) return at->second;
  return what_if.levels.emplace_back(name, analysis::WhatIf::Level{}).second;
}

template <class T>
void set_once(std::optional<T>& fact, T value, const std::string& what) {
  if (fact) throw Error(ExitCode::usage, what + " is given twice; which one holds?");
  fact = value;
}

void add(analysis::WhatIf& what_if, const std::string& key, const std::string& value) {
  const std::string what = "--what-if " + key;
  const bool cache = key == "l1" || key == "l2" || key == "l3";
  if (key == "clock") {
    set_once(what_if.clock_hz, parse_frequency(value, what), what);
  } else if (key == "dram" || (cache && value.ends_with("/s"))) {
    set_once(level_of(what_if, key).read_bytes_per_s, parse_rate(value, what), what);
  } else if (cache) {
    set_once(level_of(what_if, key).bytes, parse_bytes(value, what), what);
  } else {
    throw Error(ExitCode::usage,
                fmt::format("--what-if: there is no fact '{}'; give l1, l2 or l3 (a size or a rate), dram (a "
                            "rate) or clock (a frequency), e.g. l3=96MiB,dram=60GB/s",
                            key));
  }
}

}  // namespace

analysis::WhatIf parse_what_if(const std::string& text) {
  analysis::WhatIf what_if;
  std::istringstream list(text);
  for (std::string fact; std::getline(list, fact, ',');) {
    const size_t equals = fact.find('=');
    if (equals == std::string::npos || equals + 1 == fact.size()) {
      throw Error(ExitCode::usage,
                  fmt::format("--what-if '{}': want FACT=VALUE, e.g. l3=96MiB,dram=60GB/s", fact));
    }
    add(what_if, fact.substr(0, equals), fact.substr(equals + 1));
  }
  if (!text.empty() && what_if.empty())
    throw Error(ExitCode::usage, "--what-if: want FACT=VALUE, e.g. l3=96MiB,dram=60GB/s");
  return what_if;
}

}  // namespace cli
