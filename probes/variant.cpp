#include "probes/variant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "harness/error.hpp"

namespace probes {
namespace {

bool has_word(const std::string& words, const std::string& wanted) {
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    if (word == wanted) return true;
  }
  return false;
}

}  // namespace

std::vector<Variant> chosen_variants(const std::string& probe, const std::string& choices,
                                     const std::vector<Variant>& listed, const VariantChoice& choice) {
  const auto refuse_unless_known = [&](bool chosen, const char* name) {
    if (!chosen || has_word(choices, name)) return;
    throw harness::Error(harness::ExitCode::usage, fmt::format("{} takes no --{}", probe, name));
  };
  refuse_unless_known(choice.operation.has_value(), "operation");
  refuse_unless_known(choice.pages.has_value(), "pages");
  refuse_unless_known(choice.window_bytes.has_value(), "window");
  refuse_unless_known(choice.pool_bytes.has_value(), "pool");
  refuse_unless_known(choice.threads.has_value(), "threads");
  std::vector<Variant> chosen;
  for (Variant variant : listed) {
    variant.operation = choice.operation.value_or(variant.operation);
    variant.pages = choice.pages.value_or(variant.pages);
    variant.window_bytes = choice.window_bytes.value_or(variant.window_bytes);
    variant.pool_bytes = choice.pool_bytes.value_or(variant.pool_bytes);
    variant.threads = choice.threads.value_or(variant.threads);
    if (std::find(chosen.begin(), chosen.end(), variant) == chosen.end()) chosen.push_back(variant);
  }
  return chosen;
}

}  // namespace probes
