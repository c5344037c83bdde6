#include "harness/cli/measuring_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <sstream>

#include "harness/error.hpp"
#include "harness/store.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;

std::string lock_path() {
  return harness::tokroof_home() + "/measuring.lock";
}

/// Who holds it alone: "PID NONCE\n".
struct Holder {
  int process = 0;
  std::string nonce;
};

Holder holder_of(int descriptor) {
  std::array<char, 128> text{};
  const ssize_t length = pread(descriptor, text.data(), text.size() - 1, 0);
  std::istringstream words(std::string(text.data(), length > 0 ? static_cast<size_t>(length) : 0));
  Holder holder;
  words >> holder.process >> holder.nonce;
  return holder;
}

}  // namespace

MeasuringLock::MeasuringLock() {
  try {
    std::error_code ignored;
    std::filesystem::create_directories(harness::tokroof_home(), ignored);
    descriptor_ = open(lock_path().c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  } catch (const Error&) {  // no home is known: nothing will be stored, and nothing can be locked
  }
  if (descriptor_ < 0 || flock(descriptor_, LOCK_SH | LOCK_NB) == 0) return;
  const int process = holder_of(descriptor_).process;
  close(descriptor_);
  throw Error(
      ExitCode::unavailable,
      fmt::format("process {} measures a claim, which must have the machine to itself: wait until it ends",
                  process));
}

MeasuringLock::~MeasuringLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

void MeasuringLock::keep_over_exec() const {
  if (descriptor_ >= 0) fcntl(descriptor_, F_SETFD, 0);
}

void MeasuringLock::alone(const std::string& nonce) const {
  if (descriptor_ < 0)
    throw Error(ExitCode::store,
                fmt::format("{}: cannot be written, and a claim's run needs it to be alone", lock_path()));
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0)
    throw Error(
        ExitCode::unavailable,
        "another tokroof of this user measures, and a claim's run must have the machine to itself: wait "
        "until it ends");
  const std::string text = fmt::format("{} {}\n", getpid(), nonce);
  if (ftruncate(descriptor_, 0) != 0 || pwrite(descriptor_, text.data(), text.size(), 0) < 0)
    throw Error(ExitCode::store, lock_path() + ": cannot be written");
}

int measuring_process(const std::string& nonce) {
  const int descriptor = open(lock_path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return 0;
  const bool held = flock(descriptor, LOCK_SH | LOCK_NB) != 0;
  const Holder holder = holder_of(descriptor);
  close(descriptor);
  return held && holder.nonce == nonce ? holder.process : 0;
}

}  // namespace cli
