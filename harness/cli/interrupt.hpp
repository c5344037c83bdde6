// Ctrl-C as an exception at a safe place.
#pragma once
#include <stdexcept>
#include <string>

namespace cli {

/// Ends a command that SIGINT, SIGTERM or SIGHUP asked to stop; main exits with 130.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// From now on SIGINT, SIGTERM and SIGHUP are noted instead of ending the process.
void note_interrupts();
/// Returns the signal noted, or 0.
int interrupt_noted();

}  // namespace cli
