#include "probes/read_sweep.hpp"

#include "harness/streams/streams.hpp"
#include "probes/paged_buffer.hpp"
#include "probes/sweep.hpp"

namespace probes {

harness::Series read_sweep(const std::string& probe, const ProbeContext& context,
                           const std::vector<int64_t>& sizes_bytes, const harness::Buffer& buffer) {
  const harness::Streams& streams = harness::select_streams(context.features);
  uint64_t one_pass = 0, got = 0;

  SweepBody body;
  body.work_unit = "bytes";
  body.begin = [&](int64_t size) {
    // The plain stream says what the data is: a faulty wide one must not confirm itself.
    one_pass = harness::streams_tables().front().read(buffer.data(), static_cast<size_t>(size), 1);
  };
  body.refresh = [&](int64_t size) { got = streams.read(buffer.data(), static_cast<size_t>(size), 1); };
  body.work = [&](int64_t size, int64_t repeats) {
    got = streams.read(buffer.data(), static_cast<size_t>(size), repeats);
  };
  body.units_per_repeat = [](int64_t size) { return size; };
  body.verify = [&](int64_t repeats) { return repeats % 2 == 1 && got == one_pass; };

  harness::Series series;
  series.probe = probe;
  sweep(context, sizes_bytes, body, series);
  record_pages(series, buffer, context.variant.pages);
  series.params["isa"] = std::string(streams.isa);
  series.params["vector_bytes"] = static_cast<int64_t>(streams.vector_bytes);
  return series;
}

}  // namespace probes
