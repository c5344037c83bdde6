#include "harness/eviction_evidence.hpp"

#include <fmt/format.h>

#include <cmath>

namespace harness {
namespace {

/// Writes and reads each number under the same name.
struct Fields {
  EvidenceParams* write = nullptr;
  const EvidenceParams* read = nullptr;
  std::string missing;

  void operator()(const std::string& name, int64_t& value) {
    if (write != nullptr) {
      (*write)["check_" + name] = value;
      return;
    }
    const auto found = read->find("check_" + name);
    const auto* number = found == read->end() ? nullptr : std::get_if<int64_t>(&found->second);
    if (number == nullptr && missing.empty()) missing = "check_" + name;
    value = number == nullptr ? 0 : *number;
  }
  void operator()(const std::string& name, double& whole_ns) {
    auto number = static_cast<int64_t>(std::llround(whole_ns));
    (*this)(name, number);
    whole_ns = static_cast<double>(number);
  }
};

void interval_fields(Fields& fields, const std::string& name, Interval& interval) {
  fields(name + "_ns", interval.median);
  fields(name + "_low_ns", interval.low);
  fields(name + "_high_ns", interval.high);
}

void lap_fields(Fields& fields, EvictionEvidence& evidence) {
  fields("count", evidence.checks);
  fields("lap_bytes", evidence.lap_bytes);
  interval_fields(fields, "warm_lap", evidence.references.warm_ns);
  interval_fields(fields, "flushed_lap", evidence.references.flushed_ns);
  fields("first_lap_ns", evidence.first_lap_ns);
}

void meter_fields(Fields& fields, ResidencyCalibration& calibration, LineCount& seen) {
  fields("threshold_ticks", calibration.threshold_ticks);
  fields("cached_lines", calibration.cached_lines);
  fields("cached_missed", calibration.cached_missed);
  fields("flushed_lines", calibration.flushed_lines);
  fields("flushed_missed", calibration.flushed_missed);
  fields("lines", seen.lines);
  fields("resident_lines", seen.resident);
}

const std::string no_meter = "check_no_meter";
constexpr size_t longest_param = 128;

bool counts_are_possible(const ResidencyCalibration& calibration, const LineCount& seen) {
  return calibration.cached_missed >= 0 && calibration.cached_missed <= calibration.cached_lines &&
         calibration.flushed_missed >= 0 && calibration.flushed_missed <= calibration.flushed_lines &&
         seen.resident >= 0 && seen.resident <= seen.lines;
}

}  // namespace

Reading<EvictionVerdict> judge_eviction(const EvictionEvidence& evidence) {
  const auto cold_ns = cold_lap_ns(evidence.references);
  const auto* calibration = std::get_if<ResidencyCalibration>(&evidence.calibration);
  const bool meter_tells = calibration != nullptr && evidence.seen.lines > 0;
  if (!available(cold_ns) && !meter_tells) {
    return Unavailable{std::get<Unavailable>(cold_ns).reason +
                       (calibration == nullptr ? "; " + std::get<Unavailable>(evidence.calibration).reason
                                               : "; the meter saw no line")};
  }
  EvictionVerdict verdict;
  verdict.resident = Unavailable{"no line was looked at"};
  if (calibration == nullptr) verdict.resident = std::get<Unavailable>(evidence.calibration);
  if (meter_tells) {
    const Interval share = resident_fraction(*calibration, evidence.seen);
    verdict.resident = share;
    if (!is_cold(*calibration, evidence.seen)) {
      verdict.why = fmt::format("{:.0f} % [{:.0f}, {:.0f}] of the lines looked at were still cached",
                                share.median * 100, share.low * 100, share.high * 100);
    }
  }
  if (available(cold_ns) && evidence.first_lap_ns < std::get<double>(cold_ns)) {
    verdict.why +=
        fmt::format("{}the first lap took {:.0f} ns, a cold one takes {:.0f} ns or more",
                    verdict.why.empty() ? "" : "; ", evidence.first_lap_ns, std::get<double>(cold_ns));
  }
  verdict.evicted = verdict.why.empty();
  return verdict;
}

EvidenceParams evidence_params(const EvictionEvidence& evidence) {
  EvidenceParams params;
  EvictionEvidence copy = evidence;
  Fields fields{&params, nullptr, ""};
  lap_fields(fields, copy);
  if (auto* calibration = std::get_if<ResidencyCalibration>(&copy.calibration)) {
    meter_fields(fields, *calibration, copy.seen);
  } else {
    params[no_meter] = std::get<Unavailable>(copy.calibration).reason.substr(0, longest_param);
  }
  return params;
}

Reading<EvictionEvidence> read_evidence(const EvidenceParams& params) {
  EvictionEvidence evidence;
  Fields fields{nullptr, &params, ""};
  lap_fields(fields, evidence);
  const auto absent = params.find(no_meter);
  if (absent != params.end() && std::holds_alternative<std::string>(absent->second)) {
    evidence.calibration = Unavailable{std::get<std::string>(absent->second)};
  } else {
    ResidencyCalibration calibration;
    meter_fields(fields, calibration, evidence.seen);
    if (fields.missing.empty() && !counts_are_possible(calibration, evidence.seen))
      return Unavailable{"the meter's counts contradict each other"};
    evidence.calibration = calibration;
  }
  if (!fields.missing.empty()) return Unavailable{fields.missing + " is missing"};
  return evidence;
}

}  // namespace harness
