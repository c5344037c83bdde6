// residency: what a single timed load tells about where its line lies, and how often that is right.
#include "harness/residency.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/buffer.hpp"
#include "harness/streams/streams.hpp"
#include "probes/load_timer.hpp"
#include "probes/probe.hpp"
#include "probes/residency_meter.hpp"
#include "probes/sweep.hpp"

namespace probes {
namespace {

constexpr int lines_per_place = 128;
constexpr int lines_per_check = 128;
/// About the weights of coreflow_1_9m (1.93 MB), in whole huge pages.
constexpr size_t checked_set_bytes = size_t{2} << 20;

void store_count(harness::Series& series, const std::string& name, const harness::LineCount& count) {
  series.params[name + "_lines"] = count.lines;
  series.params[name + "_resident_lines"] = count.resident;
}

/// Looks at a set of its own right after it was read and right after it was flushed: not the lines that the
/// threshold was found on.
bool check_known_sets(const ResidencyMeter& meter, const harness::Streams& streams, uint64_t seed,
                      harness::Series& series) {
  const harness::Buffer set(checked_set_bytes, harness::Pages::small, seed);
  const uint64_t checksum = harness::streams_tables().front().read(set.data(), set.bytes(), 1);
  LineDraw lines({Region{set.data(), set.bytes()}}, seed);
  const auto warm = lines.draw(lines_per_check), flushed = lines.draw(lines_per_check);
  bool right = true;
  for (int i = 0; i < 4; ++i) right &= streams.read(set.data(), set.bytes(), 1) == checksum;
  store_count(series, "warm_set", meter.look(warm));
  harness::flush_from_caches(set.data(), set.bytes());
  store_count(series, "flushed_set", meter.look(flushed));
  return right;
}

/// One list per place. work_unit "timed_loads": each sample is one load, in ticks, not ns.
void store_loads(harness::Series& series, const KnownLoads& loads) {
  series.work_unit = "timed_loads";
  std::string places;
  const auto add = [&](const char* place, int64_t set_bytes, const std::vector<int64_t>& ticks) {
    if (ticks.empty()) return;
    series.sizes_bytes.push_back(set_bytes);
    series.work_per_sample.push_back(1);
    series.samples_by_size.push_back(ticks);
    places += places.empty() ? place : std::string(" ") + place;
  };
  add("l2", loads.l2_set_bytes, loads.l2_ticks);
  add("llc", loads.llc_set_bytes, loads.llc_ticks);
  add("flushed", loads.llc_set_bytes > 0 ? loads.llc_set_bytes : loads.l2_set_bytes, loads.flushed_ticks);
  series.params["places"] = places;
}

/// A batch of loads is watched as one: what happened meanwhile marks all of them, and counts once.
void store_disturbances(harness::Series& series, const KnownLoads& loads) {
  for (const KnownLoads::Watched& batch : loads.watched) {
    const int place = batch.place == 2 && loads.llc_set_bytes == 0 ? 1 : batch.place;
    for (int i = 0; i < batch.loads; ++i)
      mark_disturbance(series, place * lines_per_place + batch.from + i, batch.during);
    add_totals(series.totals, batch.during);
  }
  for (auto& [reason, indices] : series.disturbed) std::sort(indices.begin(), indices.end());
}

harness::Series run(const ProbeContext& context) {
  const auto timer = load_timer();
  if (!harness::available(timer))
    return unavailable_series("residency", std::get<harness::Unavailable>(timer).reason);
  const harness::Streams& streams = harness::select_streams(context.features);
  const auto& own = std::get<LoadTimer>(timer);
  const auto loaded =
      load_known_lines(own, context.topology, streams, context.clock, lines_per_place, context.seed);
  if (context.shared_loads != nullptr) context.shared_loads->loads = loaded;
  if (!harness::available(loaded))
    return unavailable_series("residency", std::get<harness::Unavailable>(loaded).reason);
  const auto& loads = std::get<KnownLoads>(loaded);
  const auto calibration = harness::calibrate_residency(loads.cached_ticks(), loads.flushed_ticks);
  if (!harness::available(calibration))
    return unavailable_series("residency", std::get<harness::Unavailable>(calibration).reason);
  harness::Series series;
  series.probe = "residency";
  store_loads(series, loads);
  series.params["timer"] = std::string(own.source);
  series.params.merge(harness::calibration_params(std::get<harness::ResidencyCalibration>(calibration)));
  const ResidencyMeter meter(own, std::get<harness::ResidencyCalibration>(calibration));
  const bool right = check_known_sets(meter, streams, context.seed, series) && loads.right;
  if (!right) {
    series.status = harness::Status::failed;
    series.reason = "wrong checksum: what was read is not what was written";
  }
  store_disturbances(series, loads);
  if (context.progress) context.progress(1);
  return series;
}

}  // namespace

extern const Probe residency_probe;
const Probe residency_probe{
    .id = "residency",
    .summary = "whether single timed loads tell cached lines from flushed ones, and how often",
    .takes_sizes = false,
    .run = run,
    .seconds = 0.2,
};

}  // namespace probes
