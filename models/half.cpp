#include "models/half.hpp"

#include <bit>

namespace models {
namespace {

constexpr uint32_t f32_infinity = 0x7F800000, f16_infinity = 0x7C00;
constexpr uint32_t mantissa_cut = 13;             // 23 − 10 bits
constexpr uint32_t exponent_shift = 127 - 15;     // of the two biases
constexpr uint32_t smallest_normal = 113u << 23;  // 2^−14
constexpr uint32_t overflow = 143u << 23;         // 2^16: beyond every half, rounded or not

/// Shifts right and rounds to nearest, ties to even.
uint32_t shifted(uint32_t value, uint32_t by) {
  const uint32_t below = value & ((1u << by) - 1), middle = 1u << (by - 1);
  value >>= by;
  return value + (below > middle || (below == middle && (value & 1) != 0) ? 1 : 0);
}

uint32_t magnitude_from_bits(uint32_t bits) {
  if (bits > f32_infinity) return f16_infinity | 0x200;
  if (bits >= overflow) return f16_infinity;
  // A carry out of the mantissa rightly enters the exponent, up to infinity.
  if (bits >= smallest_normal) return shifted(bits - (exponent_shift << 23), mantissa_cut);
  const uint32_t exponent = bits >> 23;
  constexpr uint32_t lowest = 102;  // 2^−25, half of the smallest half: it and all below round to 0
  if (exponent < lowest) return 0;
  return shifted((bits & 0x7FFFFF) | 0x800000, 126 - exponent);
}

}  // namespace

uint16_t half_from_float(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits >> 16 & 0x8000) | magnitude_from_bits(bits & 0x7FFFFFFF));
}

float float_from_half(uint16_t half) {
  const uint32_t sign = (half & 0x8000u) << 16, magnitude = half & 0x7FFFu;
  if (magnitude >= f16_infinity) return std::bit_cast<float>(sign | f32_infinity | (magnitude & 0x3FF) << 13);
  // As an f32 of the same bits it is 2^112 too small; scaling by a power of two is exact, subnormal or not.
  const float scaled = std::bit_cast<float>(magnitude << mantissa_cut) * 0x1p112f;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(scaled));
}

}  // namespace models
