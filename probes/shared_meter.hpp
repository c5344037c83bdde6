// The residency meter that a probe looks with, and what its document says of the calibration.
#pragma once
#include "harness/error.hpp"
#include "harness/residency.hpp"
#include "probes/probe.hpp"
#include "probes/residency_meter.hpp"

namespace probes {

/// A meter, or why there is none.
struct SharedMeter {
  harness::Reading<ResidencyMeter> meter;
  bool is_shared = false;  ///< whether the probe `residency` of this process stored what it is calibrated on

  /// Returns the params that tell a reader of the series: calibrated_by, the calibration's numbers where
  /// nobody stored its loads, or no_meter with the reason.
  [[nodiscard]] harness::EvidenceParams params() const;
};

/// Returns the meter calibrated on the loads that `residency` took in this process, else on loads of its own.
SharedMeter shared_meter(const ProbeContext& context);

}  // namespace probes
