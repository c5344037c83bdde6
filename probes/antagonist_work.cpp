#include "probes/antagonist_work.hpp"

#include <cmath>

namespace probes {

void add_work(Work& work, const Toll& before, const Toll& after, int64_t wall_ns) {
  work.done.bytes += after.bytes - before.bytes;
  work.done.steps += after.steps - before.steps;
  work.done.cpu_ns += after.cpu_ns - before.cpu_ns;
  work.wall_ns += wall_ns;
}

void store_work(harness::Series& series, const Work& work) {
  if (work.wall_ns <= 0) return;
  const auto wall_ns = static_cast<double>(work.wall_ns);
  const auto per_s = [&](int64_t count) {
    return int64_t{std::llround(static_cast<double>(count) / wall_ns * 1e9)};
  };
  series.params["antagonist_cpu_ratio"] =
      std::round(static_cast<double>(work.done.cpu_ns) / wall_ns * 1000) / 1000;
  if (work.done.steps > 0) series.params["antagonist_steps_per_s"] = per_s(work.done.steps);
  if (work.done.bytes == 0) return;
  series.params["walked_bytes"] = work.done.bytes;
  series.params["antagonist_bytes_per_s"] = per_s(work.done.bytes);
}

}  // namespace probes
