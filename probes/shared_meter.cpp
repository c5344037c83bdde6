#include "probes/shared_meter.hpp"

#include <string>

#include "probes/load_timer.hpp"

namespace probes {
namespace {

constexpr size_t longest_param = 128;

}  // namespace

SharedMeter shared_meter(const ProbeContext& context) {
  if (context.shared_loads != nullptr && context.shared_loads->loads)
    return {ResidencyMeter::make(load_timer(), *context.shared_loads->loads), true};
  return {ResidencyMeter::make(load_timer(), context.topology, harness::select_streams(context.features),
                               context.seed),
          false};
}

harness::EvidenceParams SharedMeter::params() const {
  if (const auto* why = std::get_if<harness::Unavailable>(&meter))
    return {{"no_meter", why->reason.substr(0, longest_param)}};
  if (is_shared) return {{"calibrated_by", std::string("residency")}};
  return harness::calibration_params(std::get<ResidencyMeter>(meter).calibration());
}

}  // namespace probes
