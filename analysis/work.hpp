// What a token of a model asks of a core: bytes, multiply-adds, values.
#pragma once
#include <cstdint>
#include <string>

#include "models/shape.hpp"

namespace analysis {

struct Work {
  std::string name;
  double weight_bytes = 0;     ///< read per token
  double dense_bytes = 0;      ///< of these, what every token reads; the rest is drawn from the pool
  double pool_bytes = 0;       ///< all experts' weights
  int experts = 0, top_k = 0;  ///< 0: how many a token draws is not known
  std::string routing = "none";
  double macs = 0;            ///< multiply-adds with weights, as many of int8 as take as long
  double macs_spread = 1;     ///< how far that is trusted: 1 for a model that is int8 throughout
  double kv_bytes = 0;        ///< K and V read at the mean position
  double attention_macs = 0;  ///< multiply-adds with K and V at the mean position
  double values = 0;          ///< values that norms, activations and the rest pass through
  double mean_position = 0;
  bool knows_compute = false;  ///< false: only bytes are known

  /// All that must be resident for every token to find its weights: with experts all of them.
  [[nodiscard]] double resident_bytes() const {
    return pool_bytes > 0 ? dense_bytes + pool_bytes : weight_bytes;
  }
};

/// Takes a model's work from its shape, at the mean of the positions that are timed by default, its experts
/// chosen as `routing` says.
Work work_of(const models::Shape& shape, const std::string& routing = "none");
/// Makes the work of a model of which only its size and what a token reads of it are known.
Work work_of_bytes(int64_t weight_bytes, int64_t active_bytes);

}  // namespace analysis
