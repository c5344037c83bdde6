#include "harness/cli/claim_numbers.hpp"

#include <fmt/format.h>

#include <cmath>

#include "analysis/verdict.hpp"
#include "harness/cli/terminal.hpp"

namespace cli {

/// Four digits, or whole thousands.
std::string number_text(double value) {
  constexpr double many = 10'000;
  return value >= many ? format_count(value) : fmt::format("{:.4g}", value);
}

std::string interval_text(double median, double low, double high) {
  return fmt::format("{} [{} – {}]", number_text(median), number_text(low), number_text(high));
}

std::string interval_text(const harness::Interval& interval) {
  return interval_text(interval.median, interval.low, interval.high);
}

std::string region_text(double low, double high) {
  if (std::isinf(high)) return "≥ " + number_text(low);
  if (low <= 0) return "≤ " + number_text(high);
  return number_text(low) + " – " + number_text(high);
}

std::string run_command(const analysis::Claim& claim) {
  return analysis::is_census(claim) ? fmt::format("tokroof claim verdict {}", claim.id)
                                    : fmt::format("tokroof run --claim {}", claim.id);
}

}  // namespace cli
