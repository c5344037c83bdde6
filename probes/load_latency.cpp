// load_latency: how long a load takes when its address comes from the load before it.
#include "harness/buffer.hpp"
#include "harness/streams/streams.hpp"
#include "harness/topology.hpp"
#include "probes/memory_budget.hpp"
#include "probes/paged_buffer.hpp"
#include "probes/pointer_chase.hpp"
#include "probes/probe.hpp"
#include "probes/sweep.hpp"

namespace probes {
namespace {

/// A long chase through a shared cache loses it while it measures: lines that are not read again within some
/// ms are evicted by others, and some caches protect themselves from random reads. Of 16 MiB in a 32 MiB L3,
/// 16,384 loads after four laps took 15 ns each and 65,536 after one lap 110 ns. So samples are short and
/// follow laps over the set.
constexpr int64_t loads_per_repeat = 16'384;
constexpr int64_t sample_ns = 250'000;  // fast levels repeat the loads until they are long against the clock
constexpr int64_t refresh_laps = 4;
/// 16 pages of 4 KiB: fewer than any first-level TLB holds (Intel SDM vol. 3A 4.10; AMD APM vol. 2 5.5).
constexpr int64_t own_window_bytes = 64 << 10;

/// Sets up to this size are refreshed by all laps whatever cache is reported: hypervisors tell of caches that
/// the machine does not have, and 4 × 512 MiB take a fifth of a second.
constexpr int64_t surely_refreshed_bytes = int64_t{512} << 20;

/// Returns how many laps to read before a sample. Beyond that size, of a set twice as large as the last-level
/// cache nothing can stay.
int64_t laps_for(int64_t size_bytes, const harness::Cache* llc) {
  if (llc == nullptr || size_bytes <= surely_refreshed_bytes) return refresh_laps;
  return size_bytes <= 2 * static_cast<int64_t>(llc->bytes) ? refresh_laps : 1;
}

/// Returns the largest size of whose lines the samples chased every one.
int64_t largest_lapped_bytes(const harness::Series& series, int samples) {
  int64_t bytes = 0;
  for (size_t i = 0; i < series.sizes_bytes.size(); ++i) {
    if (series.work_per_sample[i] * samples >= series.sizes_bytes[i] / chase_line_bytes)
      bytes = series.sizes_bytes[i];
  }
  return bytes;
}

harness::Series run(const ProbeContext& context) {
  const auto sizes = sweep_sizes(context, memory_budget_bytes());
  if (!harness::available(sizes)) {
    return unavailable_series("load_latency", std::get<harness::Unavailable>(sizes).reason);
  }
  const auto& sizes_bytes = std::get<std::vector<int64_t>>(sizes);
  const std::string& pages = context.variant.pages;
  const int64_t window_bytes = context.variant.window_bytes;
  const auto taken = take_buffer(sizes_bytes.back(), pages, context.seed);
  if (!harness::available(taken))
    return unavailable_series("load_latency", std::get<harness::Unavailable>(taken).reason);
  const auto& buffer = std::get<harness::Buffer>(taken);
  const harness::Streams& streams = harness::select_streams(context.features);
  const std::byte* at = nullptr;
  int64_t chain_bytes = 0;

  SweepBody body;
  body.work_unit = "loads";
  body.min_sample_ns = sample_ns;
  body.begin = [&](int64_t size) {
    const int64_t lines = size / chase_line_bytes;
    link_lines(buffer.data(),
               single_cycle_in_windows(lines, window_bytes > 0 ? window_bytes / chase_line_bytes : lines,
                                       context.seed + static_cast<uint64_t>(size)));
    at = buffer.data();
    chain_bytes = size;
  };
  uint64_t refreshed = 0;
  const harness::Cache* llc = harness::last_level_cache(context.topology);
  body.refresh = [&](int64_t size) {
    refreshed ^= streams.read(buffer.data(), static_cast<size_t>(size), laps_for(size, llc));
  };
  body.work = [&](int64_t, int64_t repeats) { at = chase(at, repeats * loads_per_repeat); };
  body.units_per_repeat = [](int64_t) { return loads_per_repeat; };
  body.verify = [&](int64_t) {
    // A chase that left its lines was not reading the chain that was written.
    const auto offset = at - buffer.data();
    return offset >= 0 && offset < chain_bytes && offset % chase_line_bytes == 0;
  };

  harness::Series series;
  series.probe = "load_latency";
  sweep(context, sizes_bytes, body, series);
  record_pages(series, buffer, pages);
  if (window_bytes > 0) series.params["window_bytes"] = window_bytes;
  series.params["retouch"] = std::string("read stream over the set before each sample");
  series.params["refresh_laps"] = refresh_laps;
  series.params["refresh_isa"] = std::string(streams.isa);
  series.params["lapped_up_to_bytes"] = largest_lapped_bytes(series, context.samples);
  series.params["line_bytes"] = chase_line_bytes;
  return series;
}

/// Small pages with and without windows beside huge ones tell the time of translation from that of caches.
std::vector<Variant> variants(const ProbeContext&) {
  std::vector<Variant> listed(3);
  listed[1].pages = listed[2].pages = "small";
  listed[2].window_bytes = own_window_bytes;
  return listed;
}

}  // namespace

extern const Probe load_latency_probe;
const Probe load_latency_probe{"load_latency",
                               "load-to-use time over working-set sizes (random pointer chase)",
                               true,
                               run,
                               "pages window",
                               variants,
                               5,
                               true};

}  // namespace probes
