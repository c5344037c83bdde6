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

[[noreturn]] void report_failure(int status, const std::string& error_text) {
  using harness::ExitCode;
  static constexpr std::string_view prefix = "tokroof: error: ";
  std::string line = error_text.substr(0, error_text.find('\n'));
  if (line.starts_with(prefix)) line.erase(0, prefix.size());
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

}  // namespace

ChildOutput run_child(const std::vector<std::string>& arguments,
                      const std::function<void(double)>& on_progress) {
  Pipe out, err, progress;
  for (Pipe* pipe : {&out, &err, &progress}) pipe->open();
  ChildProcess child(arguments, out, err, progress);
  ChildOutput output;
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
      take_lines(progress.received, on_progress, output);
    }
  }
  const int status = child.wait();
  if (interrupt_noted() != 0) throw Interrupted("interrupted");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) report_failure(status, err.received);
  output.text = out.received;
  return output;
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
