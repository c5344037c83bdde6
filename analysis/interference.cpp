#include "analysis/interference.hpp"

#include <algorithm>

namespace analysis {

using harness::Interference;
using harness::Series;

namespace {

std::string antagonist_of(const Series& series) {
  const auto found = series.params.find("antagonist");
  const auto* name = found == series.params.end() ? nullptr : std::get_if<std::string>(&found->second);
  return name == nullptr ? "" : *name;
}

bool gives_ratios(const Series& series) {
  return series.probe == "interference" && series.status == harness::Status::ok &&
         !antagonist_of(series).empty() && series.samples_by_size.size() == series.sizes_bytes.size();
}

/// The idle one is taken with every set, some others with the first of them alone.
bool begins_with(const std::vector<int64_t>& all, const std::vector<int64_t>& first) {
  return all.size() >= first.size() && std::equal(first.begin(), first.end(), all.begin());
}

const Series* find_idle(const harness::Launch& launch, const Series& like) {
  for (const auto& series : launch.series) {
    if (gives_ratios(series) && antagonist_of(series) == "idle" && series.placement == like.placement &&
        begins_with(series.sizes_bytes, like.sizes_bytes) &&
        begins_with(series.work_per_sample, like.work_per_sample))
      return &series;
  }
  return nullptr;
}

/// The samples of one round are neighbours in time; what drifts from round to round drops out.
std::vector<double> round_ratios(const std::vector<int64_t>& own, const std::vector<int64_t>& idle) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(own.size(), idle.size()); ++i) {
    if (own[i] <= 0 || idle[i] <= 0) return {};
    ratios.push_back(static_cast<double>(own[i]) / static_cast<double>(idle[i]));
  }
  return ratios;
}

}  // namespace

std::vector<Interference> derive_interference(const harness::Submission& submission) {
  std::vector<Interference> found;
  std::vector<std::vector<double>> values;
  int controls = 0;
  for (const auto& launch : submission.launches) {
    if (launch.purpose != "probes") continue;
    for (const auto& series : launch.series) {
      if (!gives_ratios(series) || antagonist_of(series) == "idle") continue;
      const Series* idle = find_idle(launch, series);
      if (idle == nullptr) continue;
      for (size_t i = 0; i < series.sizes_bytes.size(); ++i) {
        const auto ratios = round_ratios(series.samples_by_size[i], idle->samples_by_size[i]);
        if (ratios.size() < 2) continue;  // no interval from one round
        found.push_back({series.placement,
                         antagonist_of(series),
                         series.sizes_bytes[i],
                         static_cast<int>(ratios.size()),
                         {}});
        values.push_back(ratios);
        controls += found.back().antagonist == "idle_again" ? 1 : 0;
      }
    }
  }
  for (size_t i = 0; i < found.size(); ++i) {
    const double confidence = found[i].antagonist == "idle_again" ? 1 - 0.05 / controls : 0.95;
    found[i].time_ratio = harness::log_t_interval(values[i], confidence);
  }
  return found;
}

}  // namespace analysis
