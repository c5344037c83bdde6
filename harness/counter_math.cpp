#include "harness/counter_math.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace harness {
namespace {

// No x86-64 or Arm core retires more than 10 instructions per cycle today (Arm Cortex-X925); fused ones count
// once.
constexpr double max_instructions_per_cycle = 16;
// A gather of sixteen elements touches as many lines (Intel 64 and IA-32 SDM, VGATHERDPS); nothing loads
// more.
constexpr double max_loads_per_instruction = 16;

const int64_t* find_count(const CounterValues& values, const char* event) {
  const auto found = values.find(event);
  return found == values.end() ? nullptr : std::get_if<int64_t>(&found->second);
}

/// Takes away misses of which there are more than loads: those that were counted, or what the instructions
/// could have loaded at most.
void check_misses(CounterValues& values) {
  const int64_t* loads = find_count(values, "PAPI_LD_INS");
  const int64_t* instructions = find_count(values, "PAPI_TOT_INS");
  if (loads == nullptr && instructions == nullptr) return;
  const double most =
      loads ? static_cast<double>(*loads) : max_loads_per_instruction * static_cast<double>(*instructions);
  const std::string limit = loads ? fmt::format("{} loads", *loads)
                                  : fmt::format("{} instructions of at most {} loads each", *instructions,
                                                max_loads_per_instruction);
  for (const char* event : {"PAPI_L1_DCM", "PAPI_L2_TCM", "PAPI_L3_TCM", "PAPI_TLB_DM"}) {
    const int64_t* misses = find_count(values, event);
    if (misses == nullptr || static_cast<double>(*misses) <= most) continue;
    values[event] = Unavailable{fmt::format("{} misses are more than {} can make", *misses, limit)};
  }
}

}  // namespace

Reading<int64_t> checked_count(const std::string& event, long long count) {
  if (count >= 0) return int64_t{count};
  return Unavailable{fmt::format("{} came back as {}, which is no count", event, count)};
}

void check_counts(CounterValues& values) {
  check_misses(values);
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

std::optional<int64_t> last_level_misses(const CounterValues& values, int level) {
  const int64_t* count = find_count(values, fmt::format("PAPI_L{}_TCM", level).c_str());
  if (count == nullptr) return std::nullopt;
  return *count;
}

std::string hardware_obstacle(const std::string& papi_reason, const std::string& paranoid) {
  if (papi_reason.rfind("PAPI", 0) == 0) return papi_reason;  // it fails itself: the kernel was not asked
  if (paranoid.empty()) return "no perf events in this kernel";
  if (papi_reason.find("no default PMU") != std::string::npos) return "no PMU driver";
  if (std::atoi(paranoid.c_str()) > 2) return fmt::format("perf_event_paranoid is {}", paranoid);
  return papi_reason.empty() ? "PAPI gives no reason" : papi_reason;
}

}  // namespace harness
