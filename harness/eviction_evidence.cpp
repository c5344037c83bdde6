#include "harness/eviction_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "harness/line_looks.hpp"

namespace harness {

bool evicts_weights(const std::string& mode) {
  return mode == "evict_flush" || mode == "evict_stream";
}

Reading<std::vector<int64_t>> numbers_between_spaces(const EvidenceParams& params, const std::string& key) {
  const auto found = params.find(key);
  const auto* text = found == params.end() ? nullptr : std::get_if<std::string>(&found->second);
  if (text == nullptr) return Unavailable{key + " is missing"};
  std::vector<int64_t> numbers;
  const char *at = text->data(), *const end = at + text->size();
  for (;;) {
    const auto read = std::from_chars(at, end, numbers.emplace_back());
    if (read.ec != std::errc{}) return Unavailable{key + " holds what is no number"};
    at = read.ptr;
    if (at == end) return numbers;
    if (*at++ != ' ') return Unavailable{key + " holds what is no number"};
  }
}

namespace {

/// A document holds checks per arm and launch: their numbers stand between spaces under one key, in this
/// order.
const std::string each_lap_key = "check_times";   // bytes; then of each check: warm, flushed, first lap in ns
const std::string each_look_key = "check_looks";  // threshold in ticks; cached, missed; flushed, missed;
                                                  // lines per look; cached of each look
// The same summed up, as documents of before hold it.
const std::string laps_key = "check_laps";  // checks, bytes; warm median, low, high; flushed …; first: ns
const std::string lines_key =
    "check_lines";  // threshold in ticks; cached, missed; flushed, missed; lines, cached
const std::string no_meter = "check_no_meter";
constexpr size_t longest_param = 128;

std::string text_of(const std::vector<int64_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, " "));
}

/// Returns exactly N whole numbers from a param, or Unavailable.
template <size_t N>
Reading<std::array<int64_t, N>> numbers_of(const EvidenceParams& params, const std::string& key) {
  const auto all = numbers_between_spaces(params, key);
  if (!available(all)) return std::get<Unavailable>(all);
  const auto& read = std::get<std::vector<int64_t>>(all);
  if (read.size() != N) return Unavailable{fmt::format("{} holds {} numbers, not {}", key, read.size(), N)};
  std::array<int64_t, N> numbers{};
  std::copy(read.begin(), read.end(), numbers.begin());
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

void sum_up(EvictionEvidence& evidence) {
  std::vector<double> warm, flushed, first;
  for (const CheckLaps& laps : evidence.laps) {
    warm.push_back(static_cast<double>(laps.warm_ns));
    flushed.push_back(static_cast<double>(laps.flushed_ns));
    first.push_back(static_cast<double>(laps.first_ns));
  }
  evidence.checks = static_cast<int64_t>(evidence.laps.size());
  if (!evidence.laps.empty()) {
    evidence.references = {sign_interval(warm), sign_interval(flushed)};
    evidence.first_lap_ns = median(first);
  }
  evidence.seen = total_of(evidence.looks);
}

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
    // Of several looks the interval is theirs: their lines are no independent witnesses.
    const bool singly = evidence.looks.size() > 1;
    const Interval share = singly ? share_of_looks(*calibration, evidence.looks)
                                  : resident_fraction(*calibration, evidence.seen);
    verdict.resident = share;
    if (!(singly ? is_cold(*calibration, evidence.looks) : is_cold(*calibration, evidence.seen))) {
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
  std::vector<int64_t> times{evidence.lap_bytes};
  for (const CheckLaps& laps : evidence.laps)
    times.insert(times.end(), {laps.warm_ns, laps.flushed_ns, laps.first_ns});
  params[each_lap_key] = text_of(times);
  const auto* found = std::get_if<ResidencyCalibration>(&evidence.calibration);
  if (found != nullptr && evidence.seen.lines == 0) {
    params[no_meter] = std::string("no line was looked at");
  } else if (found != nullptr) {
    std::vector<int64_t> lines{
        found->threshold_ticks, found->cached_lines,
        found->cached_missed,   found->flushed_lines,
        found->flushed_missed,  evidence.looks.empty() ? 0 : evidence.looks.front().lines};
    for (const LineCount& look : evidence.looks) lines.push_back(look.resident);
    params[each_look_key] = text_of(lines);
  } else {
    params[no_meter] = std::get<Unavailable>(evidence.calibration).reason.substr(0, longest_param);
  }
  return params;
}

namespace {

/// Reads what each check gave.
Reading<EvictionEvidence> read_each_check(const EvidenceParams& params) {
  const auto times = numbers_between_spaces(params, each_lap_key);
  if (!available(times)) return std::get<Unavailable>(times);
  if (params.count(no_meter) + params.count(each_look_key) != 1)
    return Unavailable{fmt::format("want either {} or {}", each_look_key, no_meter)};
  const auto& time = std::get<std::vector<int64_t>>(times);
  EvictionEvidence evidence;
  evidence.lap_bytes = time.front();
  if (time.size() < 4 || time.size() % 3 != 1 ||
      std::any_of(time.begin(), time.end(), [](int64_t number) { return number <= 0; }))
    return Unavailable{each_lap_key + " holds impossible laps"};
  for (size_t i = 1; i < time.size(); i += 3) evidence.laps.push_back({time[i], time[i + 1], time[i + 2]});
  const auto absent = params.find(no_meter);
  if (absent != params.end()) {
    const auto* why = std::get_if<std::string>(&absent->second);
    if (why == nullptr) return Unavailable{std::string(no_meter) + " is no text"};
    evidence.calibration = Unavailable{*why};
    sum_up(evidence);
    return evidence;
  }
  const auto lines = numbers_between_spaces(params, each_look_key);
  if (!available(lines)) return std::get<Unavailable>(lines);
  const auto& line = std::get<std::vector<int64_t>>(lines);
  if (line.size() != 6 + evidence.laps.size())
    return Unavailable{fmt::format("{} holds other than {} looks", each_look_key, evidence.laps.size())};
  const ResidencyCalibration calibration{line[0], line[1], line[2], line[3], line[4]};
  for (size_t i = 6; i < line.size(); ++i) {
    evidence.looks.push_back({line[5], line[i]});
    if (line[5] <= 0 || !counts_are_possible(calibration, evidence.looks.back()))
      return Unavailable{"the meter's counts contradict each other"};
  }
  evidence.calibration = calibration;
  sum_up(evidence);
  return evidence;
}

}  // namespace

Reading<EvictionEvidence> read_evidence(const EvidenceParams& params) {
  if (params.count(laps_key) == 0) return read_each_check(params);
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
