// eviction: how much other memory must be read until a set has left the caches, seen in the rate of the first
// lap over it.
#include "probes/eviction.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "harness/buffer.hpp"
#include "harness/cold_size.hpp"
#include "harness/line_looks.hpp"
#include "harness/statistics.hpp"
#include "harness/topology.hpp"
#include "probes/memory_budget.hpp"
#include "probes/order.hpp"
#include "probes/probe.hpp"
#include "probes/residency_meter.hpp"
#include "probes/shared_meter.hpp"
#include "probes/stream_eviction.hpp"
#include "probes/sweep.hpp"
#include "probes/time_budget.hpp"

namespace probes {
namespace {

constexpr int64_t mib = int64_t{1} << 20;
/// About the weights of coreflow_1_9m (1.93 MB), in whole huge pages: what evictions are for.
constexpr int64_t set_bytes = 2 * mib;
/// Laps that make the set warm: after the second or third, laps no longer get faster.
constexpr int laps_before = 4;
/// Few against the 32,768 of the set, many enough that five samples prove it cold.
constexpr int lines_per_look = 32;

/// What is timed: a lap over the set, with its state before prepared.
struct Laps {
  const ProbeContext& context;
  const harness::Buffer set{static_cast<size_t>(set_bytes), harness::Pages::huge, 0};
  /// The same on small pages, whose addresses a stream pushes out, too; a flush does not.
  const harness::Buffer small{static_cast<size_t>(set_bytes), harness::Pages::small, 0};
  const harness::Streams& streams = harness::select_streams(context.features);
  const uint64_t checksum = harness::streams_tables().front().read(set.data(), set.bytes(), 1);
  bool right = true;  ///< whether every lap so far read what was written
  const SharedMeter meter = shared_meter(context);
  LineDraw lines{{Region{set.data(), set.bytes()}}, context.seed};

  void warm() {
    for (int i = 0; i < laps_before; ++i) right &= streams.read(set.data(), set.bytes(), 1) == checksum;
  }
  int64_t timed_ns() { return timed_ns(set); }
  int64_t timed_ns(const harness::Buffer& memory) {
    const int64_t start_ns = context.clock.now_ns();
    const uint64_t got = streams.read(memory.data(), memory.bytes(), 1);
    const int64_t end_ns = context.clock.now_ns();
    right &= got == checksum;
    return end_ns - start_ns;
  }
};

/// By position of its size how long each stream took, and what each look after it saw; the laps of the two
/// references are a series of their own: first the warm ones of all sizes, then the flushed ones.
struct Found {
  std::vector<std::vector<double>> stream_ns;
  std::vector<std::vector<harness::LineCount>> looks;
  harness::Series references;
  harness::Series
      small_pages;  ///< laps over the set on small pages: by size after a flush, then after the stream
};

/// Times one lap over `memory` after `prepare` as a reference sample.
void take_reference(Laps& laps, const harness::Buffer& memory, size_t list, int sample,
                    const std::function<void()>& prepare, harness::Series& references) {
  const harness::DisturbanceWatch watch(laps.context.clock);
  prepare();
  references.samples_by_size[list].push_back(laps.timed_ns(memory));
  record_disturbance(references, static_cast<int>(list) * laps.context.samples + sample, watch.stop());
}

/// Takes all samples of one size, each with a warm and a flushed lap of its own beside it, so that drift
/// falls on all three. Returns false when what was read is not what was written.
bool sample_size(const StreamEviction& eviction, size_t position, Laps& laps, Found& found,
                 harness::Series& series) {
  const int64_t bytes = series.sizes_bytes[position];
  const harness::Clock& clock = laps.context.clock;
  laps.right &= eviction.evict(bytes);  // from now on every eviction finds the residue of one like itself
  const auto* meter = std::get_if<ResidencyMeter>(&laps.meter.meter);
  for (int i = 0; i < laps.context.samples; ++i) {
    take_reference(
        laps, laps.set, position, i, [&] { laps.warm(); }, found.references);
    const size_t behind = series.sizes_bytes.size() + position;
    const auto flush = [](const harness::Buffer& memory) {
      return [&memory] { harness::flush_from_caches(memory.data(), memory.bytes()); };
    };
    take_reference(laps, laps.set, behind, i, flush(laps.set), found.references);
    take_reference(laps, laps.small, position, i, flush(laps.small), found.small_pages);
    const auto lines = laps.lines.draw_again(lines_per_look);
    const harness::DisturbanceWatch watch(clock);
    laps.warm();
    const int64_t start_ns = clock.now_ns();
    laps.right &= eviction.evict(bytes);
    found.stream_ns[position].push_back(static_cast<double>(clock.now_ns() - start_ns));
    if (meter != nullptr) found.looks[position].push_back(meter->look(lines));
    const int64_t lap_ns = laps.timed_ns();
    record_disturbance(series, static_cast<int>(position) * laps.context.samples + i, watch.stop());
    series.samples_by_size[position].push_back(lap_ns);
    take_reference(
        laps, laps.small, behind, i, [] {}, found.small_pages);
  }
  return laps.right;
}

constexpr size_t longest_param = 128;

int64_t whole_ns(double ns) {
  return std::llround(ns);
}

/// Writes what was found at each size, numbered as in sizes_bytes.
void store_by_size(const Found& found, const SharedMeter& meter, harness::Series& series) {
  for (size_t i = 0; i < found.looks.size(); ++i) {
    const std::string number = std::to_string(i);
    series.params["stream_" + number + "_ns"] = whole_ns(harness::median(found.stream_ns[i]));
    std::vector<int64_t> resident;
    for (const harness::LineCount& look : found.looks[i]) resident.push_back(look.resident);
    if (!resident.empty()) series.params["looks_" + number] = harness::look_digits(resident);
  }
  series.params["lines_per_look"] = int64_t{lines_per_look};
  series.params.merge(meter.params());
}

void store_findings(const Found& found, const SharedMeter& meter, harness::Series& series) {
  const auto references = harness::lap_references(found.references.samples_by_size);
  const auto* used = std::get_if<ResidencyMeter>(&meter.meter);
  const auto cold = used == nullptr
                        ? harness::find_cold_bytes(references, series.sizes_bytes, series.samples_by_size)
                        : harness::find_cold_bytes(references, series.sizes_bytes, series.samples_by_size,
                                                   used->calibration(), found.looks);
  if (!harness::available(cold)) {
    series.params["not_evicted"] = std::get<harness::Unavailable>(cold).reason.substr(0, longest_param);
    return;
  }
  const int64_t cold_bytes = std::get<int64_t>(cold);
  const auto position =
      static_cast<size_t>(std::find(series.sizes_bytes.begin(), series.sizes_bytes.end(), cold_bytes) -
                          series.sizes_bytes.begin());
  series.params["cold_bytes"] = cold_bytes;
  series.params["cold_stream_ns"] = whole_ns(harness::median(found.stream_ns[position]));
}

/// Gives a series its empty lists, `times` for each size.
void begin_curve(const char* id, const ProbeContext& context, const std::vector<int64_t>& sizes, size_t times,
                 harness::Series& series) {
  series.probe = id;
  series.work_unit = "bytes";
  for (size_t i = 0; i < times; ++i)
    series.sizes_bytes.insert(series.sizes_bytes.end(), sizes.begin(), sizes.end());
  series.work_per_sample.assign(series.sizes_bytes.size(), set_bytes);
  series.samples_by_size.assign(series.sizes_bytes.size(), {});
  for (auto& samples : series.samples_by_size) samples.reserve(static_cast<size_t>(context.samples));
  series.params["samples"] = int64_t{context.samples};
}

void take_curve(const ProbeContext& context, const std::vector<int64_t>& sizes, Laps& laps, Found& found,
                harness::Series& series) {
  const harness::Cache* llc = harness::last_level_cache(context.topology);
  const StreamEviction eviction(sizes,
                                stream_memory_bytes(llc == nullptr ? 0 : static_cast<int64_t>(llc->bytes)),
                                context.features, context.seed);
  begin_curve("eviction", context, sizes, 1, series);
  begin_curve("eviction_references", context, sizes, 2, found.references);
  begin_curve("eviction_small_pages", context, sizes, 2, found.small_pages);
  series.params["method"] = std::string("stream-read");
  series.params["set_bytes"] = set_bytes;
  series.params["laps_before"] = int64_t{laps_before};
  series.params["order_seed"] = static_cast<int64_t>(recordable_seed(context.seed));
  series.params["pages"] = std::string("huge");
  series.params["buffer_bytes"] = static_cast<int64_t>(eviction.memory().bytes());
  series.params["huge_bytes_granted"] = static_cast<int64_t>(eviction.memory().huge_bytes_granted());
  series.params["isa"] = std::string(eviction.streams().isa);
  found.stream_ns.assign(sizes.size(), std::vector<double>());
  found.looks.assign(sizes.size(), std::vector<harness::LineCount>());
  for (size_t i = 0; i < sizes.size(); ++i) {
    found.stream_ns[i].reserve(static_cast<size_t>(context.samples));
    found.looks[i].reserve(static_cast<size_t>(context.samples));
  }
  size_t done = 0;
  for (const size_t position : shuffled_positions(sizes.size(), context.seed)) {
    if (is_late(context.clock, context.end_ns)) {
      series = found.references = skipped_series("eviction", context.budget_ns);
      return;
    }
    if (!sample_size(eviction, position, laps, found, series)) {
      for (harness::Series* each : {&series, &found.references, &found.small_pages}) {
        each->status = harness::Status::failed;
        each->reason = "wrong checksum: what was read is not what was written";
      }
      return;
    }
    ++done;
    if (context.progress) context.progress(static_cast<double>(done) / static_cast<double>(sizes.size()));
  }
  for (harness::Series* each : {&series, &found.references, &found.small_pages}) {
    for (auto& [reason, indices] : each->disturbed) std::sort(indices.begin(), indices.end());
  }
  store_by_size(found, laps.meter, series);
  store_findings(found, laps.meter, series);
}

harness::Reading<std::vector<int64_t>> sizes_to_stream(const ProbeContext& context) {
  const int64_t budget_bytes = memory_budget_bytes() - set_bytes;
  if (!context.sizes_bytes.empty()) return sweep_sizes(context, budget_bytes);
  const harness::Cache* llc = harness::last_level_cache(context.topology);
  auto sizes = streamed_sizes(llc == nullptr ? 0 : static_cast<int64_t>(llc->bytes), budget_bytes);
  if (sizes.empty()) return harness::Unavailable{"not enough memory available to stream"};
  return sizes;
}

std::vector<harness::Series> run_all(const ProbeContext& context) {
  const auto sizes = sizes_to_stream(context);
  if (!harness::available(sizes))
    return {unavailable_series("eviction", std::get<harness::Unavailable>(sizes).reason)};
  Laps laps{context};
  if (!harness::flush_from_caches(laps.set.data(), laps.set.bytes())) {
    return {
        unavailable_series("eviction", "this CPU has no user-space cache flush to hold evictions against")};
  }
  harness::Series series;
  Found found;
  take_curve(context, std::get<std::vector<int64_t>>(sizes), laps, found, series);
  if (is_skipped(series)) return {std::move(series)};
  return {std::move(series), std::move(found.references), std::move(found.small_pages)};
}

}  // namespace

std::vector<int64_t> streamed_sizes(int64_t llc_bytes, int64_t budget_bytes) {
  constexpr int64_t first = 16 * mib, dense_from = 256 * mib;
  const int64_t top = std::min(stream_memory_bytes(llc_bytes), budget_bytes);
  std::vector<int64_t> sizes;
  for (int64_t size = first; size <= top; size *= 2) {
    sizes.push_back(size);
    if (size >= dense_from && size / 2 * 3 <= top) sizes.push_back(size / 2 * 3);
  }
  // Two passes over all of that memory evict more than one, and take no more of it.
  if (!sizes.empty() && sizes.back() == stream_memory_bytes(llc_bytes) &&
      2 * sizes.back() <= max_buffer_bytes)
    sizes.push_back(2 * sizes.back());
  return sizes;
}

extern const Probe eviction_probe;
const Probe eviction_probe{
    .id = "eviction",
    .summary = "how much other memory must be read until a set has left the caches (size: bytes streamed)",
    .takes_sizes = true,
    .run = [](const ProbeContext& context) { return run_all(context).front(); },
    .seconds = 4,
    .run_all = run_all,
};

}  // namespace probes
