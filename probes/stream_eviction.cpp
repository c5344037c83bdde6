#include "probes/stream_eviction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "harness/topology.hpp"
#include "probes/memory_budget.hpp"

namespace probes {

int64_t stream_memory_bytes(int64_t llc_bytes) {
  constexpr int64_t at_least_bytes = int64_t{512} << 20;
  return std::max(4 * llc_bytes, at_least_bytes);
}

StreamEviction::StreamEviction(const std::vector<int64_t>& sizes_bytes, int64_t memory_bytes,
                               const harness::CpuFeatures& features, uint64_t seed)
    : memory_(static_cast<size_t>(
                  std::min(memory_bytes, *std::max_element(sizes_bytes.begin(), sizes_bytes.end()))),
              harness::Pages::huge, seed),
      streams_(&harness::select_streams(features)) {
  // The plain stream says what the data is: a faulty wide one must not confirm itself.
  const harness::Streams& plain = harness::streams_tables().front();
  for (const int64_t size : sizes_bytes) checksums_[size] = read(plain, size);
}

uint64_t StreamEviction::read(const harness::Streams& streams, int64_t bytes) const {
  const auto whole = static_cast<int64_t>(memory_.bytes());
  uint64_t sum = 0;
  for (int64_t left = bytes; left > 0; left -= whole) {
    // Rotated, so that two passes do not leave 0: what reading nothing would leave.
    sum = std::rotl(sum, 1) ^ streams.read(memory_.data(), static_cast<size_t>(std::min(left, whole)), 1);
  }
  return sum;
}

bool StreamEviction::evict(int64_t bytes) const {
  return read(*streams_, bytes) == checksums_.at(bytes);
}

harness::Reading<WholeStream> whole_stream(const ProbeContext& context) {
  if (context.shared_stream == nullptr)
    return harness::Unavailable{"nobody streams where the probe eviction is not taken"};
  if (context.shared_stream->stream.eviction) return context.shared_stream->stream;
  const harness::Cache* llc = harness::last_level_cache(context.topology);
  const int64_t memory_bytes = stream_memory_bytes(llc == nullptr ? 0 : static_cast<int64_t>(llc->bytes));
  if (memory_bytes > memory_budget_bytes())
    return harness::Unavailable{fmt::format("{} bytes may not be taken here", memory_bytes)};
  WholeStream stream;
  stream.bytes = 2 * memory_bytes;
  stream.eviction = std::make_shared<const StreamEviction>(std::vector<int64_t>{stream.bytes}, memory_bytes,
                                                           context.features, context.seed);
  context.shared_stream->stream = stream;
  return stream;
}

}  // namespace probes
