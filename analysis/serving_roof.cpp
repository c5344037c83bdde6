#include "analysis/serving_roof.hpp"

#include "analysis/probe_series.hpp"

namespace analysis {

bool reads_from_dram(const std::string& mode) {
  return mode == "evict_flush" || mode == "evict_stream";
}

int64_t resident_bytes(const models::Shape& shape, const models::Cost& cost) {
  return shape.experts.count == 0 ? cost.weight_bytes_per_token : cost.weight_bytes;
}

int holding_cache_level(const harness::Machine& machine, int64_t bytes) {
  for (int level = 1; level <= 3; ++level) {
    const harness::Cache* cache = level_cache(machine, level);
    if (cache != nullptr && static_cast<int64_t>(cache->bytes) >= bytes) return level;
  }
  return 0;
}

std::optional<ServingRoof> serving_roof(const harness::Submission& submission,
                                        const harness::DecodeResult& result) {
  const models::Shape* shape = models::known_shape(result.key.model);
  const int64_t bytes =
      shape != nullptr ? resident_bytes(*shape, models::cost(*shape)) : result.weight_bytes_per_token;
  const int cache = reads_from_dram(result.key.mode) ? 0 : holding_cache_level(submission.machine, bytes);
  const std::string level = cache == 0 ? "dram" : level_name(cache);
  for (const harness::Roof& roof : submission.derived.roofs) {
    const auto* rate = std::get_if<harness::Interval>(&roof.read_bytes_per_s);
    if (roof.level == level && roof.core_kind == result.key.core_kind && roof.threads == result.key.threads &&
        rate != nullptr && roof.invalid.empty())
      return ServingRoof{level, rate->median};
  }
  return std::nullopt;
}

}  // namespace analysis
