#include "harness/cli/interrupt.hpp"

#include <csignal>

#include "harness/clock.hpp"

namespace cli {
namespace {

volatile std::sig_atomic_t noted_signal = 0;
volatile std::sig_atomic_t noted_stop = 0;

void note_signal(int signal) {
  noted_signal = signal;
}

void note_stop(int) {
  noted_stop = 1;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;  // without SA_RESTART: a poll() that waits for a child wakes up
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

void note_interrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, note_signal);
}

int interrupt_noted() {
  return noted_signal;
}

void note_stops() {
  // A shell without job control has its commands ignore SIGTSTP: then they do.
  struct sigaction inherited = {};
  sigaction(SIGTSTP, nullptr, &inherited);
  if (inherited.sa_handler != SIG_IGN) handle(SIGTSTP, note_stop);
}

bool stop_noted() {
  return noted_stop != 0;
}

int64_t stop_self() {
  const harness::Clock clock = harness::steady_clock();
  const int64_t start_ns = clock.now_ns();
  handle(SIGTSTP, SIG_DFL);
  std::raise(SIGTSTP);
  handle(SIGTSTP, note_stop);
  noted_stop = 0;
  return clock.now_ns() - start_ns;
}

}  // namespace cli
