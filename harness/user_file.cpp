#include "harness/user_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "harness/error.hpp"

namespace harness {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  std::string shown = path.empty() ? "''" : path;
  std::replace_if(
      shown.begin(), shown.end(), [](unsigned char c) { return c < ' ' || c == 127; }, '?');
  throw Error(ExitCode::invalid_input, fmt::format("{}: cannot be read: {}", shown, why));
}

/// Closes what it was given.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Pipes and terminals that somebody handed to this process, rather than left in the file system.
bool is_handed_over(const std::string& path) {
  return path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
}

/// Refuses what is no file; lets reads wait again where they may.
void check_kind(const std::string& path, int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) refuse(path, std::strerror(errno));
  if (S_ISREG(status.st_mode)) return;
  if (S_ISDIR(status.st_mode)) refuse(path, "it is a folder; name a file in it");
  if (is_handed_over(path)) {
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
    return;
  }
  refuse(path, S_ISFIFO(status.st_mode) ? "it is a named pipe; name a regular file, or /dev/stdin"
                                        : "it is a device; name a regular file");
}

/// Refuses what was opened unless it may be read; returns false where there is no file.
bool is_there(const std::string& path, const OpenFile& file) {
  if (file.get() < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return false;
    // A socket, or the device of a driver that is not loaded.
    if (errno == ENXIO || errno == ENODEV) refuse(path, "it is a device or a socket; name a regular file");
    if (errno == EACCES) refuse(path, "it may not be read by you; change its permissions (chmod +r)");
    refuse(path, std::strerror(errno));
  }
  check_kind(path, file.get());
  return true;
}

std::string read_up_to(const std::string& path, int descriptor, size_t most_bytes) {
  std::string bytes;
  while (bytes.size() <= most_bytes) {
    const size_t had = bytes.size();
    bytes.resize(std::min(most_bytes + 1, had + (size_t{1} << 16)));
    const ssize_t got = read(descriptor, bytes.data() + had, bytes.size() - had);
    if (got < 0 && errno != EINTR) refuse(path, std::strerror(errno));
    bytes.resize(had + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return bytes;
  }
  refuse(path, fmt::format("it has more than {} bytes{}", most_bytes,
                           most_bytes % (1 << 20) == 0 ? fmt::format(" ({} MiB)", most_bytes >> 20) : ""));
}

}  // namespace

std::optional<std::string> read_user_file_if_there(const std::string& path, size_t most_bytes) {
  const OpenFile file(path);
  if (!is_there(path, file)) return std::nullopt;
  return read_up_to(path, file.get(), most_bytes);
}

std::string read_user_file(const std::string& path, size_t most_bytes) {
  auto bytes = read_user_file_if_there(path, most_bytes);
  if (!bytes) refuse(path, "there is no such file");
  return std::move(*bytes);
}

void check_user_file(const std::string& path) {
  const OpenFile file(path);
  if (!is_there(path, file)) refuse(path, "there is no such file");
}

}  // namespace harness
