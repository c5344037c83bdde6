#include "harness/counters.hpp"

#include <fmt/format.h>
#include <papi.h>
#include <sde_lib.h>

#include <array>
#include <fstream>

#include "harness/counter_math.hpp"

namespace harness {
namespace {

constexpr std::array hardware_events = {"PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_L1_DCM",
                                        "PAPI_L2_TCM",  "PAPI_L3_TCM",  "PAPI_TLB_DM"};
constexpr std::array software_events = {"bytes_streamed", "tokens", "macs"};

std::string full_name(const std::string& software_event) {
  return "sde:::tokroof::" + software_event;
}

/// What PAPI is in this process: initialised once, our software-defined events registered.
struct Papi {
  std::string failure;       ///< why nothing of PAPI works; "" when it does
  std::string sde_failure;   ///< why software-defined events do not
  std::string perf_failure;  ///< why the component of hardware events is disabled
  std::string version;
};

/// Returns PAPI's words for a status; it has none before it is initialised.
std::string error_text(int status) {
  const char* text = PAPI_strerror(status);
  return text == nullptr ? fmt::format("error {}", status) : text;
}

std::string component_failure(const std::string& name) {
  for (int i = 0; i < PAPI_num_components(); ++i) {
    const PAPI_component_info_t* component = PAPI_get_component_info(i);
    if (component == nullptr || name != component->name) continue;
    if (component->disabled == 0) return "";
    return component->disabled_reason[0] != '\0' ? component->disabled_reason
                                                 : error_text(component->disabled);
  }
  return fmt::format("this PAPI has no component {}", name);
}

std::string register_software_events() {
  papi_handle_t handle = papi_sde_init("tokroof");
  if (handle == nullptr) return "libsde cannot be initialised";
  WorkCounts& counts = work_counts();
  const std::array<long long*, software_events.size()> sources = {&counts.bytes_streamed, &counts.tokens,
                                                                  &counts.macs};
  for (size_t i = 0; i < sources.size(); ++i) {
    if (papi_sde_register_counter(handle, software_events[i], PAPI_SDE_RO | PAPI_SDE_DELTA,
                                  PAPI_SDE_long_long, sources[i]) != SDE_OK) {
      return fmt::format("libsde refuses the event {}", software_events[i]);
    }
  }
  return "";
}

Papi initialise_papi() {
  Papi papi;
  papi.sde_failure = register_software_events();
  PAPI_set_debug(PAPI_QUIET);  // its messages would mix with ours on stderr
  const int version = PAPI_library_init(PAPI_VER_CURRENT);
  if (version != PAPI_VER_CURRENT) {
    papi.failure = version > 0 ? "PAPI's library is of another version than its header"
                               : fmt::format("PAPI cannot be initialised: {}", error_text(version));
    papi.sde_failure = papi.perf_failure = papi.failure;
    return papi;
  }
  papi.version = fmt::format("{}.{}.{}", PAPI_VERSION_MAJOR(version), PAPI_VERSION_MINOR(version),
                             PAPI_VERSION_REVISION(version));
  papi.perf_failure = component_failure("perf_event");
  if (papi.sde_failure.empty()) papi.sde_failure = component_failure("sde");
  return papi;
}

const Papi& papi() {
  static const Papi instance = initialise_papi();
  return instance;
}

std::string obstacle(const std::string& papi_reason) {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  std::string paranoid;
  file >> paranoid;
  return hardware_obstacle(papi_reason, paranoid);
}

/// Owns one PAPI event set; events of one component only.
class EventSet {
 public:
  EventSet() {
    papi();  // before it is initialised, PAPI creates no event sets
    if (PAPI_create_eventset(&handle_) != PAPI_OK) handle_ = PAPI_NULL;
  }
  ~EventSet() {
    if (handle_ == PAPI_NULL) return;
    if (running_) PAPI_stop(handle_, nullptr);
    PAPI_cleanup_eventset(handle_);
    PAPI_destroy_eventset(&handle_);
  }
  EventSet(const EventSet&) = delete;
  EventSet& operator=(const EventSet&) = delete;

  /// Returns "" when the event was added, else why not.
  std::string add(const std::string& event, const std::string& papi_name) {
    if (handle_ == PAPI_NULL) return "PAPI creates no event set";
    const int status = PAPI_add_named_event(handle_, papi_name.c_str());
    if (status != PAPI_OK) return error_text(status);
    events_.push_back(event);
    return "";
  }
  /// Returns "" or why it does not start.
  std::string start() {
    if (events_.empty()) return "";
    const int status = PAPI_start(handle_);
    running_ = status == PAPI_OK;
    return running_ ? "" : error_text(status);
  }
  void stop_into(CounterValues& values) {
    if (!running_) return;
    std::vector<long long> counts(events_.size());
    const int status = PAPI_stop(handle_, counts.data());
    running_ = false;
    for (size_t i = 0; i < events_.size(); ++i) {
      if (status == PAPI_OK) {
        values[events_[i]] = checked_count(events_[i], counts[i]);
      } else {
        values[events_[i]] = Unavailable{fmt::format("PAPI cannot stop: {}", error_text(status))};
      }
    }
  }
  [[nodiscard]] const std::vector<std::string>& events() const { return events_; }

 private:
  int handle_ = PAPI_NULL;
  bool running_ = false;
  std::vector<std::string> events_;
};

/// Returns "" when the event counts on this thread, else PAPI's reason. An enabled component says little:
/// under a strict perf_event_paranoid it is enabled, events can be added, and only the start fails.
std::string try_event(const std::string& papi_name) {
  EventSet set;
  std::string failure = set.add(papi_name, papi_name);
  if (failure.empty()) failure = set.start();
  CounterValues ignored;
  set.stop_into(ignored);
  return failure;
}

}  // namespace

WorkCounts& work_counts() {
  static WorkCounts counts;
  return counts;
}

CounterSupport read_counter_support() {
  CounterSupport support;
  support.papi_version = papi().version;
  if (papi().sde_failure.empty()) {
    support.sde = "available";
  } else {
    support.sde = Unavailable{papi().sde_failure};
  }
  std::vector<std::string> events;
  std::string failure = papi().perf_failure;
  for (const char* event : hardware_events) {
    if (!papi().perf_failure.empty()) break;
    const std::string reason = try_event(event);
    if (reason.empty()) events.emplace_back(event);
    if (failure.empty()) failure = reason;
  }
  if (events.empty()) {
    support.hardware_events =
        Unavailable{fmt::format("{} (PAPI {}: {})", obstacle(failure),
                                papi().version.empty() ? "not initialised" : papi().version, failure)};
  } else {
    support.hardware_events = events;
  }
  return support;
}

struct Counters::State {
  EventSet hardware;
  EventSet software;
  CounterValues unavailable;  ///< events that never count, with the reason
  CounterValues values;       ///< of the run that is going on
};

Counters::Counters() : state_(std::make_unique<State>()) {
  if (const std::string& reason = papi().perf_failure; !reason.empty()) {
    state_->unavailable["hardware_events"] = Unavailable{obstacle(reason)};
  } else {
    for (const char* event : hardware_events) {
      const std::string failure = state_->hardware.add(event, event);
      if (!failure.empty()) state_->unavailable[event] = Unavailable{obstacle(failure)};
    }
  }
  for (const char* event : software_events) {
    const std::string reason =
        papi().sde_failure.empty() ? state_->software.add(event, full_name(event)) : papi().sde_failure;
    if (!reason.empty()) state_->unavailable[event] = Unavailable{reason};
  }
}

Counters::~Counters() = default;

void Counters::start() {
  state_->values = state_->unavailable;
  const std::string software_failure = state_->software.start();
  const std::string hardware_failure = state_->hardware.start();  // last, so that it counts nothing of ours
  for (const std::string& event : state_->software.events()) {
    if (!software_failure.empty())
      state_->values[event] = Unavailable{"PAPI cannot start: " + software_failure};
  }
  for (const std::string& event : state_->hardware.events()) {
    if (!hardware_failure.empty()) state_->values[event] = Unavailable{obstacle(hardware_failure)};
  }
}

CounterValues Counters::stop() {
  state_->hardware.stop_into(state_->values);
  state_->software.stop_into(state_->values);
  check_counts(state_->values);
  return std::move(state_->values);
}

}  // namespace harness
