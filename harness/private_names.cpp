// Who this process works for, and where.
#include <pwd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "harness/environment_files.hpp"
#include "harness/scrub.hpp"

namespace harness {
namespace {

void add(std::vector<std::string>& names, std::string name, size_t shortest) {
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  if (name.size() < shortest || name == "/" || name == "root" || name == "localhost" || name == "(none)")
    return;
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

void add_variable(std::vector<std::string>& names, const char* variable) {
  if (const char* value = std::getenv(variable); value != nullptr) add(names, value, 2);
}

}  // namespace

PrivateNames read_private_names() {
  PrivateNames names;
  utsname system{};
  std::string host = uname(&system) == 0 ? system.nodename : "";
  for (const std::string& one : {host, read_first_line("/etc/hostname").value_or("")}) {
    add(names.hosts, one, 2);
    add(names.hosts, one.substr(0, one.find('.')), 2);
  }
  for (const uid_t user : {geteuid(), getuid()}) {
    const passwd* entry = getpwuid(user);
    if (entry == nullptr) continue;
    add(names.logins, entry->pw_name, 2);
    const std::string person = entry->pw_gecos != nullptr ? entry->pw_gecos : "";
    add(names.logins, person.substr(0, person.find(',')), 4);
    add(names.homes, entry->pw_dir, 2);
  }
  for (const char* variable : {"USER", "LOGNAME", "SUDO_USER"}) add_variable(names.logins, variable);
  add_variable(names.homes, "HOME");
  // The longest first: a name may hold another.
  for (auto* list : {&names.homes, &names.hosts, &names.logins})
    std::stable_sort(list->begin(), list->end(),
                     [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return names;
}

}  // namespace harness
