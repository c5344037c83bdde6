#include "harness/cli/send.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "harness/error.hpp"

// POSIX declares it nowhere; glibc only with _GNU_SOURCE.
extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;

constexpr size_t most_answer_bytes = 64 << 10;

Error not_sent(const std::string& why, const Issue& issue) {
  return {ExitCode::unavailable, fmt::format("nothing was sent: {}; or open {} and paste {} there", why,
                                             issue.address, issue.body_path)};
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = read(descriptor, part.data(), part.size())) != 0;) {
    if (got < 0 && errno != EINTR) break;
    if (got > 0 && text.size() < most_answer_bytes) text.append(part.data(), static_cast<size_t>(got));
  }
  return text;
}

/// Starts a program with an empty stdin and its stdout in a pipe. Returns 0 or errno.
int start(const std::vector<std::string>& arguments, pid_t& child, int& answer) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  const int failed = posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  answer = ends[0];
  if (failed != 0) close(answer);
  return failed;
}

bool is_name(std::string_view text) {
  static constexpr std::string_view allowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
  return !text.empty() && text.size() <= 100 && text[0] != '-' && text != "." && text != ".." &&
         text.find_first_not_of(allowed) == std::string_view::npos;
}

}  // namespace

void check_repository(const std::string& repository) {
  const size_t slash = repository.find('/');
  if (slash != std::string::npos && is_name(std::string_view(repository).substr(0, slash)) &&
      is_name(std::string_view(repository).substr(slash + 1)))
    return;
  throw Error(ExitCode::usage,
              fmt::format("--repository '{}': say OWNER/NAME, as in the address of the repository at GitHub",
                          repository));
}

std::string send_issue(const Issue& issue) {
  std::vector<std::string> arguments = {"gh",        "issue",          "create",
                                        "--repo",    issue.repository, "--title",
                                        issue.title, "--body-file",    issue.body_path};
  for (const std::string& label : issue.labels) arguments.insert(arguments.end(), {"--label", label});
  pid_t child = -1;
  int answer = -1;
  if (const int failed = start(arguments, child, answer); failed != 0) {
    throw not_sent(failed == ENOENT ? "gh is not installed (https://cli.github.com; Debian's package gh)"
                                    : fmt::format("gh cannot be started ({})", std::strerror(failed)),
                   issue);
  }
  std::string text = read_all(answer);
  close(answer);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status)) throw not_sent(fmt::format("gh died of signal {}", WTERMSIG(status)), issue);
  if (WEXITSTATUS(status) != 0)
    throw not_sent(fmt::format("gh ended with {} (its message is above; gh auth status says whether you are "
                               "logged in)",
                               WEXITSTATUS(status)),
                   issue);
  return text;
}

}  // namespace cli
