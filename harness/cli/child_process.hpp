// The child process and its pipes: what owns them, and how they end.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

namespace cli {

inline constexpr int progress_descriptor = 3;
inline constexpr const char* own_executable = "/proc/self/exe";

/// Owns both ends of a pipe, and what came out of it so far.
struct Pipe {
  int read_end = -1, write_end = -1;
  std::string received;

  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe();
  /// Throws Error(unavailable) when the system has no pipe to give.
  void open();
  void close_write_end();
  /// Reads what there is; closes the read end at the end of the file.
  void drain();
};

/// Owns a child process and its session: one that is still running when this ends is killed.
class ChildProcess {
 public:
  /// Starts an executable with `arguments` in a session of its own; its stdout, stderr and file descriptor
  /// 3 are the three pipes, its stdin is empty. It gets SIGKILL when the calling thread ends. One that cannot
  /// be started ends with 127. Throws Error(unavailable) when there is no process to be had.
  ChildProcess(const std::string& executable, const std::vector<std::string>& arguments, Pipe& out, Pipe& err,
               Pipe& progress);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();
  /// Sends a signal to every process of the session.
  void send(int signal) const;
  /// Passes a signal on and gives the child two seconds to end by it.
  void end_by(int signal);
  /// Waits for the end and returns the status (waitpid(2)).
  int wait();

 private:
  pid_t pid_ = -1;
};

}  // namespace cli
