#include "analysis/kernel_speed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include "harness/statistics.hpp"

namespace analysis {

using harness::Reading;
using harness::Series;
using harness::Unavailable;

namespace {

template <class T>
T param(const Series& series, const char* name, T otherwise) {
  const auto found = series.params.find(name);
  if (found == series.params.end()) return otherwise;
  const T* value = std::get_if<T>(&found->second);
  return value ? *value : otherwise;
}

bool is_of(const Series& series, const std::string& isa, const models::KernelUse& use) {
  return series.probe == "kernel_rates" && param<std::string>(series, "isa", "") == isa &&
         param<std::string>(series, "kernel", "") == use.kernel &&
         param<int64_t>(series, "cols", 0) == use.cols && param<int64_t>(series, "heads", 0) == use.heads;
}

std::string name_of(const std::string& isa, const models::KernelUse& use) {
  return use.cols > 0 ? fmt::format("{} of {} columns on {}", use.kernel, use.cols, isa)
                      : fmt::format("{} on {}", use.kernel, isa);
}

Reading<const Series*> find(const harness::Submission& probed, const std::string& isa,
                            const models::KernelUse& use) {
  bool ran = false;
  for (const auto& launch : probed.launches) {
    if (launch.purpose != "probes") continue;
    for (const Series& series : launch.series) {
      ran = ran || series.probe == "kernel_rates";
      if (!is_of(series, isa, use)) continue;
      if (series.status == harness::Status::ok) return &series;
      return Unavailable{fmt::format("kernel_rates: {}: {}", name_of(isa, use),
                                     series.reason.empty() ? "failed" : series.reason)};
    }
  }
  return Unavailable{ran ? fmt::format("kernel_rates has not measured {}", name_of(isa, use))
                         : "kernel_rates has not run"};
}

/// Half the width of what holds one further value (90 %), from the median absolute deviation of logarithms:
/// 1.4826 makes it the standard deviation of normal values (Hampel, JASA 69, 1974).
double robust_log_width(const std::vector<double>& seconds) {
  if (seconds.size() < 2) return 0;
  std::vector<double> logs;
  logs.reserve(seconds.size());
  for (const double value : seconds) logs.push_back(std::log(value));
  const double centre = harness::median(logs);
  for (double& value : logs) value = std::abs(value - centre);
  const auto n = static_cast<double>(logs.size());
  return harness::student_t_quantile(0.95, n - 1) * 1.4826 * harness::median(logs) * std::sqrt(1 + 1 / n);
}

double bytes_of_call(const Series& series, const std::string& level) {
  const char* name = level.ends_with("_short") ? "short_call_bytes"
                     : level.ends_with("_far") ? "far_call_bytes"
                                               : "call_bytes";
  return static_cast<double>(param<int64_t>(series, name, 0));
}

bool ascends(const std::vector<ColdCall>& calls) {
  return std::is_sorted(calls.begin(), calls.end(),
                        [](const ColdCall& a, const ColdCall& b) { return a.bytes <= b.bytes; });
}

/// Calls of several lengths of one level; none where fewer than two were measured.
std::vector<ColdCall> calls_of(const Series& series, const std::map<std::string, CallTime>& times,
                               const std::string& level, double& log_width) {
  std::vector<ColdCall> calls;
  for (const char* length : {"_short", "", "_far"}) {
    const auto at = times.find(level + length);
    if (at == times.end()) continue;
    calls.push_back({bytes_of_call(series, at->first), at->second.seconds});
    log_width = std::max(log_width, at->second.log_width);
  }
  if (calls.size() < 2 || !ascends(calls)) calls.clear();
  return calls;
}

/// Seconds of the bytes that come from memory, beyond what the calls cost anyhow.
double from_memory_s(const KernelSpeed& speed, double calls, double bytes, double share) {
  if (speed.cold_calls.empty() || calls <= 0) return bytes * share / speed.dram_bytes_per_s;
  return calls * share * std::max(cold_call_s(speed.cold_calls, bytes / calls) - speed.call_s, 0.0);
}

}  // namespace

std::map<std::string, CallTime> call_times(const Series& series) {
  std::map<std::string, CallTime> times;
  std::istringstream words(param<std::string>(series, "levels", ""));
  size_t i = 0;
  for (std::string level; words >> level; ++i) {
    if (i >= series.samples_by_size.size() || i >= series.work_per_sample.size()) return {};
    const double bytes = bytes_of_call(series, level);
    if (bytes <= 0 || series.work_per_sample[i] <= 0 || series.samples_by_size[i].empty()) return {};
    const double calls = static_cast<double>(series.work_per_sample[i]) / bytes;
    std::vector<double> seconds;
    for (const int64_t ns : series.samples_by_size[i]) {
      if (ns <= 0) return {};
      seconds.push_back(static_cast<double>(ns) * 1e-9 / calls);
    }
    times[level] = {harness::median(seconds), robust_log_width(seconds)};
  }
  return times;
}

Reading<KernelSpeed> kernel_speed(const harness::Submission& probed, const std::string& isa,
                                  const models::KernelUse& use) {
  const auto found = find(probed, isa, use);
  if (const auto* why = std::get_if<Unavailable>(&found)) return *why;
  const Series& series = *std::get<const Series*>(found);
  const auto times = call_times(series);
  const std::string nearest = times.contains("l1") ? "l1" : "l2";
  if (!times.contains(nearest) || !times.contains(nearest + "_short"))
    return Unavailable{fmt::format("kernel_rates: {}: no nearest level in its series", name_of(isa, use))};
  const auto long_bytes = static_cast<double>(param<int64_t>(series, "call_bytes", 0)),
             short_bytes = static_cast<double>(param<int64_t>(series, "short_call_bytes", 0));
  const CallTime &whole = times.at(nearest), &brief = times.at(nearest + "_short");
  KernelSpeed speed;
  // A disturbed pair of samples may give a nonsensical slope: then a call costs its bytes alone.
  speed.l2_bytes_per_s = long_bytes / whole.seconds;
  if (whole.seconds > brief.seconds && long_bytes > short_bytes) {
    const double slope = (long_bytes - short_bytes) / (whole.seconds - brief.seconds);
    const double call_s = brief.seconds - short_bytes / slope;
    if (call_s > 0) {
      speed.l2_bytes_per_s = slope;
      speed.call_s = call_s;
    }
  }
  speed.l2_log_width = whole.log_width;
  const auto farther = [&](const char* level, double& rate, double& width) {
    const auto at = times.find(level);
    if (at == times.end() || at->second.seconds <= speed.call_s) return;
    rate = long_bytes / (at->second.seconds - speed.call_s);
    width = at->second.log_width;
  };
  farther("l3", speed.l3_bytes_per_s, speed.l3_log_width);
  farther("dram", speed.dram_bytes_per_s, speed.dram_log_width);
  speed.cold_calls = calls_of(series, times, "dram", speed.dram_log_width);
  double apart_log_width = 0;  // of what is a small part of a token
  speed.apart_calls = calls_of(series, times, "apart", apart_log_width);
  speed.streamed_calls = calls_of(series, times, "streamed", apart_log_width);
  const auto streamed = times.find("streamed_run"), flushed = times.find("dram");
  if (streamed != times.end() && flushed != times.end())
    speed.streamed_ratio = streamed->second.seconds / flushed->second.seconds;
  return speed;
}

double first_calls_s(const harness::Submission& probed, const std::string& isa,
                     const std::vector<models::KernelUse>& uses) {
  models::KernelUse first_calls;
  first_calls.kernel = "first_calls";
  const auto found = find(probed, isa, first_calls);
  const auto* series = std::get_if<const Series*>(&found);
  if (series == nullptr) return 0;
  std::set<std::string> used;
  for (const models::KernelUse& use : uses) used.insert(use.kernel);
  const auto& samples = (*series)->samples_by_size;
  const auto median_s = [&](size_t list) {
    const std::vector<double> ns(samples[list].begin(), samples[list].end());
    return harness::median(ns) * 1e-9;
  };
  std::istringstream words(param<std::string>(**series, "levels", ""));
  double seconds = 0;
  size_t first = 0;
  for (std::string kernel; words >> kernel; first += 2) {
    if (first + 1 >= samples.size() || samples[first].empty() || samples[first + 1].empty()) return 0;
    if (used.count(kernel) > 0) seconds += std::max(median_s(first) - median_s(first + 1), 0.0);
  }
  return seconds;
}

double jump_s(const KernelSpeed& speed, double bytes, bool streamed) {
  const auto& apart = streamed ? speed.streamed_calls : speed.apart_calls;
  if (apart.empty()) return 0;
  const double ratio = streamed ? std::max(speed.streamed_ratio, 1.0) : 1;
  const double known_bytes = std::min(bytes, apart.back().bytes);
  const double in_order_s = speed.cold_calls.empty() ? speed.call_s + known_bytes / speed.dram_bytes_per_s
                                                     : cold_call_s(speed.cold_calls, known_bytes);
  return std::max(cold_call_s(apart, known_bytes) - ratio * in_order_s, 0.0);
}

double cold_call_s(const std::vector<ColdCall>& calls, double bytes) {
  size_t farther = 1;
  while (farther + 1 < calls.size() && bytes > calls[farther].bytes) ++farther;
  const ColdCall &a = calls[farther - 1], &b = calls[farther];
  const double slope = (b.seconds - a.seconds) / (b.bytes - a.bytes);
  const ColdCall& nearer = bytes < b.bytes ? a : b;
  if (slope <= 0) return nearer.seconds * bytes / nearer.bytes;
  return std::max(a.seconds + (bytes - a.bytes) * slope, 0.0);
}

Reading<KernelTime> kernel_time(const KernelSpeed& speed, double calls, double bytes,
                                const LevelShares& shares, const RateLimits& limits, const Slowing& slowing) {
  constexpr std::string_view dram = "dram";
  KernelTime time{calls * speed.call_s * slowing.near_ratio, 0};
  double widths = time.seconds * speed.l2_log_width;
  struct Part {
    std::string_view level;
    double share, rate, width, limit, slowing;
  };
  for (const Part& part :
       {Part{"l2", shares.l2, speed.l2_bytes_per_s, speed.l2_log_width, 0, slowing.near_ratio},
        Part{"l3", shares.l3, speed.l3_bytes_per_s, speed.l3_log_width, limits.l3_bytes_per_s, 1},
        Part{dram, shares.dram, speed.dram_bytes_per_s, speed.dram_log_width, limits.dram_bytes_per_s,
             slowing.memory_ratio}}) {
    if (part.rate <= 0) {
      if (part.share >= 0.001)
        return Unavailable{fmt::format("kernel_rates has no rate from {}, which serves {:.1f} %", part.level,
                                       100 * part.share)};
      continue;
    }
    const double crowded = part.limit > 0 ? std::max(part.rate / part.limit, 1.0) : 1;
    const double seconds = part.slowing * crowded *
                           (part.level == dram ? from_memory_s(speed, calls, bytes, part.share)
                                               : bytes * part.share / part.rate);
    time.seconds += seconds;
    widths += seconds * part.width;
  }
  time.log_width = time.seconds > 0 ? widths / time.seconds : 0;
  return time;
}

}  // namespace analysis
