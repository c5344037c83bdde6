#include "harness/cli/named_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

#include "harness/error.hpp"
#include "harness/store.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;
namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ExitCode::store, fmt::format("{}: {}; name another file", path, why));
}

/// What stands at the path, links followed; nothing where there is no such file.
std::optional<struct stat> standing_at(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0) return found;
  if (errno != ENOENT && errno != ENOTDIR)
    refuse(path, fmt::format("cannot be written ({})", std::strerror(errno)));
  return std::nullopt;
}

bool is_stdout(const struct stat& found) {
  struct stat open {};
  return ::fstat(STDOUT_FILENO, &open) == 0 && open.st_dev == found.st_dev && open.st_ino == found.st_ino;
}

/// The file itself, where the path is a link to it.
std::string target_of(const std::string& path) {
  std::error_code error;
  fs::path target = path;
  constexpr int most_links = 40;  // as Linux follows
  for (int i = 0; fs::is_symlink(fs::symlink_status(target, error)); ++i) {
    if (i == most_links) refuse(path, "is a link that leads in a circle");
    const fs::path next = fs::read_symlink(target, error);
    if (error) refuse(path, "is a link that cannot be read");
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target.string();
}

/// Whether the path is to be written into instead of replaced. Refuses what can be neither.
bool is_written_into(const std::string& path) {
  const std::optional<struct stat> found = standing_at(path);
  if (!found) {
    const std::string target = target_of(path);
    const fs::path folder = fs::path(target).parent_path();
    std::error_code error;
    if (!folder.empty() && !fs::is_directory(folder, error))
      throw Error(ExitCode::store,
                  fmt::format("{}: there is no folder {}; create it first", path, folder.string()));
    if (fs::path(target).filename().empty()) refuse(path, "is no file");
    return false;
  }
  if (S_ISDIR(found->st_mode)) refuse(path, "is a folder");
  if (S_ISSOCK(found->st_mode)) refuse(path, "is a socket");
  if (S_ISREG(found->st_mode) && is_stdout(*found))
    throw Error(ExitCode::usage, path + ": stdout goes there already; leave the option out");
  return !S_ISREG(found->st_mode);
}

void write_into(const std::string& path, std::string_view text) {
  // Without O_NONBLOCK opening a named pipe waits for its reader for ever.
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0 && errno == ENXIO) refuse(path, "is a named pipe that nobody reads");
  if (descriptor < 0) refuse(path, fmt::format("cannot be written ({})", std::strerror(errno)));
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  int failed = 0;
  while (!text.empty() && failed == 0) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) failed = errno;
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
  }
  ::close(descriptor);
  if (failed != 0) refuse(path, fmt::format("cannot be written ({})", std::strerror(failed)));
}

/// The same for two names of one file, wherever its folder is reached from.
std::string identity_of(const std::string& path) {
  std::error_code error;
  const std::string target = target_of(path);
  const fs::path known = fs::weakly_canonical(target, error);
  return error ? target : known.string();
}

}  // namespace

void check_named_outputs(const std::vector<NamedOutput>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].path.empty() || is_written_into(outputs[i].path)) continue;
    for (size_t j = 0; j < i; ++j) {
      if (!outputs[j].path.empty() && identity_of(outputs[i].path) == identity_of(outputs[j].path))
        throw Error(ExitCode::usage, fmt::format("{} and {} name the same file, {}: name two",
                                                 outputs[j].option, outputs[i].option, outputs[i].path));
    }
  }
}

void write_named_output(const std::string& path, const std::string& text) {
  if (is_written_into(path)) return write_into(path, text);
  harness::write_file_atomically(target_of(path), text);
}

}  // namespace cli
