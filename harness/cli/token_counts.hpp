// The deterministic companion of `compare`: what a token is made of on one kernel table, counted and not
// timed.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/error.hpp"
#include "models/kernel_counts.hpp"

namespace cli {

/// Counts of one model on one table, over the tokens at positions first … last.
struct TokenCounts {
  std::string model, isa, arithmetic, routing, kernel_version;
  int position_first = 0, position_last = 0;
  int64_t weight_bytes_per_token = 0;  ///< what the model's shape says, whatever the table
  models::CountedTokens counted;
  /// Of all counted tokens, by the CPU's own counter (PAPI_TOT_INS).
  harness::Reading<int64_t> instructions = harness::Unavailable{"not counted"};
};

/// Adds up calls, bytes and multiply-adds of a kind, per token.
struct PerToken {
  double weight_bytes = 0, kv_bytes = 0, vector_bytes = 0, macs = 0, calls = 0;
};
PerToken per_token(const TokenCounts& counts);

nlohmann::ordered_json to_json(const TokenCounts& counts);

/// Returns what to compare of one entry of `counts --json`, each figure under its name. Throws
/// Error(invalid_input) for what is no such entry.
std::map<std::string, std::string> comparable_counts(const nlohmann::ordered_json& entry);

/// One figure that is not the same on both sides; "-" where a side has none of that name.
struct CountChange {
  std::string what, before, after;
};
std::vector<CountChange> count_changes(const std::map<std::string, std::string>& before,
                                       const std::map<std::string, std::string>& after);

}  // namespace cli
