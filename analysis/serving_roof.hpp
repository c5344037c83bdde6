// Which read roof are a decode's weights held against? Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "harness/submission.hpp"
#include "models/shape.hpp"

namespace analysis {

/// Returns the weights that a cache must hold for tokens to find theirs in it: of experts all, since nobody
/// knows beforehand which come next.
int64_t resident_bytes(const models::Shape& shape, const models::Cost& cost);

struct ServingRoof {
  std::string level;
  double read_bytes_per_s = 0;  ///< median, by as many threads on cores of the same kind
};

/// Returns the roof of the smallest cache whose reported size holds the decode's weights (all experts; of a
/// model that is not built in what a token reads), of memory where none does or the mode evicts; nothing
/// where that roof was not taken or is invalid. What `cache_roof` and `dram_roof` argue with.
std::optional<ServingRoof> serving_roof(const harness::Submission& submission,
                                        const harness::DecodeResult& result);

}  // namespace analysis
