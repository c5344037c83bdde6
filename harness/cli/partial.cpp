#include "harness/cli/partial.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "harness/store.hpp"
#include "harness/user_file.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;

std::string partial_folder() {
  return harness::tokroof_home() + "/partial";
}

/// A reading as a clause shows it.
std::string shown(const harness::Reading<std::string>& reading) {
  return harness::available(reading) ? std::get<std::string>(reading) : "unknown";
}
std::string shown(const harness::Reading<bool>& reading) {
  if (!harness::available(reading)) return "unknown";
  return std::get<bool>(reading) ? "on" : "off";
}

/// Returns what a run cannot go on with, as a clause; empty when nothing. Somebody may have edited the file.
std::string fault_of(const harness::Submission& measured) {
  const std::string& nonce = measured.nonce;
  if (nonce.size() != 32 || nonce.find_first_not_of("0123456789abcdef") != std::string::npos)
    return "its nonce is not 32 hexadecimal digits";
  for (const harness::Launch& launch : measured.launches) {
    if (launch.plan && (*launch.plan < 0 || static_cast<size_t>(*launch.plan) >= measured.plans.size()))
      return fmt::format("a launch names plan {} of {}", *launch.plan, measured.plans.size());
  }
  return "";
}

bool is_file_of(int descriptor, const std::string& path) {
  struct stat open_file {
  }, named_file{};
  return fstat(descriptor, &open_file) == 0 && stat(path.c_str(), &named_file) == 0 &&
         open_file.st_dev == named_file.st_dev && open_file.st_ino == named_file.st_ino;
}

}  // namespace

RunLock::RunLock(const std::string& path) : lock_path_(path + ".lock") {
  do {
    descriptor_ = open(lock_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0)
      throw Error(ExitCode::store,
                  fmt::format("{}: cannot be written ({})", lock_path_, std::strerror(errno)));
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      close(descriptor_);
      throw Error(ExitCode::store, fmt::format("{}: another tokroof works on this run; wait for it", path));
    }
    if (is_file_of(descriptor_, lock_path_)) return;
    close(descriptor_);  // who held it removed its name after we had opened it: the lock is on nothing
  } while (true);
}

RunLock::~RunLock() {
  unlink(lock_path_.c_str());
  close(descriptor_);
}

std::string partial_path(const harness::Submission& submission) {
  return fmt::format("{}/{}-{:.8}.json", partial_folder(), submission.created_utc, submission.nonce);
}

std::string newest_partial(const std::string& protocol) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(partial_folder(), error)) {
    if (entry.path().extension() == ".json" && entry.path().filename().string().front() != '.')
      paths.push_back(entry.path().string());
  }
  std::sort(paths.rbegin(), paths.rend());  // their names begin with the time
  for (const std::string& path : paths) {
    try {
      if (load_partial(path).measured.protocol == protocol) return path;
    } catch (const Error&) {  // not one to go on with
    }
  }
  throw Error(ExitCode::usage, fmt::format("no unfinished {} run in {}: start one without --resume", protocol,
                                           partial_folder()));
}

harness::PartialRun load_partial(const std::string& path) {
  constexpr size_t max_partial_bytes = size_t{64} << 20;
  const std::string text = harness::read_user_file(path, max_partial_bytes);
  try {
    harness::PartialRun partial = harness::partial_from_json(text);
    if (const std::string fault = fault_of(partial.measured); !fault.empty())
      throw Error(ExitCode::invalid_input, fault);
    if (partial.resume) return partial;
  } catch (const Error& error) {
    throw Error(ExitCode::invalid_input,
                fmt::format("{}: no unfinished run ({}); see {}", path, error.what(), partial_folder()));
  }
  throw Error(ExitCode::invalid_input,
              fmt::format("{}: only a full run can be gone on with; start this one again", path));
}

std::string moved_since(const harness::PartialRun& partial, const RunPlace& here) {
  const harness::Submission& was = partial.measured;
  if (was.suite.binary_sha256 != here.binary_sha256)
    return fmt::format("it was measured by another build of tokroof ({} {:.12})", was.suite.version,
                       was.suite.git_commit);
  if (was.machine.machine_key != here.machine_key)
    return fmt::format("it was measured on another machine (key {:.8}, this one is {:.8})",
                       was.machine.machine_key, here.machine_key);
  if (partial.resume->boot_id.empty() || partial.resume->boot_id != here.boot_id)
    return "the system was started again since, and its clock and memory with it";
  if (was.suite.isa != here.isa)
    return fmt::format("it runs kernels {}, now they would be {}", was.suite.isa, here.isa);
  const auto differs = [](const char* what, const auto& before, const auto& now) {
    return fmt::format("{} was {}, now it is {}", what, before, now);
  };
  const harness::Conditions &before = was.conditions, &now = here.conditions;
  if (before.pinned_pu != now.pinned_pu) return differs("the measuring PU", before.pinned_pu, now.pinned_pu);
  if (before.governor != now.governor)
    return differs("the governor", shown(before.governor), shown(now.governor));
  if (before.turbo != now.turbo) return differs("turbo", shown(before.turbo), shown(now.turbo));
  if (before.clock_source != now.clock_source)
    return differs("the clock", before.clock_source, now.clock_source);
  return "";
}

RunPlace place_of(const Session& session, const harness::Submission& measured) {
  return {measured.suite.binary_sha256, measured.machine.machine_key, harness::boot_id(),
          session.kernels->isa,
          harness::read_conditions(session.topology, session.pu, session.clock, session.totals_at_start)};
}

int64_t rejoin(Session& session, const harness::ResumeState& state) {
  session.start_ns = state.run_start_ns;
  session.totals_at_start = harness::difference(harness::read_condition_totals(session.clock), state.elapsed);
  return session.clock.now_ns() - state.saved_ns;
}

harness::ResumeState resume_state(const Session& session) {
  harness::ResumeState state;
  state.boot_id = harness::boot_id();
  state.run_start_ns = session.start_ns;
  state.saved_ns = session.clock.now_ns();
  state.elapsed = harness::difference(harness::read_condition_totals(session.clock), session.totals_at_start);
  return state;
}

}  // namespace cli
