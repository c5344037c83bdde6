// Ctrl-C and Ctrl-Z as exceptions at a safe place.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

namespace cli {

/// Ends a command that SIGINT, SIGTERM or SIGHUP asked to stop; main exits with 130.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Abandons a launch that SIGTSTP stopped (Ctrl-Z). Thrown after SIGCONT, when this process goes on: the
/// clock ran through the launch's samples, so it must be taken again.
class Stopped : public std::runtime_error {
 public:
  explicit Stopped(int64_t paused_ns) : std::runtime_error("stopped by SIGTSTP"), paused_ns_(paused_ns) {}
  [[nodiscard]] int64_t paused_ns() const { return paused_ns_; }

 private:
  int64_t paused_ns_;
};

/// From now on SIGINT, SIGTERM and SIGHUP are noted instead of ending the process.
void note_interrupts();
/// Returns the signal noted, or 0.
int interrupt_noted();

/// From now on SIGTSTP is noted, too, for run_child() to act on.
void note_stops();
/// Returns whether SIGTSTP was noted and not yet acted on by stop_self().
bool stop_noted();
/// Stops this process the way SIGTSTP would have, and returns after SIGCONT, how long it stood in ns. An
/// orphaned process group cannot be stopped by SIGTSTP (POSIX.1-2017, signal actions): there it returns at
/// once.
int64_t stop_self();

}  // namespace cli
