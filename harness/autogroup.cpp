#include "harness/autogroup.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "harness/environment_files.hpp"

namespace harness {
namespace {

constexpr std::string_view wanted_nice = "-20";  // the highest weight that sched(7) gives a group

/// Returns 0, or why the kernel refused. One write(2): the file takes its number whole.
int write_nice(const std::string& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const ssize_t written = write(descriptor, wanted_nice.data(), wanted_nice.size());
  const int why = written < 0 ? errno : 0;
  close(descriptor);
  return why;
}

}  // namespace

Reading<int64_t> raise_autogroup(const std::string& root) {
  const auto enabled = read_first_line(root + "/proc/sys/kernel/sched_autogroup_enabled");
  if (!enabled) return Unavailable{"this kernel has no sched_autogroup"};
  if (*enabled != "1") return Unavailable{"sched_autogroup is off: sessions are no groups of their own"};
  const std::string path = root + "/proc/self/autogroup";
  if (const int why = write_nice(path); why != 0)
    return Unavailable{fmt::format("the group's priority cannot be raised ({})", std::strerror(why))};
  const auto told = read_first_line(path);  // "/autogroup-123 nice -20"
  const auto nice = told ? number_after(*told, "nice ") : std::nullopt;
  if (!nice) return Unavailable{"/proc/self/autogroup cannot be read"};
  return static_cast<int64_t>(*nice);
}

}  // namespace harness
