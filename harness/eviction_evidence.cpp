#include "harness/eviction_evidence.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>

namespace harness {
namespace {

/// A document holds a check per arm and launch: its numbers stand between spaces under one key, in this
/// order.
const std::string laps_key = "check_laps";  // checks, bytes; warm median, low, high; flushed …; first: ns
const std::string lines_key =
    "check_lines";  // threshold in ticks; cached, missed; flushed, missed; lines, cached
const std::string no_meter = "check_no_meter";
constexpr size_t longest_param = 128;

std::string text_of(std::initializer_list<double> numbers) {
  std::string text;
  for (const double number : numbers)
    text += fmt::format("{}{}", text.empty() ? "" : " ", static_cast<int64_t>(std::llround(number)));
  return text;
}

/// Returns exactly N whole numbers from a param, or Unavailable.
template <size_t N>
Reading<std::array<int64_t, N>> numbers_of(const EvidenceParams& params, const std::string& key) {
  const auto found = params.find(key);
  const auto* text = found == params.end() ? nullptr : std::get_if<std::string>(&found->second);
  if (text == nullptr) return Unavailable{key + " is missing"};
  std::array<int64_t, N> numbers{};
  const char *at = text->data(), *const end = at + text->size();
  for (size_t i = 0; i < N; ++i) {
    if (i > 0 && (at == end || *at++ != ' '))
      return Unavailable{fmt::format("{} holds no {} numbers", key, N)};
    const auto read = std::from_chars(at, end, numbers[i]);
    if (read.ec != std::errc{}) return Unavailable{fmt::format("{} holds no {} numbers", key, N)};
    at = read.ptr;
  }
  if (at != end) return Unavailable{fmt::format("{} holds more than {} numbers", key, N)};
  return numbers;
}

Interval interval_of(int64_t median, int64_t low, int64_t high) {
  return {static_cast<double>(median), static_cast<double>(low), static_cast<double>(high)};
}

/// Laps that were taken: some, of some bytes, medians within their intervals.
bool laps_are_possible(const std::array<int64_t, 9>& lap) {
  return lap[0] > 0 && lap[1] > 0 && lap[3] > 0 && lap[3] <= lap[2] && lap[2] <= lap[4] && lap[6] > 0 &&
         lap[6] <= lap[5] && lap[5] <= lap[7] && lap[8] > 0;
}

bool counts_are_possible(const ResidencyCalibration& calibration, const LineCount& seen) {
  return calibration.cached_missed >= 0 && calibration.cached_missed <= calibration.cached_lines &&
         calibration.flushed_missed >= 0 && calibration.flushed_missed <= calibration.flushed_lines &&
         seen.resident >= 0 && seen.resident <= seen.lines;
}

}  // namespace

Reading<EvictionVerdict> judge_eviction(const EvictionEvidence& evidence) {
  const auto cold_ns = cold_lap_ns(evidence.references);
  const auto* calibration = std::get_if<ResidencyCalibration>(&evidence.calibration);
  const bool meter_tells = calibration != nullptr && evidence.seen.lines > 0;
  if (!available(cold_ns) && !meter_tells) {
    return Unavailable{std::get<Unavailable>(cold_ns).reason +
                       (calibration == nullptr ? "; " + std::get<Unavailable>(evidence.calibration).reason
                                               : "; the meter saw no line")};
  }
  EvictionVerdict verdict;
  verdict.resident = Unavailable{"no line was looked at"};
  if (calibration == nullptr) verdict.resident = std::get<Unavailable>(evidence.calibration);
  if (meter_tells) {
    const Interval share = resident_fraction(*calibration, evidence.seen);
    verdict.resident = share;
    if (!is_cold(*calibration, evidence.seen)) {
      verdict.why = fmt::format("{:.0f} % [{:.0f}, {:.0f}] of the lines looked at were still cached",
                                share.median * 100, share.low * 100, share.high * 100);
    }
  }
  if (available(cold_ns) && evidence.first_lap_ns < std::get<double>(cold_ns)) {
    verdict.why +=
        fmt::format("{}the first lap took {:.0f} ns, a cold one takes {:.0f} ns or more",
                    verdict.why.empty() ? "" : "; ", evidence.first_lap_ns, std::get<double>(cold_ns));
  }
  verdict.evicted = verdict.why.empty();
  return verdict;
}

EvidenceParams evidence_params(const EvictionEvidence& evidence) {
  EvidenceParams params;
  const Interval &warm = evidence.references.warm_ns, &flushed = evidence.references.flushed_ns;
  params[laps_key] =
      text_of({static_cast<double>(evidence.checks), static_cast<double>(evidence.lap_bytes), warm.median,
               warm.low, warm.high, flushed.median, flushed.low, flushed.high, evidence.first_lap_ns});
  if (const auto* found = std::get_if<ResidencyCalibration>(&evidence.calibration)) {
    const auto number = [](int64_t value) { return static_cast<double>(value); };
    params[lines_key] =
        text_of({number(found->threshold_ticks), number(found->cached_lines), number(found->cached_missed),
                 number(found->flushed_lines), number(found->flushed_missed), number(evidence.seen.lines),
                 number(evidence.seen.resident)});
  } else {
    params[no_meter] = std::get<Unavailable>(evidence.calibration).reason.substr(0, longest_param);
  }
  return params;
}

Reading<EvictionEvidence> read_evidence(const EvidenceParams& params) {
  const auto laps = numbers_of<9>(params, laps_key);
  if (!available(laps)) return std::get<Unavailable>(laps);
  if (params.count(no_meter) + params.count(lines_key) != 1)
    return Unavailable{fmt::format("want either {} or {}", lines_key, no_meter)};
  EvictionEvidence evidence;
  const auto& lap = std::get<std::array<int64_t, 9>>(laps);
  if (!laps_are_possible(lap)) return Unavailable{laps_key + " holds impossible laps"};
  evidence.checks = lap[0];
  evidence.lap_bytes = lap[1];
  evidence.references = {interval_of(lap[2], lap[3], lap[4]), interval_of(lap[5], lap[6], lap[7])};
  evidence.first_lap_ns = static_cast<double>(lap[8]);
  const auto absent = params.find(no_meter);
  if (absent != params.end() && std::holds_alternative<std::string>(absent->second)) {
    evidence.calibration = Unavailable{std::get<std::string>(absent->second)};
    return evidence;
  }
  const auto lines = numbers_of<7>(params, lines_key);
  if (!available(lines)) return std::get<Unavailable>(lines);
  const auto& line = std::get<std::array<int64_t, 7>>(lines);
  const ResidencyCalibration calibration{line[0], line[1], line[2], line[3], line[4]};
  evidence.seen = {line[5], line[6]};
  if (!counts_are_possible(calibration, evidence.seen))
    return Unavailable{"the meter's counts contradict each other"};
  evidence.calibration = calibration;
  return evidence;
}

}  // namespace harness
