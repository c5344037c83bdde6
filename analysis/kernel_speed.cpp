#include "analysis/kernel_speed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
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

struct CallTime {
  double seconds = 0, log_width = 0;
};

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

/// Per level, and per level with "_short", the time of one call. Empty when the series is malformed.
std::map<std::string, CallTime> call_times(const Series& series) {
  std::map<std::string, CallTime> times;
  std::istringstream words(param<std::string>(series, "levels", ""));
  const auto long_bytes = static_cast<double>(param<int64_t>(series, "call_bytes", 0)),
             short_bytes = static_cast<double>(param<int64_t>(series, "short_call_bytes", 0));
  size_t i = 0;
  for (std::string level; words >> level; ++i) {
    if (i >= series.samples_by_size.size() || i >= series.work_per_sample.size()) return {};
    const double bytes = level.ends_with("_short") ? short_bytes : long_bytes;
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

}  // namespace

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
  return speed;
}

Reading<KernelTime> kernel_time(const KernelSpeed& speed, double calls, double bytes,
                                const LevelShares& shares) {
  KernelTime time{calls * speed.call_s, 0};
  double widths = time.seconds * speed.l2_log_width;
  struct Part {
    const char* level;
    double share, rate, width;
  };
  for (const Part& part : {Part{"l2", shares.l2, speed.l2_bytes_per_s, speed.l2_log_width},
                           Part{"l3", shares.l3, speed.l3_bytes_per_s, speed.l3_log_width},
                           Part{"dram", shares.dram, speed.dram_bytes_per_s, speed.dram_log_width}}) {
    if (part.rate <= 0) {
      if (part.share >= 0.001)
        return Unavailable{fmt::format("kernel_rates has no rate from {}, which serves {:.1f} %", part.level,
                                       100 * part.share)};
      continue;
    }
    const double seconds = bytes * part.share / part.rate;
    time.seconds += seconds;
    widths += seconds * part.width;
  }
  time.log_width = time.seconds > 0 ? widths / time.seconds : 0;
  return time;
}

}  // namespace analysis
