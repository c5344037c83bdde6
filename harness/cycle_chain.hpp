// Instructions whose number of cycles is known: what a core's real clock is measured with.
#pragma once
#include <cstdint>

#include "harness/cpu_features.hpp"

namespace harness {

/// imul r32, r32 takes 3 cycles on every Intel core since Nehalem, efficiency cores included (where the
/// 64-bit form takes 5), and on every AMD core since Zen (uops.info IMUL_R32_R32; Agner Fog, Instruction
/// tables). An add would not do: additions of constants are folded at rename on recent cores and seem to run
/// at 11 GHz.
inline constexpr int64_t cycles_per_multiply = 3;

/// Returns whether cycles_per_multiply is known to hold on this CPU.
bool multiply_latency_is_known(const CpuFeatures& features);

/// Multiplies `value` by itself `multiplies` times, each waiting for the one before; `multiplies` is rounded
/// down to whole turns of 16. Odd stays odd. Returns `value` unchanged where the chain is not written for the
/// architecture.
uint32_t multiply_chain(uint32_t value, int64_t multiplies);

/// Returns the clock of the core that this thread runs on now, in Hz: the fastest of three chains of about
/// 3 µs each, which touch no memory. 0 where no instruction of known latency is at hand.
double read_core_clock_hz();

}  // namespace harness
