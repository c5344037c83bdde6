// chunked_stream: how fast a core reads chunks that lie anywhere in a pool, each in one piece, as a mixture
// of experts reads the weights of the experts it chose.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/error.hpp"
#include "harness/streams/faster_read.hpp"
#include "harness/streams/streams.hpp"
#include "harness/topology.hpp"
#include "probes/memory_budget.hpp"
#include "probes/order.hpp"
#include "probes/paged_buffer.hpp"
#include "probes/probe.hpp"
#include "probes/stream_sweep.hpp"
#include "probes/sweep.hpp"
#include "probes/working_sets.hpp"

namespace probes {
namespace {

/// 48 KiB stands for experts whose size is no power of two.
const std::vector<int64_t> own_chunks_bytes{4096, 8192, 16384, 32768, 49152, 65536, 131072, 262144};
constexpr int64_t least_chunks = 4;  ///< fewer in a pool would be a cyclic stream
constexpr int64_t unknown_llc_bytes = int64_t{32} << 20;

int64_t whole_pool_bytes(const ProbeContext& context) {
  const harness::Cache* llc = harness::last_level_cache(context.topology);
  return 4 * (llc == nullptr ? unknown_llc_bytes : static_cast<int64_t>(llc->bytes));
}

/// Returns the chunk sizes, ascending, or why they do not fit into the pool.
harness::Reading<std::vector<int64_t>> chunk_sizes(const ProbeContext& context, int64_t pool_bytes) {
  auto sizes = [&] {
    if (!context.sizes_bytes.empty()) return sweep_sizes(context, pool_bytes);
    auto own = own_chunks_bytes;
    own.erase(std::remove_if(own.begin(), own.end(),
                             [&](int64_t size) { return size * least_chunks > pool_bytes; }),
              own.end());
    return harness::Reading<std::vector<int64_t>>(own);
  }();
  if (!harness::available(sizes)) return sizes;
  const auto& fitting = std::get<std::vector<int64_t>>(sizes);
  if (fitting.empty() || fitting.back() * least_chunks > pool_bytes)
    return harness::Unavailable{
        fmt::format("a pool of {} bytes holds fewer than {} chunks", pool_bytes, least_chunks)};
  return sizes;
}

harness::Series run(const ProbeContext& context) {
  int64_t pool_bytes = context.variant.pool_bytes;
  if (pool_bytes == 0) pool_bytes = whole_pool_bytes(context);
  if (pool_bytes > memory_budget_bytes()) {
    return unavailable_series("chunked_stream",
                              fmt::format("a pool of {} bytes exceeds the {} that may be taken", pool_bytes,
                                          memory_budget_bytes()));
  }
  const auto sizes = chunk_sizes(context, pool_bytes);
  if (!harness::available(sizes))
    return unavailable_series("chunked_stream", std::get<harness::Unavailable>(sizes).reason);
  const auto taken = take_buffer(pool_bytes, context.variant.pages, context.seed);
  if (!harness::available(taken))
    return unavailable_series("chunked_stream", std::get<harness::Unavailable>(taken).reason);
  const auto& buffer = std::get<harness::Buffer>(taken);
  const harness::Streams& streams = harness::select_streams(context.features);
  std::vector<const std::byte*> chunks;
  uint64_t one_lap = 0, got = 0;
  harness::ReadLoop loop = streams.read;
  std::set<int64_t> ahead_at;
  const auto read_laps = [&](harness::ReadLoop with, int64_t size, int64_t laps) {
    uint64_t sum = 0;
    for (int64_t lap = 0; lap < laps; ++lap) {
      for (const std::byte* chunk : chunks) sum ^= with(chunk, static_cast<size_t>(size), 1);
    }
    return sum;
  };

  SweepBody body;
  body.work_unit = "bytes";
  body.begin = [&](int64_t size) {
    chunks.clear();
    const auto count = static_cast<size_t>(pool_bytes / size);
    for (const size_t position : shuffled_positions(count, context.seed + static_cast<uint64_t>(size)))
      chunks.push_back(buffer.data() + position * static_cast<size_t>(size));
    one_lap = harness::streams_tables().front().read(buffer.data(), count * static_cast<size_t>(size), 1);
    loop = harness::faster_read(
        streams, [&](harness::ReadLoop tried, int64_t laps) { return read_laps(tried, size, laps); });
    if (loop == streams.read_ahead) ahead_at.insert(size);
  };
  body.work = [&](int64_t size, int64_t repeats) { got = read_laps(loop, size, repeats); };
  body.refresh = [&](int64_t size) { body.work(size, 1); };
  body.units_per_repeat = [&](int64_t size) { return static_cast<int64_t>(chunks.size()) * size; };
  body.verify = [&](int64_t repeats) { return repeats % 2 == 1 && got == one_lap; };

  harness::Series series;
  series.probe = "chunked_stream";
  sweep(context, std::get<std::vector<int64_t>>(sizes), body, series);
  series.params["pool_bytes"] = pool_bytes;
  record_pages(series, buffer, context.variant.pages);
  record_stream(series, "read", context.features);
  record_read_loops(series, ahead_at);
  return series;
}

/// Pools from four last-level caches down to one second-level cache.
std::vector<Variant> variants(const ProbeContext& context) {
  const int64_t whole = whole_pool_bytes(context);
  const harness::Cache* second = harness::find_cache(context.topology, 2);
  std::vector<Variant> listed;
  for (const int64_t pool :
       {whole, whole / 4, whole / 8, second == nullptr ? 0 : static_cast<int64_t>(second->bytes)}) {
    if (pool < least_chunks * own_chunks_bytes.front()) continue;
    Variant variant;
    variant.pool_bytes = pool / size_quantum_bytes * size_quantum_bytes;
    if (std::find(listed.begin(), listed.end(), variant) == listed.end()) listed.push_back(variant);
  }
  return listed;
}

}  // namespace

extern const Probe chunked_stream_probe;
const Probe chunked_stream_probe{"chunked_stream",
                                 "read bandwidth of chunks (--size) at random places of a pool (--pool)",
                                 true,
                                 run,
                                 "pages pool",
                                 variants};

}  // namespace probes
