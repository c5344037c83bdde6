#include "probes/eviction_check.hpp"

#include <algorithm>
#include <utility>

#include "harness/buffer.hpp"
#include "harness/counter_math.hpp"
#include "harness/statistics.hpp"

namespace probes {
namespace {

constexpr int lines_per_check = 64;
constexpr size_t largest_lap_bytes = size_t{16} << 20;
constexpr uintptr_t line_bytes = 64;
constexpr size_t stream_quantum_bytes = 512;  // what one turn of a read stream takes

/// Returns the part of a region that a stream can read, of at most `limit` bytes.
Region readable(Region region, size_t limit) {
  const auto at = reinterpret_cast<uintptr_t>(region.data());
  const size_t skip = (line_bytes - at % line_bytes) % line_bytes;
  if (region.size() <= skip) return {};
  const size_t bytes = std::min(region.size() - skip, limit);
  return region.subspan(skip, bytes / stream_quantum_bytes * stream_quantum_bytes);
}

std::vector<Region> lap_regions(const std::vector<Region>& weights) {
  std::vector<Region> laps;
  size_t left = largest_lap_bytes;
  for (const Region region : weights) {
    const Region part = readable(region, left);
    if (part.empty()) continue;
    laps.push_back(part);
    left -= part.size();
  }
  return laps;
}

}  // namespace

EvictionCheck::EvictionCheck(std::vector<Region> weights, harness::Clock clock,
                             const harness::Streams& streams, harness::Reading<ResidencyMeter> meter,
                             int llc_level, uint64_t seed)
    : weights_(std::move(weights)),
      laps_(lap_regions(weights_)),
      clock_(clock),
      streams_(&streams),
      meter_(std::move(meter)),
      lines_(weights_, seed),
      llc_level_(llc_level) {}

int64_t EvictionCheck::lap_ns() {
  uint64_t got = 0;
  const int64_t start_ns = clock_.now_ns();
  for (const Region region : laps_) got ^= streams_->read(region.data(), region.size(), 1);
  const int64_t end_ns = clock_.now_ns();
  laps_agree_ &= checksum_.value_or(got) == got;
  checksum_ = got;
  return end_ns - start_ns;
}

void EvictionCheck::run(const std::function<void()>& use, const std::function<void()>& evict,
                        harness::Counters& counters) {
  lap_ns();
  harness::CheckLaps times;
  times.warm_ns = lap_ns();
  for (const Region region : laps_) harness::flush_from_caches(region.data(), region.size());
  times.flushed_ns = lap_ns();
  const auto drawn =
      lines_.draw_again(lines_per_check);  // before the evictions: what drawing touches is not after them
  for (int i = 0; i < 2; ++i) {
    use();
    evict();
  }
  if (const auto* meter = std::get_if<ResidencyMeter>(&meter_)) looks_.push_back(meter->look(drawn));
  counters.start();
  times.first_ns = lap_ns();
  checks_.push_back(times);
  const auto misses = harness::last_level_misses(counters.stop(), llc_level_);
  if (misses_ && misses) {
    *misses_ += *misses;
  } else {
    misses_.reset();
  }
}

harness::EvictionEvidence EvictionCheck::evidence() const {
  harness::EvictionEvidence evidence;
  evidence.laps = checks_;
  for (const Region region : laps_) evidence.lap_bytes += static_cast<int64_t>(region.size());
  if (const auto* meter = std::get_if<ResidencyMeter>(&meter_)) {
    evidence.calibration = meter->calibration();
  } else {
    evidence.calibration = std::get<harness::Unavailable>(meter_);
  }
  evidence.looks = looks_;
  harness::sum_up(evidence);
  return evidence;
}

harness::EvidenceParams EvictionCheck::params() const {
  const auto found = evidence();
  harness::EvidenceParams params = harness::evidence_params(found);
  if (misses_ && found.checks > 0) {
    params["check_counted_misses"] = *misses_;
    params["check_counted_lines"] = found.checks * found.lap_bytes / static_cast<int64_t>(line_bytes);
  }
  return params;
}

}  // namespace probes
