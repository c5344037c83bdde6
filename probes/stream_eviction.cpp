#include "probes/stream_eviction.hpp"

#include <algorithm>

namespace probes {

StreamEviction::StreamEviction(const std::vector<int64_t>& sizes_bytes, const harness::CpuFeatures& features,
                               uint64_t seed)
    : memory_(static_cast<size_t>(*std::max_element(sizes_bytes.begin(), sizes_bytes.end())),
              harness::Pages::huge, seed),
      streams_(&harness::select_streams(features)) {
  // The plain stream says what the data is: a faulty wide one must not confirm itself.
  const harness::Streams& plain = harness::streams_tables().front();
  for (const int64_t size : sizes_bytes)
    checksums_[size] = plain.read(memory_.data(), static_cast<size_t>(size), 1);
}

bool StreamEviction::evict(int64_t bytes) const {
  return streams_->read(memory_.data(), static_cast<size_t>(bytes), 1) == checksums_.at(bytes);
}

}  // namespace probes
