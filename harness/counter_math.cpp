#include "harness/counter_math.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace harness {
namespace {

// No x86-64 or Arm core retires more than 10 instructions per cycle today (Arm Cortex-X925); fused ones count
// once.
constexpr double max_instructions_per_cycle = 16;

const int64_t* find_count(const CounterValues& values, const char* event) {
  const auto found = values.find(event);
  return found == values.end() ? nullptr : std::get_if<int64_t>(&found->second);
}

}  // namespace

Reading<int64_t> checked_count(const std::string& event, long long count) {
  if (count >= 0) return int64_t{count};
  return Unavailable{fmt::format("{} came back as {}, which is no count", event, count)};
}

void check_counts(CounterValues& values) {
  const int64_t* cycles = find_count(values, "PAPI_TOT_CYC");
  const int64_t* instructions = find_count(values, "PAPI_TOT_INS");
  if (cycles == nullptr || instructions == nullptr || *instructions == 0) return;
  if (static_cast<double>(*instructions) <= max_instructions_per_cycle * static_cast<double>(*cycles)) return;
  const Unavailable reason{
      fmt::format("{} instructions in {} cycles contradict each other: no core retires more than {} "
                  "per cycle",
                  *instructions, *cycles, max_instructions_per_cycle)};
  values["PAPI_TOT_CYC"] = reason;
  values["PAPI_TOT_INS"] = reason;
}

std::string hardware_obstacle(const std::string& papi_reason, const std::string& paranoid) {
  if (paranoid.empty()) return "no perf events in this kernel";
  if (papi_reason.find("no default PMU") != std::string::npos) return "no PMU driver";
  if (std::atoi(paranoid.c_str()) > 2) return fmt::format("perf_event_paranoid is {}", paranoid);
  return papi_reason.empty() ? "PAPI gives no reason" : papi_reason;
}

}  // namespace harness
