// Does a model fit this machine's memory? Asked before a child process would be killed for it.
#pragma once
#include <cstdint>

#include "models/shape.hpp"

namespace cli {

/// Returns what a decoder of synthetic weights takes while it is made: the weights as drawn and as packed, K
/// and V, state.
int64_t decode_bytes(const models::Shape& shape);

/// Throws Error(unavailable) when that is more than `available_bytes`.
void check_decode_memory(const models::Shape& shape, int64_t available_bytes);

/// Returns the memory that is available to this process, or the most that could be told.
int64_t available_memory_bytes();

}  // namespace cli
