#include "probes/stream_sweep.hpp"

#include <fmt/format.h>

#include "harness/streams/streams.hpp"
#include "probes/paged_buffer.hpp"
#include "probes/stream_work.hpp"
#include "probes/sweep.hpp"

namespace probes {

std::string missing_stream(const std::string& operation, const harness::CpuFeatures& features) {
  const harness::Streams& streams = harness::select_streams(features);
  if (operation != "store_nt" || streams.store_nt != nullptr) return "";
  return fmt::format("the {} stream has no non-temporal stores", streams.isa);
}

void record_stream(harness::Series& series, const std::string& operation,
                   const harness::CpuFeatures& features) {
  const harness::Streams& streams = harness::select_streams(features);
  series.params["operation"] = operation;
  series.params["traffic_ratio"] = find_operation(operation).traffic_ratio;
  series.params["isa"] = std::string(streams.isa);
  series.params["vector_bytes"] = static_cast<int64_t>(streams.vector_bytes);
}

void record_read_loops(harness::Series& series, const std::set<int64_t>& ahead_at) {
  constexpr size_t longest_param = 128;
  std::string letters;
  for (const int64_t size : series.sizes_bytes) letters += ahead_at.count(size) > 0 ? 'a' : 'r';
  for (size_t at = 0; at < letters.size(); at += longest_param) {
    const std::string name = at == 0 ? "read_loops" : fmt::format("read_loops_{}", at / longest_param + 1);
    series.params[name] = letters.substr(at, longest_param);
  }
}

harness::Series stream_sweep(const std::string& probe, const ProbeContext& context,
                             const std::vector<int64_t>& sizes_bytes) {
  const Operation& operation = find_operation(context.variant.operation);
  if (array_bytes(operation, sizes_bytes.front()) == 0) {
    return unavailable_series(probe, fmt::format("a set of {} bytes is too small for the {} arrays of {}",
                                                 sizes_bytes.front(), operation.arrays, operation.name));
  }
  const std::string missing = missing_stream(operation.name, context.features);
  if (!missing.empty()) return unavailable_series(probe, missing);
  const auto taken =
      take_buffer(arrays_total_bytes(operation, sizes_bytes.back()), context.variant.pages, context.seed);
  if (!harness::available(taken))
    return unavailable_series(probe, std::get<harness::Unavailable>(taken).reason);
  const auto& buffer = std::get<harness::Buffer>(taken);
  StreamWork work(harness::select_streams(context.features), buffer, operation);

  SweepBody body;
  body.work_unit = "bytes";
  std::set<int64_t> ahead_at;
  body.begin = [&](int64_t size) {
    work.prepare(size);
    if (work.reads_ahead()) ahead_at.insert(size);
  };
  body.refresh = [&](int64_t) { work.refresh(); };
  body.work = [&](int64_t, int64_t repeats) { work.run(repeats); };
  body.units_per_repeat = [&](int64_t) { return work.moved_bytes(); };
  body.verify = [&](int64_t repeats) { return work.is_right(repeats); };

  harness::Series series;
  series.probe = probe;
  sweep(context, sizes_bytes, body, series);
  record_pages(series, buffer, context.variant.pages);
  record_stream(series, operation.name, context.features);
  if (context.variant.operation == "read") record_read_loops(series, ahead_at);
  return series;
}

}  // namespace probes
