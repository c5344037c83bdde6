// A launch is a child process of its own: this starts one and waits for what it has measured.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/error.hpp"

namespace cli {

/// What a child process gave.
struct ChildOutput {
  std::string text;  ///< what it wrote to stdout
  /// The nice value of the child's own scheduling group, or why it has none (harness/autogroup.hpp).
  harness::Reading<int64_t> autogroup_nice = harness::Unavailable{"the measuring process did not tell"};
};

/// Runs this very binary with `arguments`, in a session of its own: it measures in a scheduling group that it
/// shares with nobody, and no key pressed on the terminal reaches it. What it writes to file descriptor 3,
/// one number per line, is its progress in [0, 1].
/// SIGINT, SIGTERM and SIGHUP noted here are passed on to it; it then is ended, and Interrupted thrown.
/// SIGTSTP noted here stops it, then this process; after SIGCONT it is ended, and Stopped thrown. It dies
/// with its parent, however that ends. Throws the child's own error, code and line, when it fails.
ChildOutput run_child(const std::vector<std::string>& arguments,
                      const std::function<void(double)>& on_progress);

/// How another program ended.
struct ProgramOutput {
  std::string text;   ///< what it wrote to stdout
  std::string error;  ///< the first line that it wrote to stderr, without our own prefix
  int exit_code = 0;
};

/// Runs another executable as run_child() runs this one, and waits. Its failure is a result: only a signal
/// that ended it, or that it could not be started, is an Error(unavailable).
ProgramOutput run_program(const std::string& executable, const std::vector<std::string>& arguments);

/// The child's end: writes a fraction to file descriptor 3, if there is one.
void report_progress(double fraction);

/// The child's end: raises the priority of the session that run_child() gave it, and tells the parent.
void raise_own_session();

}  // namespace cli
