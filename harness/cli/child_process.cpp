#include "harness/cli/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "harness/error.hpp"

namespace cli {
namespace {

[[noreturn]] void become(const std::string& executable, const std::vector<std::string>& arguments, int out,
                         int err, int progress, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // the parent died before the line above
  setsid();
  // The three descriptors may overlap their targets: move them out of the way first.
  const int moved[3] = {fcntl(out, F_DUPFD, 10), fcntl(err, F_DUPFD, 10), fcntl(progress, F_DUPFD, 10)};
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(moved[0], STDOUT_FILENO);
  dup2(moved[1], STDERR_FILENO);
  dup2(moved[2], progress_descriptor);
  for (const int descriptor : moved) close(descriptor);
  std::vector<char*> argv = {const_cast<char*>("tokroof")};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(executable.c_str(), argv.data());
  _exit(127);
}

}  // namespace

Pipe::~Pipe() {
  if (read_end >= 0) close(read_end);
  if (write_end >= 0) close(write_end);
}

void Pipe::open() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw harness::Error(harness::ExitCode::unavailable,
                         fmt::format("no pipe to be had ({})", std::strerror(errno)));
  }
  read_end = ends[0];
  write_end = ends[1];
}

void Pipe::close_write_end() {
  close(write_end);
  write_end = -1;
}

void Pipe::drain() {
  std::array<char, 65536> chunk;
  const ssize_t got = read(read_end, chunk.data(), chunk.size());
  if (got > 0) {
    received.append(chunk.data(), static_cast<size_t>(got));
  } else if (got == 0 || errno != EINTR) {
    close(read_end);
    read_end = -1;
  }
}

ChildProcess::ChildProcess(const std::string& executable, const std::vector<std::string>& arguments,
                           Pipe& out, Pipe& err, Pipe& progress) {
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) {
    throw harness::Error(harness::ExitCode::unavailable,
                         fmt::format("no process to be had ({})", std::strerror(errno)));
  }
  if (pid_ == 0) become(executable, arguments, out.write_end, err.write_end, progress.write_end, parent);
  for (Pipe* pipe : {&out, &err, &progress}) pipe->close_write_end();
}

ChildProcess::~ChildProcess() {
  if (pid_ <= 0) return;
  send(SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void ChildProcess::send(int signal) const {
  // Between fork and setsid there is no such group yet.
  if (kill(-pid_, signal) != 0) kill(pid_, signal);
}

void ChildProcess::end_by(int signal) {
  send(signal);
  constexpr int tries = 200, pause_us = 10'000;
  for (int i = 0; i < tries; ++i) {
    const pid_t ended = waitpid(pid_, nullptr, WNOHANG);
    if (ended == pid_) {
      pid_ = -1;
      return;
    }
    usleep(pause_us);
  }
}

int ChildProcess::wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

}  // namespace cli
