#include "probes/evidence.hpp"

#include <algorithm>
#include <string>

namespace probes {

void record_disturbance(harness::Series& series, int index, const harness::Disturbance& during) {
  add_totals(series.totals, during);
  mark_disturbance(series, index, during);
}

void mark_disturbance(harness::Series& series, int index, const harness::Disturbance& during) {
  for (const std::string& reason : harness::disturbance_reasons(during))
    series.disturbed[reason].push_back(index);
}

void add_totals(harness::Totals& totals, const harness::Totals& more) {
  totals.wall_ns += more.wall_ns;
  totals.cpu_ns += more.cpu_ns;
  totals.steal_ns += more.steal_ns;
  totals.involuntary_switches += more.involuntary_switches;
  totals.minor_faults += more.minor_faults;
  totals.major_faults += more.major_faults;
  totals.core_clock_high_hz = std::max(totals.core_clock_high_hz, more.core_clock_high_hz);
  if (more.core_clock_low_hz > 0 &&
      (totals.core_clock_low_hz == 0 || more.core_clock_low_hz < totals.core_clock_low_hz))
    totals.core_clock_low_hz = more.core_clock_low_hz;
}

void add_totals(harness::Totals& totals, const harness::Disturbance& during) {
  harness::Totals more{during.wall_ns,
                       during.cpu_ns,
                       during.steal_ns,
                       during.involuntary_switches,
                       during.minor_faults,
                       during.major_faults,
                       0,
                       0};
  add_totals(totals, more);
  for (const double clock_hz : {during.clock_before_hz, during.clock_after_hz}) {
    harness::Totals look;
    look.core_clock_low_hz = look.core_clock_high_hz = static_cast<int64_t>(clock_hz);
    add_totals(totals, look);
  }
}

}  // namespace probes
