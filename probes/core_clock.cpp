// core_clock: how many cycles per second the core really makes, from a chain whose length in cycles is known.
#include <string>

#include "harness/cycle_chain.hpp"
#include "probes/probe.hpp"
#include "probes/sweep.hpp"

namespace probes {
namespace {

constexpr int64_t multiplies_per_repeat = 16 * 64;
constexpr int64_t working_set_bytes = 4;  // one register: the curve has a single size

harness::Series run(const ProbeContext& context) {
  if (!harness::multiply_latency_is_known(context.features)) {
    return unavailable_series("core_clock", "no instruction of known latency for this CPU (" +
                                                context.features.arch + " " + context.features.vendor + ")");
  }
  uint32_t value = 3;
  SweepBody body;
  body.work_unit = "cycles";
  body.begin = body.refresh = [](int64_t) {};
  body.work = [&](int64_t, int64_t repeats) {
    value = harness::multiply_chain(value, repeats * multiplies_per_repeat);
  };
  body.units_per_repeat = [](int64_t) { return multiplies_per_repeat * harness::cycles_per_multiply; };
  body.verify = [&](int64_t) { return value % 2 == 1; };  // a product of odd numbers is odd

  harness::Series series;
  series.probe = "core_clock";
  sweep(context, {working_set_bytes}, body, series);
  series.params["chain"] = std::string("imul r32, r32");
  series.params["cycles_per_multiply"] = harness::cycles_per_multiply;
  return series;
}

}  // namespace

extern const Probe core_clock_probe;
const Probe core_clock_probe{
    "core_clock", "cycles per second of this core (chain of dependent multiplications)",
    false,        run,
    "",           nullptr,
    0.05,         false};

}  // namespace probes
