// Files beside the database: where they live, and how to write one whole or not at all.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "harness/digest.hpp"
#include "harness/error.hpp"
#include "harness/store.hpp"
#include "harness/store_folders.hpp"

namespace harness {
namespace {

/// Owns a file descriptor.
struct Descriptor {
  int number;
  explicit Descriptor(int opened) : number(opened) {}
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
};

[[noreturn]] void refuse(const std::string& path, const char* doing, int system_error) {
  const bool no_room = system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG;
  throw Error(ExitCode::store,
              fmt::format("{}: cannot be {} ({}); {}", path, doing, std::strerror(system_error),
                          no_room ? "free some space, then try again"
                                  : "check the folder and its permissions, or name another place"));
}

[[noreturn]] void refuse_taken(const std::string& path) {
  throw Error(ExitCode::store, path + ": there is such a file already; name another or move it away");
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string tokroof_home() {
  std::string own = variable("TOKROOF_HOME");
  if (!own.empty()) return own;
  const std::string data = variable("XDG_DATA_HOME");
  // The XDG base directory specification has relative paths ignored.
  if (!data.empty() && data.front() == '/') return data + "/tokroof";
  const std::string home = variable("HOME");
  if (!home.empty()) return home + "/.local/share/tokroof";
  throw Error(ExitCode::usage, "no place for the store: set TOKROOF_HOME to a folder (HOME is not set)");
}

void create_parent_folders(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) refuse(folder.string(), "created", error.value());
}

void write_file_atomically(const std::string& path, const std::string& text) {
  create_parent_folders(path);
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  // In the same folder, because a rename is atomic only within one file system.
  const std::string temporary = fmt::format("{}/.{}.tmp", folder, random_hex(8));
  const Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.number < 0) refuse(path, "written", errno);
  const bool written = write_all(file.number, text) && ::fsync(file.number) == 0 &&
                       ::rename(temporary.c_str(), path.c_str()) == 0;
  if (!written) {
    const int why = errno;
    ::unlink(temporary.c_str());
    refuse(path, "written", why);
  }
  // The name itself is safe only once its folder is; some file systems cannot sync folders, and then there is
  // no more to do.
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.number >= 0) ::fsync(directory.number);
}

FileInTheMaking::FileInTheMaking(const std::string& path) : path_(path), descriptor_(-1) {
  create_parent_folders(path);
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(path, error))) refuse_taken(path);
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  temporary_ = fmt::format("{}/.{}.tmp", parent.empty() ? "." : parent.string(), random_hex(8));
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) refuse(path, "written", errno);
}

FileInTheMaking::~FileInTheMaking() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FileInTheMaking::write(std::string_view text) {
  if (!write_all(descriptor_, text)) refuse(path_, "written", errno);
}

void FileInTheMaking::commit() {
  if (::fsync(descriptor_) != 0) refuse(path_, "written", errno);
  // A link, unlike a rename, never replaces what came there meanwhile. Some file systems have no links.
  if (::link(temporary_.c_str(), path_.c_str()) != 0) {
    if (errno == EEXIST) refuse_taken(path_);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) refuse(path_, "written", errno);
  }
  const std::filesystem::path parent = std::filesystem::path(path_).parent_path();
  const Descriptor directory(
      ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.number >= 0) ::fsync(directory.number);
}

}  // namespace harness
