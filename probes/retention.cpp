// retention: how long lines that nobody touches stay in a cache, seen when they are read again after a delay.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/buffer.hpp"
#include "harness/line_looks.hpp"
#include "harness/streams/streams.hpp"
#include "harness/topology.hpp"
#include "probes/memory_budget.hpp"
#include "probes/order.hpp"
#include "probes/probe.hpp"
#include "probes/residency_meter.hpp"
#include "probes/shared_meter.hpp"
#include "probes/sweep.hpp"
#include "probes/time_budget.hpp"

namespace probes {
namespace {

constexpr std::array<int64_t, 11> delays_ns{0,          500'000,    1'000'000,  2'000'000,
                                            5'000'000,  10'000'000, 15'000'000, 20'000'000,
                                            30'000'000, 50'000'000, 100'000'000};
constexpr int laps_before = 4;
constexpr int lines_per_look = 32;
constexpr int64_t kib = 1024, mib = 1024 * kib;
/// Larger sets only take longer: lines are lost whatever the size of the set.
constexpr int64_t largest_llc_set_bytes = 16 * mib;
constexpr int64_t page_bytes = 4096;

/// A set that lies in one level of the caches.
struct RestingSet {
  std::string level;
  harness::Buffer memory;
  const harness::Streams& streams;
  uint64_t checksum;
  LineDraw lines;
  bool right = true;
  std::vector<std::vector<int64_t>> seen = std::vector<std::vector<int64_t>>(delays_ns.size());

  RestingSet(std::string in_level, int64_t bytes, const harness::Streams& used, uint64_t seed)
      : level(std::move(in_level)),
        memory(static_cast<size_t>(bytes), harness::Pages::huge, seed),
        streams(used),
        checksum(harness::streams_tables().front().read(memory.data(), memory.bytes(), 1)),
        lines({Region{memory.data(), memory.bytes()}}, seed) {}
  void lap() { right &= streams.read(memory.data(), memory.bytes(), 1) == checksum; }
  int64_t timed_lap_ns(const harness::Clock& clock) {
    const int64_t start_ns = clock.now_ns();
    const uint64_t got = streams.read(memory.data(), memory.bytes(), 1);
    const int64_t end_ns = clock.now_ns();
    right &= got == checksum;
    return end_ns - start_ns;
  }
};

/// Half of L2, and half of the last-level cache beyond it (at most 16 MiB): sets that surely fit.
std::vector<std::unique_ptr<RestingSet>> make_sets(const ProbeContext& context) {
  const harness::Streams& streams = harness::select_streams(context.features);
  const harness::Cache* l2 = harness::find_cache(context.topology, 2);
  const harness::Cache* llc = harness::last_level_cache(context.topology);
  std::vector<std::unique_ptr<RestingSet>> sets;
  const auto add = [&](const std::string& level, int64_t bytes) {
    const int64_t whole = bytes / page_bytes * page_bytes;
    if (whole >= lines_per_look * page_bytes && whole <= memory_budget_bytes()) {
      sets.push_back(std::make_unique<RestingSet>(level, whole, streams, context.seed + sets.size()));
      for (auto& counts : sets.back()->seen) counts.reserve(static_cast<size_t>(context.samples));
    }
  };
  // The set of the farther cache is read first: the nearer one then lies above it, untouched by it.
  if (llc != nullptr && llc->level > 2)
    add("l" + std::to_string(llc->level),
        std::min(static_cast<int64_t>(llc->bytes) / 2, largest_llc_set_bytes));
  if (l2 != nullptr) add("l2", static_cast<int64_t>(l2->bytes) / 2);
  return sets;
}

/// Waits without sleeping: a core that sleeps may lose its caches, and its clock.
void spin(const harness::Clock& clock, int64_t duration_ns) {
  const int64_t end_ns = clock.now_ns() + duration_ns;
  while (clock.now_ns() < end_ns) {
  }
}

struct Rested {
  const ProbeContext& context;
  std::vector<std::unique_ptr<RestingSet>>& sets;
  const SharedMeter& meter;
  harness::Series& series;      ///< re-reads after delays
  harness::Series& references;  ///< laps of flushed sets, one per round
};

void take_references(Rested& rested, int sample) {
  for (size_t i = 0; i < rested.sets.size(); ++i) {
    RestingSet& set = *rested.sets[i];
    const harness::DisturbanceWatch watch(rested.context.clock);
    harness::flush_from_caches(set.memory.data(), set.memory.bytes());
    rested.references.samples_by_size[i].push_back(set.timed_lap_ns(rested.context.clock));
    record_disturbance(rested.references, static_cast<int>(i) * rested.context.samples + sample,
                       watch.stop());
  }
}

/// Makes all sets warm, waits once for all, and reads them again, the nearer first.
void take_sample(Rested& rested, size_t delay, int sample) {
  const harness::Clock& clock = rested.context.clock;
  std::vector<std::vector<const std::byte*>> lines;
  for (auto& set : rested.sets) lines.push_back(set->lines.draw_again(lines_per_look));
  const harness::DisturbanceWatch watch(clock);
  for (auto& set : rested.sets) {
    for (int i = 0; i < laps_before; ++i) set->lap();
  }
  spin(clock, delays_ns[delay]);
  for (size_t i = rested.sets.size(); i-- > 0;) {
    RestingSet& set = *rested.sets[i];
    if (const auto* meter = std::get_if<ResidencyMeter>(&rested.meter.meter))
      set.seen[delay].push_back(meter->look(lines[i]).resident);
    rested.series.samples_by_size[i * delays_ns.size() + delay].push_back(set.timed_lap_ns(clock));
  }
  const harness::Disturbance during = watch.stop();
  for (size_t i = 0; i < rested.sets.size(); ++i) {  // one wait is a sample of each set
    const auto at = static_cast<int>(i * delays_ns.size() + delay);
    mark_disturbance(rested.series, at * rested.context.samples + sample, during);
  }
  add_totals(rested.series.totals, during);
}

void store_sets(const Rested& rested) {
  harness::Series& series = rested.series;
  for (size_t d = 0; d < delays_ns.size(); ++d)
    series.params["delay_" + std::to_string(d) + "_ns"] = delays_ns[d];
  for (size_t i = 0; i < rested.sets.size(); ++i) {
    const RestingSet& set = *rested.sets[i];
    series.params["level_" + std::to_string(i)] = set.level;
    for (size_t d = 0; d < delays_ns.size() && harness::available(rested.meter.meter); ++d)
      series.params["looks_" + std::to_string(i * delays_ns.size() + d)] = harness::look_digits(set.seen[d]);
  }
  series.params["lines_per_look"] = int64_t{lines_per_look};
  series.params.merge(rested.meter.params());
}

/// Returns false when the budget ended first.
bool take_curves(Rested& rested) {
  const ProbeContext& context = rested.context;
  const auto positions = shuffled_positions(delays_ns.size(), context.seed);
  for (int sample = 0; sample < context.samples; ++sample) {
    take_references(rested, sample);
    // Alternating directions: what drifts within a round falls on all delays alike.
    for (size_t i = 0; i < positions.size(); ++i) {
      if (is_late(context.clock, context.end_ns)) return false;
      take_sample(rested, positions[sample % 2 == 0 ? i : positions.size() - 1 - i], sample);
    }
    if (context.progress) context.progress(static_cast<double>(sample + 1) / context.samples);
  }
  for (harness::Series* series : {&rested.series, &rested.references}) {
    for (auto& [reason, indices] : series->disturbed) std::sort(indices.begin(), indices.end());
  }
  return true;
}

/// Returns an empty curve over the sets, `lists` of each.
harness::Series begin_series(const char* id, const ProbeContext& context,
                             const std::vector<std::unique_ptr<RestingSet>>& sets, size_t lists) {
  harness::Series series;
  series.probe = id;
  series.work_unit = "bytes";
  for (const auto& set : sets)
    series.sizes_bytes.insert(series.sizes_bytes.end(), lists, static_cast<int64_t>(set->memory.bytes()));
  series.work_per_sample = series.sizes_bytes;
  series.samples_by_size.assign(series.sizes_bytes.size(), {});
  for (auto& samples : series.samples_by_size) samples.reserve(static_cast<size_t>(context.samples));
  series.params["samples"] = int64_t{context.samples};
  return series;
}

std::vector<harness::Series> run_all(const ProbeContext& context) {
  auto sets = make_sets(context);
  if (sets.empty())
    return {unavailable_series("retention", "no cache is reported that a set could be left in")};
  if (!harness::flush_from_caches(sets[0]->memory.data(), 64))
    return {unavailable_series("retention", "this CPU has no user-space cache flush to hold laps against")};
  const harness::Streams& streams = harness::select_streams(context.features);
  const SharedMeter meter = shared_meter(context);
  harness::Series series = begin_series("retention", context, sets, delays_ns.size());
  harness::Series references = begin_series("retention_references", context, sets, 1);
  series.params["laps_before"] = int64_t{laps_before};
  series.params["delays"] = static_cast<int64_t>(delays_ns.size());
  series.params["order_seed"] = static_cast<int64_t>(recordable_seed(context.seed));
  series.params["pages"] = std::string("huge");
  series.params["isa"] = std::string(streams.isa);
  Rested rested{context, sets, meter, series, references};
  if (!take_curves(rested)) return {skipped_series("retention", context.budget_ns)};
  store_sets(rested);
  if (!std::all_of(sets.begin(), sets.end(), [](const auto& set) { return set->right; })) {
    series.status = references.status = harness::Status::failed;
    series.reason = references.reason = "wrong checksum: what was read is not what was written";
  }
  return {std::move(series), std::move(references)};
}

}  // namespace

extern const Probe retention_probe;
const Probe retention_probe{
    .id = "retention",
    .summary = "how long untouched lines stay cached: the rate of a re-read after up to 100 ms",
    .takes_sizes = false,
    .run = [](const ProbeContext& context) { return run_all(context).front(); },
    .run_all = run_all,
};

}  // namespace probes
