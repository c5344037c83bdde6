// A launch is a child process of its own: this starts one and waits for what it has measured.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace cli {

/// Runs this very binary with `arguments`, and returns what it wrote to stdout. What it writes to file
/// descriptor 3, one number per line, is its progress in [0, 1]. The child dies with its parent. Throws
/// Interrupted when SIGINT or SIGTERM was noted (the child is ended first), and the child's own error — code
/// and line — when it fails.
std::string run_child(const std::vector<std::string>& arguments,
                      const std::function<void(double)>& on_progress);

/// The child's end: writes a fraction to file descriptor 3, if there is one.
void report_progress(double fraction);

}  // namespace cli
