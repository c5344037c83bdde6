// IEEE 754 half precision (binary16), in which group scales are stored.
#pragma once
#include <cstdint>

namespace models {

/// Rounds to the nearest half, ties to even; overflow gives infinity. Integers only: the same bits on every
/// CPU and compiler. A NaN stays one.
uint16_t half_from_float(float value);
/// Exact.
float float_from_half(uint16_t half);

}  // namespace models
