#include "harness/cli/interrupt.hpp"

#include <csignal>

namespace cli {
namespace {

volatile std::sig_atomic_t noted_signal = 0;

void note_signal(int signal) {
  noted_signal = signal;
}

}  // namespace

void note_interrupts() {
  struct sigaction action = {};
  action.sa_handler = note_signal;  // without SA_RESTART: a poll() that waits for a child wakes up
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGHUP, &action, nullptr);
}

int interrupt_noted() {
  return noted_signal;
}

}  // namespace cli
