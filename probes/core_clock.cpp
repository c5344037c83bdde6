// core_clock: how many cycles per second the core really makes, from a chain whose length in cycles is known.
#include <string>

#include "probes/probe.hpp"
#include "probes/sweep.hpp"

namespace probes {
namespace {

/// imul r32, r32 takes 3 cycles on every Intel core since Nehalem, efficiency cores included (where the
/// 64-bit form takes 5), and on every AMD core since Zen (uops.info IMUL_R32_R32; Agner Fog, Instruction
/// tables). An add would not do: additions of constants are folded at rename on recent cores and seem to run
/// at 11 GHz.
constexpr int64_t cycles_per_multiply = 3;
constexpr int64_t multiplies_per_turn = 16;  // of the loop below
constexpr int64_t multiplies_per_repeat = multiplies_per_turn * 64;
constexpr int64_t working_set_bytes = 4;  // one register: the curve has a single size

bool latency_is_known(const harness::CpuFeatures& features) {
  if (features.vendor == "GenuineIntel") return features.family >= 6 && features.family != 15;
  if (features.vendor == "AuthenticAMD" || features.vendor == "HygonGenuine") return features.family >= 0x17;
  return false;
}

#if defined(__x86_64__)
uint32_t multiply_chain(uint32_t value, int64_t repeats) {
  for (int64_t i = repeats * (multiplies_per_repeat / multiplies_per_turn); i > 0; --i) {
    asm volatile(
        "imul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0\n\t"
        "imul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0\n\t"
        "imul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0\n\t"
        "imul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0"
        : "+r"(value)
        :
        : "cc");
  }
  return value;
}
#else
uint32_t multiply_chain(uint32_t value, int64_t) {
  return value;
}
#endif

harness::Series run(const ProbeContext& context) {
  if (!latency_is_known(context.features)) {
    return unavailable_series("core_clock", "no instruction of known latency for this CPU (" +
                                                context.features.arch + " " + context.features.vendor + ")");
  }
  uint32_t value = 3;
  SweepBody body;
  body.work_unit = "cycles";
  body.begin = body.refresh = [](int64_t) {};
  body.work = [&](int64_t, int64_t repeats) { value = multiply_chain(value, repeats); };
  body.units_per_repeat = [](int64_t) { return multiplies_per_repeat * cycles_per_multiply; };
  body.verify = [&](int64_t) { return value % 2 == 1; };  // a product of odd numbers is odd

  harness::Series series;
  series.probe = "core_clock";
  sweep(context, {working_set_bytes}, body, series);
  series.params["chain"] = std::string("imul r32, r32");
  series.params["cycles_per_multiply"] = cycles_per_multiply;
  return series;
}

}  // namespace

extern const Probe core_clock_probe;
const Probe core_clock_probe{
    "core_clock", "cycles per second of this core (chain of dependent multiplications)", false, run};

}  // namespace probes
