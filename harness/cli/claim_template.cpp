#include "harness/cli/claim_template.hpp"

#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

#include "analysis/claim_draft.hpp"

namespace cli {
namespace {

/// 90 days from now, at midnight.
std::string usual_due_utc() {
  constexpr std::time_t days = 90, seconds_per_day = 86'400;
  const std::time_t due = std::time(nullptr) + days * seconds_per_day;
  std::tm utc{};
  gmtime_r(&due, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT00:00:00Z", &utc);
  return text.data();
}

}  // namespace

std::string claim_template(const std::string& id) {
  return analysis::claim_draft(id, usual_due_utc()).dump(2) + "\n";
}

}  // namespace cli
