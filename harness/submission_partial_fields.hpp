// The keys of a partial run. Part of submission_json.cpp, which alone includes it.
#pragma once
#include <string>

#include "harness/submission_partial.hpp"
#include "harness/submission_reader.hpp"
#include "harness/submission_writer.hpp"

namespace harness {

inline constexpr const char* partial_schema = "tokroof/partial/1";

template <class Io, Like<PuTime> T>
void fields(Io& io, T& value) {
  io("pu", value.pu);
  io("busy_ns", value.busy_ns);
}

template <class Io, Like<ConditionTotals> T>
void fields(Io& io, T& value) {
  io("wall_ns", value.wall_ns);
  io("steal_ns", value.steal_ns);
  io("pu_times", value.pu_times);
  io("psi_some_us", value.psi_some_us);
  io("voluntary_switches", value.voluntary_switches);
  io("involuntary_switches", value.involuntary_switches);
  io("minor_faults", value.minor_faults);
  io("major_faults", value.major_faults);
}

template <class Io, Like<ResumeState> T>
void fields(Io& io, T& value) {
  io("boot_id", value.boot_id);
  io("run_start_ns", value.run_start_ns);
  io("saved_ns", value.saved_ns);
  io("elapsed", value.elapsed);
  io("models", value.models);
  io("launches", value.launches);
  io("complete", value.complete);
}

template <class Io, Like<PartialRun> T>
void fields(Io& io, T& value) {
  std::string schema = partial_schema;
  io("schema", schema);
  if constexpr (!Io::writing) {
    if (schema != partial_schema) Io::refuse(io.place("schema"), partial_schema);
  }
  io("interrupted", value.interrupted);
  io("reason", value.reason);
  io.unless("reason_exit_code", value.exit_code, 0);
  io("measured", value.measured);
  io.optional("resume", value.resume);
}

}  // namespace harness
