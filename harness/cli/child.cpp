#include "harness/cli/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "harness/cli/interrupt.hpp"
#include "harness/error.hpp"

namespace cli {
namespace {

constexpr int progress_descriptor = 3;

struct Pipe {
  int read_end = -1, write_end = -1;
  std::string received;

  void open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
      throw harness::Error(harness::ExitCode::unavailable,
                           fmt::format("no pipe to be had ({})", std::strerror(errno)));
    }
    read_end = ends[0];
    write_end = ends[1];
  }
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    if (read_end >= 0) close(read_end);
    if (write_end >= 0) close(write_end);
  }
};

/// Owns a child process: one that is still running when this ends is killed.
struct Process {
  pid_t pid = -1;
  explicit Process(pid_t started) : pid(started) {}
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    if (pid <= 0) return;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  int wait() {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    pid = -1;
    return status;
  }
};

[[noreturn]] void become(const std::vector<std::string>& arguments, int out, int err, int progress,
                         pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // the parent died before the line above
  // The three descriptors may overlap their targets: move them out of the way first.
  const int moved[3] = {fcntl(out, F_DUPFD, 10), fcntl(err, F_DUPFD, 10), fcntl(progress, F_DUPFD, 10)};
  dup2(moved[0], STDOUT_FILENO);
  dup2(moved[1], STDERR_FILENO);
  dup2(moved[2], progress_descriptor);
  for (const int descriptor : moved) close(descriptor);
  std::vector<char*> argv = {const_cast<char*>("tokroof")};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv("/proc/self/exe", argv.data());
  _exit(127);
}

/// Reads what there is; closes the pipe's read end at its end of file.
void drain(Pipe& pipe) {
  std::array<char, 65536> chunk;
  const ssize_t got = read(pipe.read_end, chunk.data(), chunk.size());
  if (got > 0) {
    pipe.received.append(chunk.data(), static_cast<size_t>(got));
  } else if (got == 0 || errno != EINTR) {
    close(pipe.read_end);
    pipe.read_end = -1;
  }
}

void take_progress(Pipe& pipe, const std::function<void(double)>& on_progress) {
  const size_t end = pipe.received.rfind('\n');
  if (end == std::string::npos) return;
  const size_t before = end == 0 ? std::string::npos : pipe.received.rfind('\n', end - 1);
  const double fraction =
      std::strtod(pipe.received.c_str() + (before == std::string::npos ? 0 : before + 1), nullptr);
  pipe.received.erase(0, end + 1);
  if (on_progress) on_progress(fraction);
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

}  // namespace

std::string run_child(const std::vector<std::string>& arguments,
                      const std::function<void(double)>& on_progress) {
  Pipe out, err, progress;
  for (Pipe* pipe : {&out, &err, &progress}) pipe->open();
  const pid_t parent = getpid();
  Process child{fork()};
  if (child.pid < 0) {
    throw harness::Error(harness::ExitCode::unavailable,
                         fmt::format("no process to be had ({})", std::strerror(errno)));
  }
  if (child.pid == 0) become(arguments, out.write_end, err.write_end, progress.write_end, parent);
  for (Pipe* pipe : {&out, &err, &progress}) {
    close(pipe->write_end);
    pipe->write_end = -1;
  }
  while (out.read_end >= 0 || err.read_end >= 0 || progress.read_end >= 0) {
    pollfd waiting[3] = {
        {out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}, {progress.read_end, POLLIN, 0}};
    const int ready = poll(waiting, 3, 1000);
    if (interrupt_noted() != 0) throw Interrupted("interrupted");
    if (ready <= 0) continue;
    if (waiting[0].revents != 0) drain(out);
    if (waiting[1].revents != 0) drain(err);
    if (waiting[2].revents != 0) {
      drain(progress);
      take_progress(progress, on_progress);
    }
  }
  const int status = child.wait();
  if (interrupt_noted() != 0) throw Interrupted("interrupted");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) report_failure(status, err.received);
  return out.received;
}

void report_progress(double fraction) {
  const std::string line = fmt::format("{:.4f}\n", fraction);
  [[maybe_unused]] const ssize_t written = write(progress_descriptor, line.data(), line.size());
}

}  // namespace cli
