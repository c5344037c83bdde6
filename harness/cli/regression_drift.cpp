#include "harness/cli/regression_drift.hpp"

#include <fmt/format.h>

#include <cmath>

#include "harness/statistics.hpp"

namespace cli {
namespace {

class Chance {
 public:
  explicit Chance(uint64_t seed) : random_(seed) {}
  double uniform() { return static_cast<double>(random_.next() >> 11) / 9007199254740992.0; }
  /// Normal with deviation 1 (Box & Muller 1958).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }
  size_t below(size_t bound) { return static_cast<size_t>(random_.below(bound)); }

 private:
  harness::SplitMix64 random_;
};

}  // namespace

analysis::SpeedSeries drifting_series(const DriftPlan& plan) {
  constexpr size_t from_the_end = 10;
  constexpr double roof_bytes_per_s = 1e11;
  Chance chance(plan.seed);
  const double phase = 6.283185307179586 * chance.uniform();
  const size_t places = plan.sittings - 2 * from_the_end + 1;
  const size_t step = from_the_end + chance.below(places);
  const size_t hump_length = from_the_end + chance.below(from_the_end + 1);
  const size_t hump_first = from_the_end + chance.below(plan.sittings - 2 * from_the_end - hump_length + 1);
  analysis::SpeedSeries made;
  made.key.model = "coreflow_1_9m";
  made.roof = "l3";
  made.machine.machine_key = fmt::format("{:064x}", plan.seed);
  // A stationary beginning.
  double away = plan.deviation * chance.normal() / std::sqrt(1 - plan.correlation * plan.correlation);
  for (size_t i = 0; i < plan.sittings; ++i) {
    const double wave =
        plan.wave_ratio * std::sin(phase + 6.283185307179586 * static_cast<double>(i) / plan.wave_sittings);
    analysis::SpeedPoint point;
    point.commit = static_cast<int64_t>(i);
    point.commit_name = fmt::format("{:08x}", i);
    point.document = point.commit;
    point.roof_bytes_per_s = roof_bytes_per_s;
    point.roof_fraction = 0.2 * std::exp(away + wave);
    if (i >= step) point.roof_fraction *= 1 - plan.slower;
    if (i >= hump_first && i < hump_first + hump_length) point.roof_fraction *= 1 + plan.hump;
    point.tokens_per_s = 1e5 * point.roof_fraction;
    point.kernel_version = "1";
    point.compiler = "GNU 12.2.0";
    made.points.push_back(point);
    away = plan.correlation * away + plan.deviation * chance.normal();
  }
  return made;
}

}  // namespace cli
