#include "analysis/serving_roof.hpp"

#include "analysis/probe_series.hpp"
#include "harness/eviction_evidence.hpp"

namespace analysis {

int64_t resident_bytes(const models::Shape& shape, const models::Cost& cost) {
  return shape.experts.count == 0 ? cost.weight_bytes_per_token : cost.weight_bytes;
}

std::optional<ServingRoof> serving_roof(const harness::Submission& submission,
                                        const harness::DecodeResult& result) {
  const models::Shape* shape = models::known_shape(result.key.model);
  const int64_t bytes =
      shape != nullptr ? resident_bytes(*shape, models::cost(*shape)) : result.weight_bytes_per_token;
  const std::string level =
      harness::evicts_weights(result.key.mode) ? "dram" : level_of_size(submission.machine, bytes);
  for (const harness::Roof& roof : submission.derived.roofs) {
    const auto* rate = std::get_if<harness::Interval>(&roof.read_bytes_per_s);
    if (roof.level == level && roof.core_kind == result.key.core_kind && roof.threads == result.key.threads &&
        rate != nullptr && roof.invalid.empty())
      return ServingRoof{level, rate->median};
  }
  return std::nullopt;
}

}  // namespace analysis
