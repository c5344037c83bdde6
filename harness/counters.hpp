// Hardware and software-defined counters through PAPI.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/error.hpp"

namespace harness {

using CounterValues = std::map<std::string, Reading<int64_t>>;

/// What this machine counts, or why it does not.
struct CounterSupport {
  Reading<std::vector<std::string>>
      hardware_events;       ///< PAPI presets that count here; the reason quotes PAPI
  Reading<std::string> sde;  ///< "available", or why PAPI's SDE component is not
  std::string papi_version;
};
CounterSupport read_counter_support();

/// Software-defined events: what the decoder says it did, published through libsde so that the PAPI path is
/// exercised on every machine. Adding is one integer addition; not thread-safe.
struct WorkCounts {
  long long bytes_streamed = 0;
  long long tokens = 0;
  long long macs = 0;
};
/// Returns the process-wide counts that PAPI reads as sde:::tokroof::{bytes_streamed,tokens,macs}.
WorkCounts& work_counts();

/// Owns PAPI event sets of the calling thread: hardware events that the machine has, and our software-defined
/// ones (a set each: PAPI does not mix components). May be empty; every event asked for is then unavailable
/// with the reason. start and stop must be called on the thread that works; only one may run at a time.
class Counters {
 public:
  Counters();
  ~Counters();
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;
  /// Starts from zero. May be called again after stop.
  void start();
  /// Stops and returns one value per event: hardware events PAPI_TOT_CYC, PAPI_TOT_INS, PAPI_L1_DCM,
  /// PAPI_L2_TCM, PAPI_L3_TCM, PAPI_TLB_DM, and bytes_streamed, tokens, macs. A count that cannot be right is
  /// unavailable. Where there is no hardware counter at all, one entry `hardware_events` says why.
  CounterValues stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace harness
