// load_latency: how long a load takes when its address comes from the load before it.
#include "harness/buffer.hpp"
#include "harness/streams/streams.hpp"
#include "probes/memory_budget.hpp"
#include "probes/pointer_chase.hpp"
#include "probes/probe.hpp"
#include "probes/sweep.hpp"

namespace probes {
namespace {

constexpr int64_t loads_per_repeat = 1024;
/// 4 ms: long enough for 25,000 loads from DRAM, so that the mean of a mixture of hits and misses is known to
/// 1 %; short enough that what the refreshing lap brought into a shared cache is still there.
constexpr int64_t sample_ns = 4'000'000;

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
  const harness::Buffer buffer(static_cast<size_t>(sizes_bytes.back()), harness::Pages::huge, context.seed);
  const harness::Streams& streams = harness::select_streams(context.features);
  const std::byte* at = nullptr;

  SweepBody body;
  body.work_unit = "loads";
  body.min_sample_ns = sample_ns;
  body.begin = [&](int64_t size) {
    link_lines(buffer.data(),
               single_cycle(size / chase_line_bytes, context.seed + static_cast<uint64_t>(size)));
    at = buffer.data();
  };
  uint64_t refreshed = 0;
  body.refresh = [&](int64_t size) {
    refreshed ^= streams.read(buffer.data(), static_cast<size_t>(size), 1);
  };
  body.work = [&](int64_t, int64_t repeats) { at = chase(at, repeats * loads_per_repeat); };
  body.units_per_repeat = [](int64_t) { return loads_per_repeat; };
  body.verify = [&](int64_t) {
    // A chase that left its lines was not reading the chain that was written.
    const auto offset = at - buffer.data();
    return offset >= 0 && offset < sizes_bytes.back() && offset % chase_line_bytes == 0;
  };

  harness::Series series;
  series.probe = "load_latency";
  sweep(context, sizes_bytes, body, series);
  series.params["pages"] = std::string("huge");
  series.params["buffer_bytes"] = static_cast<int64_t>(buffer.bytes());
  series.params["huge_bytes_granted"] = static_cast<int64_t>(buffer.huge_bytes_granted());
  series.params["retouch"] = std::string("one read stream over the set before each sample");
  series.params["refresh_isa"] = std::string(streams.isa);
  series.params["lapped_up_to_bytes"] = largest_lapped_bytes(series, context.samples);
  series.params["line_bytes"] = chase_line_bytes;
  return series;
}

}  // namespace

extern const Probe load_latency_probe;
const Probe load_latency_probe{"load_latency",
                               "load-to-use time over working-set sizes (random pointer chase)", true, run};

}  // namespace probes
