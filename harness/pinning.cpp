#include "harness/pinning.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include "harness/error.hpp"

namespace harness {
namespace {

constexpr size_t word_bits = 8 * sizeof(unsigned long);

std::string allowed_text(const Topology& topology) {
  const std::vector<int> allowed = allowed_pus(topology);
  return allowed.empty() ? "none" : fmt::format("{}", fmt::join(allowed, ","));
}

[[noreturn]] void throw_not_allowed(const Topology& topology, int pu) {
  throw Error(
      ExitCode::unavailable,
      fmt::format(
          "PU {} is not among those allowed here ({}): choose one of them, or widen the affinity mask "
          "(taskset) or the cgroup's cpuset",
          pu, allowed_text(topology)));
}

bool is_allowed(const Topology& topology, int pu) {
  return std::any_of(topology.pus.begin(), topology.pus.end(),
                     [pu](const Pu& entry) { return entry.os_index == pu && entry.allowed; });
}

std::vector<unsigned long> current_mask() {
  for (size_t words = 16; words <= 1 << 14; words *= 2) {
    std::vector<unsigned long> mask(words);
    if (sched_getaffinity(0, words * sizeof(unsigned long), reinterpret_cast<cpu_set_t*>(mask.data())) == 0)
      return mask;
  }
  throw Error(ExitCode::unavailable,
              fmt::format("cannot read this thread's CPU mask ({})", std::strerror(errno)));
}

bool set_mask(const std::vector<unsigned long>& mask) {
  return sched_setaffinity(0, mask.size() * sizeof(unsigned long),
                           reinterpret_cast<const cpu_set_t*>(mask.data())) == 0;
}

}  // namespace

Pin::Pin(const Topology& topology, int pu_os_index) : pu_(pu_os_index) {
  if (!topology.this_machine) {
    throw Error(ExitCode::unavailable,
                fmt::format("cannot pin on the topology {}: it is not this machine's", topology.source));
  }
  if (!is_allowed(topology, pu_os_index)) throw_not_allowed(topology, pu_os_index);
  previous_mask_ = current_mask();
  const auto index = static_cast<size_t>(pu_os_index);
  std::vector<unsigned long> mask(std::max(previous_mask_.size(), index / word_bits + 1));
  mask[index / word_bits] |= 1UL << (index % word_bits);
  if (!set_mask(mask)) {
    throw Error(ExitCode::unavailable,
                fmt::format("cannot pin to PU {} ({})", pu_os_index, std::strerror(errno)));
  }
}

Pin::~Pin() {
  set_mask(previous_mask_);
}

int choose_pu(const Topology& topology, int wanted) {
  if (wanted != -1) {
    if (!is_allowed(topology, wanted)) throw_not_allowed(topology, wanted);
    return wanted;
  }
  for (size_t kind = 0; kind < topology.core_kinds.size(); ++kind) {
    for (auto pu = topology.pus.rbegin(); pu != topology.pus.rend(); ++pu) {
      if (pu->allowed && pu->core_kind == static_cast<int>(kind)) return pu->os_index;
    }
  }
  throw Error(ExitCode::unavailable, fmt::format("no PU of the topology {} is allowed", topology.source));
}

namespace {

const Pu& pu_of(const Topology& topology, int os_index) {
  const auto found = std::find_if(topology.pus.begin(), topology.pus.end(),
                                  [os_index](const Pu& pu) { return pu.os_index == os_index; });
  if (found == topology.pus.end()) throw_not_allowed(topology, os_index);
  return *found;
}

}  // namespace

std::vector<int> choose_team_pus(const Topology& topology, int main_pu, int count) {
  const Pu& main = pu_of(topology, main_pu);
  std::vector<const Pu*> others;
  std::map<int, int> taken_of_core{{main.core, 1}};
  std::map<int, int> turn;  // of a PU within its core
  for (const Pu& pu : topology.pus) {
    if (!pu.allowed || pu.os_index == main_pu) continue;
    others.push_back(&pu);
    turn[pu.os_index] = taken_of_core[pu.core]++;
  }
  if (count < 1 || static_cast<size_t>(count) > others.size() + 1) {
    throw Error(ExitCode::unavailable,
                fmt::format("{} threads need {} PUs, {} allowed here ({}): take fewer threads, or widen the "
                            "affinity mask (taskset) or the cgroup's cpuset",
                            count, count, others.empty() ? "1 is" : fmt::format("{} are", others.size() + 1),
                            allowed_text(topology)));
  }
  const auto rank = [&](const Pu& pu) {
    return std::tuple(turn[pu.os_index], pu.core_kind != main.core_kind, pu.llc != main.llc, pu.os_index);
  };
  std::sort(others.begin(), others.end(), [&](const Pu* a, const Pu* b) { return rank(*a) < rank(*b); });
  std::vector<int> pus{main_pu};
  for (size_t i = 0; pus.size() < static_cast<size_t>(count); ++i) pus.push_back(others[i]->os_index);
  return pus;
}

int sibling_count(const Topology& topology, const std::vector<int>& pus) {
  std::set<int> cores;
  int siblings = 0;
  for (const int pu : pus) siblings += cores.insert(pu_of(topology, pu).core).second ? 0 : 1;
  return siblings;
}

std::vector<int> affinity_pus() {
  const std::vector<unsigned long> mask = current_mask();
  std::vector<int> pus;
  for (size_t i = 0; i < mask.size() * word_bits; ++i) {
    if ((mask[i / word_bits] >> (i % word_bits) & 1) != 0) pus.push_back(static_cast<int>(i));
  }
  return pus;
}

}  // namespace harness
