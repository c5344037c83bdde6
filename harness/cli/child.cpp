#include "harness/cli/child.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "harness/autogroup.hpp"
#include "harness/cli/child_process.hpp"
#include "harness/cli/foreign_text.hpp"
#include "harness/cli/interrupt.hpp"

namespace cli {
namespace {

constexpr std::string_view nice_word = "autogroup_nice ", no_nice_word = "no_autogroup ";

/// Takes one line that the child wrote to descriptor 3: a fraction, or what became of its scheduling group.
void take_line(const std::string& line, const std::function<void(double)>& on_progress, ChildOutput& output) {
  if (line.starts_with(nice_word)) {
    output.autogroup_nice = int64_t{std::strtol(line.c_str() + nice_word.size(), nullptr, 10)};
  } else if (line.starts_with(no_nice_word)) {
    output.autogroup_nice = harness::Unavailable{line.substr(no_nice_word.size())};
  } else if (on_progress) {
    on_progress(std::strtod(line.c_str(), nullptr));
  }
}

void take_lines(std::string& received, const std::function<void(double)>& on_progress, ChildOutput& output) {
  size_t begin = 0;
  for (size_t end = received.find('\n'); end != std::string::npos; end = received.find('\n', begin)) {
    take_line(received.substr(begin, end - begin), on_progress, output);
    begin = end + 1;
  }
  received.erase(0, begin);
}

/// The first line of what a tokroof wrote to stderr, without its prefix.
std::string first_line(const std::string& error_text) {
  static constexpr std::string_view prefix = "tokroof: error: ";
  std::string line = error_text.substr(0, error_text.find('\n'));
  if (line.starts_with(prefix)) line.erase(0, prefix.size());
  return one_line(line);  // they may be another program's words
}

[[noreturn]] void report_failure(int status, const std::string& error_text) {
  using harness::ExitCode;
  const std::string line = first_line(error_text);
  if (WIFSIGNALED(status)) {
    const std::string cause = WTERMSIG(status) == SIGKILL ? " (out of memory? see dmesg)" : "";
    throw harness::Error(WTERMSIG(status) == SIGKILL ? ExitCode::unavailable : ExitCode::internal,
                         fmt::format("the measuring process died of signal {} ({}){}", WTERMSIG(status),
                                     strsignal(WTERMSIG(status)), cause));
  }
  throw harness::Error(
      static_cast<ExitCode>(WEXITSTATUS(status)),
      line.empty() ? fmt::format("the measuring process failed with exit code {}", WEXITSTATUS(status))
                   : line);
}

/// Acts on the signals noted. The child's session is an orphaned process group, which SIGTSTP cannot stop:
/// SIGSTOP does.
void obey_signals(ChildProcess& child) {
  if (const int signal = interrupt_noted(); signal != 0) {
    child.end_by(signal);
    throw Interrupted("interrupted");
  }
  if (!stop_noted()) return;
  child.send(SIGSTOP);
  const int64_t paused_ns = stop_self();
  if (interrupt_noted() != 0) throw Interrupted("interrupted");
  throw Stopped(paused_ns);
}

/// What an executable wrote until it ended, and how it did.
struct Ended {
  ChildOutput output;
  std::string errors;
  int status = 0;
};

Ended run_to_the_end(const std::string& executable, const std::vector<std::string>& arguments,
                     const std::function<void(double)>& on_progress) {
  Pipe out, err, progress;
  for (Pipe* pipe : {&out, &err, &progress}) pipe->open();
  ChildProcess child(executable, arguments, out, err, progress);
  Ended ended;
  while (out.read_end >= 0 || err.read_end >= 0 || progress.read_end >= 0) {
    pollfd waiting[3] = {
        {out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}, {progress.read_end, POLLIN, 0}};
    const int ready = poll(waiting, 3, 1000);
    obey_signals(child);
    if (ready <= 0) continue;
    if (waiting[0].revents != 0) out.drain();
    if (waiting[1].revents != 0) err.drain();
    if (waiting[2].revents != 0) {
      progress.drain();
      take_lines(progress.received, on_progress, ended.output);
    }
  }
  ended.status = child.wait();
  if (interrupt_noted() != 0) throw Interrupted("interrupted");
  ended.output.text = std::move(out.received);
  ended.errors = std::move(err.received);
  return ended;
}

}  // namespace

ChildOutput run_child(const std::vector<std::string>& arguments,
                      const std::function<void(double)>& on_progress) {
  Ended ended = run_to_the_end(own_executable, arguments, on_progress);
  if (!WIFEXITED(ended.status) || WEXITSTATUS(ended.status) != 0) report_failure(ended.status, ended.errors);
  return std::move(ended.output);
}

ProgramOutput run_program(const std::string& executable, const std::vector<std::string>& arguments) {
  constexpr int not_started = 127;
  Ended ended = run_to_the_end(executable, arguments, {});
  if (WIFSIGNALED(ended.status))
    throw harness::Error(harness::ExitCode::unavailable,
                         fmt::format("{} died of signal {} ({})", executable, WTERMSIG(ended.status),
                                     strsignal(WTERMSIG(ended.status))));
  if (WEXITSTATUS(ended.status) == not_started && ended.errors.empty())
    throw harness::Error(harness::ExitCode::unavailable,
                         executable + " cannot be started: name an executable of this machine");
  return {std::move(ended.output.text), first_line(ended.errors), WEXITSTATUS(ended.status)};
}

void report_progress(double fraction) {
  const std::string line = fmt::format("{:.4f}\n", fraction);
  [[maybe_unused]] const ssize_t written = write(progress_descriptor, line.data(), line.size());
}

void raise_own_session() {
  const harness::Reading<int64_t> nice = harness::raise_autogroup();
  const std::string line =
      harness::available(nice)
          ? fmt::format("{}{}\n", nice_word, std::get<int64_t>(nice))
          : fmt::format("{}{}\n", no_nice_word, std::get<harness::Unavailable>(nice).reason);
  [[maybe_unused]] const ssize_t written = write(progress_descriptor, line.data(), line.size());
}

}  // namespace cli
