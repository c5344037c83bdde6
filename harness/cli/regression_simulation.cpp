#include "harness/cli/regression_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "harness/statistics.hpp"

namespace cli {
namespace {

using harness::DecodeKey;

constexpr int64_t kib = 1024, mib = 1024 * kib;

/// A CPU that there is; how many of them there are is invented.
struct Part {
  const char *cpu_model, *vendor, *isa;
  int family, model;
  int64_t l2_bytes, l3_bytes;
  int weight;
};
constexpr Part parts[] = {
    {"Haswell", "GenuineIntel", "avx2", 6, 60, 256 * kib, 8 * mib, 2},
    {"Skylake", "GenuineIntel", "avx2", 6, 94, 256 * kib, 8 * mib, 3},
    {"Comet Lake", "GenuineIntel", "avx2", 6, 165, 256 * kib, 12 * mib, 2},
    {"Skylake-SP", "GenuineIntel", "avx512", 6, 85, 1 * mib, 22 * mib, 3},
    {"Ice Lake", "GenuineIntel", "avx512_vnni", 6, 126, 512 * kib, 8 * mib, 2},
    {"Alder Lake", "GenuineIntel", "avx2_vnni", 6, 151, 1280 * kib, 30 * mib, 3},
    {"Zen 2", "AuthenticAMD", "avx2", 23, 113, 512 * kib, 16 * mib, 3},
    {"Zen 3", "AuthenticAMD", "avx2", 25, 33, 512 * kib, 32 * mib, 4},
    {"Zen 4", "AuthenticAMD", "avx512_vnni", 25, 97, 1 * mib, 32 * mib, 4},
    {"Zen 5", "AuthenticAMD", "avx512_vnni", 26, 68, 1 * mib, 32 * mib, 3},
};

/// A kernel and what is planted in it.
struct Kernel {
  const char *model, *mode, *planted;
  double bytes_per_token, tokens_per_s;
};
constexpr Kernel kernels[] = {
    {"coreflow_1_9m", "warm", "everywhere", 1.93e6, 25'000},
    {"coreflow_1_9m", "evict_flush", "", 1.93e6, 12'000},
    {"moe_ternary_105m", "warm", "family", 7.8e6, 6'000},
    {"moe_ternary_105m", "evict_flush", "machine", 7.8e6, 3'000},
    {"dense_44m_q3", "warm", "gradual", 19.9e6, 2'500},
    {"dense_44m_q3", "evict_flush", "", 19.9e6, 1'300},
};
constexpr int machine_plants = 10, gradual_plants = 20;
constexpr int gradual_commits = 30;
constexpr int launches = 10;

class Chance {
 public:
  explicit Chance(uint64_t seed) : random_(seed) {}
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(random_.next() >> 11) / 9007199254740992.0;
  }
  bool happens(double probability) { return uniform(0, 1) < probability; }
  int below(int bound) { return static_cast<int>(random_.below(static_cast<uint64_t>(bound))); }
  /// A factor whose logarithm is normal (Box & Muller 1958).
  double factor(double deviation) {
    const double radius = std::sqrt(-2 * std::log(1 - uniform(0, 1)));
    return std::exp(deviation * radius * std::cos(uniform(0, 6.283185307179586)));
  }

 private:
  harness::SplitMix64 random_;
};

/// A machine that wavers in its own way.
struct Invented {
  harness::Sitting facts;  ///< as every sitting tells them
  std::vector<std::string> isas;
  double pace = 1;
  double launch_deviation = 0.015;
  bool noisy = false;   ///< has slow days
  double slow_day = 1;  ///< what is left of its shared caches' and memory's bandwidth on them
  std::map<std::string, double> follows;  ///< exponent with which a kernel slows down with them
};

Invented invent(Chance& chance, int number) {
  int total = 0;
  for (const Part& part : parts) total += part.weight;
  int drawn = chance.below(total);
  const Part* part = parts;
  while (drawn >= part->weight) drawn -= (part++)->weight;
  Invented made;
  made.facts.machine_key = fmt::format("{:064x}", number + 1);
  made.facts.cpu_model = fmt::format("Simulated {}", part->cpu_model);
  made.facts.vendor = part->vendor;
  made.facts.family = part->family;
  made.facts.model_number = part->model;
  made.facts.l2_bytes = part->l2_bytes;
  made.facts.l3_bytes = part->l3_bytes;
  made.facts.suite_version = "0.1.0";
  made.facts.compiler = "GNU 12.2.0";
  made.isas = {part->isa};
  if (made.isas[0] != "avx2") made.isas.emplace_back("avx2");
  made.pace = chance.uniform(0.6, 1.4);
  made.launch_deviation = chance.uniform(0.01, 0.02);
  made.noisy = chance.happens(0.3);
  made.slow_day = chance.uniform(0.7, 0.95);
  for (const Kernel& kernel : kernels)
    made.follows[fmt::format("{} {}", kernel.model, kernel.mode)] = chance.uniform(0.9, 1.1);
  return made;
}

std::string time_of(int machine, int commit) {
  const int day = 2 * commit;  // a commit every other day
  return fmt::format("2026-{:02}-{:02}T{:02}:{:02}:{:02}Z", day / 28 + 1, day % 28 + 1, machine / 60 % 24,
                     machine % 60, machine % 47);
}

DecodeKey key_of(const Kernel& kernel, const std::string& isa) {
  DecodeKey key;
  key.model = kernel.model;
  key.mode = kernel.mode;
  key.isa = isa;
  key.position_last = 127;
  return key;
}

/// The median launch of a sitting, as a factor of what it would be without any scatter.
double sitting_factor(Chance& chance, double launch_deviation) {
  std::vector<double> of_launches;
  of_launches.reserve(launches);
  for (int i = 0; i < launches; ++i)
    of_launches.push_back(chance.factor(launch_deviation) *
                          (chance.happens(0.03) ? chance.uniform(0.6, 0.95) : 1));
  double speed = harness::median(of_launches) * chance.factor(0.005);  // code and pages lie elsewhere
  if (chance.happens(0.02)) speed *= chance.uniform(0.7, 0.95);  // a neighbour came for the decode alone
  return speed;
}

/// What is made of one seed.
class Maker {
 public:
  explicit Maker(const SimulationPlan& plan) : plan_(plan), chance_(plan.seed * 0x9e3779b97f4a7c15ULL) {
    for (int number = 0; number < plan.machines; ++number) machines_.push_back(invent(chance_, number));
    for (const Kernel& kernel : kernels)
      changed_at_[fmt::format("{} {}", kernel.model, kernel.mode)] = drawn_commit();
    plant_single("machine", machine_plants);
    plant_single("gradual", gradual_plants);
  }

  Simulation made() {
    for (size_t machine = 0; machine < machines_.size(); ++machine) {
      bool slow = false;
      for (int commit = 0; commit < plan_.commits; ++commit) {
        slow = machines_[machine].noisy && chance_.happens(slow ? 0.5 : 0.2);
        if (!chance_.happens(0.1)) sit(static_cast<int>(machine), commit, slow);
      }
    }
    return std::move(made_);
  }

 private:
  /// With ten commits on either side, so that there is something to see.
  int drawn_commit() { return 10 + chance_.below(std::max(1, plan_.commits - 20)); }

  void plant_single(const std::string& kind, int count) {
    std::set<std::pair<int, std::string>> drawn;
    count = std::min(count, plan_.machines);
    while (static_cast<int>(drawn.size()) < count) {
      const int machine = chance_.below(plan_.machines);
      const auto& isas = machines_[static_cast<size_t>(machine)].isas;
      drawn.emplace(machine, isas[static_cast<size_t>(chance_.below(static_cast<int>(isas.size())))]);
    }
    for (const auto& [machine, isa] : drawn) single_[{kind, machine, isa}] = drawn_commit();
  }

  /// What is left of the speed at a commit, and notes what is planted.
  double left(const Kernel& kernel, int number, const std::string& isa, int commit) {
    const Invented& machine = machines_[static_cast<size_t>(number)];
    const std::string planted = kernel.planted;
    const auto single = single_.find({planted, number, isa});
    const bool everywhere = planted == "everywhere";
    const bool family = planted == "family" && isa == "avx2" && machine.facts.l2_bytes == 256 * kib;
    if (!everywhere && !family && single == single_.end()) return 1;
    made_.planted[{machine.facts.machine_key, key_of(kernel, isa)}] = planted;
    if (planted == "gradual") {
      const int begin = plan_.commits - std::min(plan_.commits, gradual_commits);
      const double done = static_cast<double>(commit - begin) / (plan_.commits - 1 - begin);
      return 1 - plan_.slower * std::clamp(done, 0.0, 1.0);
    }
    const int at = single != single_.end() ? single->second
                                           : changed_at_.at(fmt::format("{} {}", kernel.model, kernel.mode));
    return commit >= at ? 1 - plan_.slower : 1;
  }

  void sit(int number, int commit, bool slow) {
    const Invented& machine = machines_[static_cast<size_t>(number)];
    const size_t place = made_.history.sittings.size();
    harness::Sitting sitting = machine.facts;
    sitting.document = static_cast<int64_t>(place) + 1;
    sitting.created_utc = time_of(number, commit);
    sitting.git_commit = fmt::format("{:07x}{:033x}", commit * 2654435 % 0xfffffff, commit);
    made_.history.sittings.push_back(sitting);
    const double shared = slow ? machine.slow_day : 1;
    const double roof_hit = chance_.happens(0.01) ? chance_.uniform(0.7, 0.95) : 1;
    const std::pair<const char*, double> levels[] = {{"l1", 4e11 * std::pow(shared, 0.3)},
                                                     {"l2", 1.5e11 * std::pow(shared, 0.5)},
                                                     {"l3", 9e10 * shared * roof_hit},
                                                     {"dram", 2.5e10 * shared * roof_hit}};
    for (const auto& [level, rate] : levels)
      made_.history.roofs.push_back({place, level, 1, machine.pace * rate * chance_.factor(0.005)});
    for (const Kernel& kernel : kernels) {
      const double follows = machine.follows.at(fmt::format("{} {}", kernel.model, kernel.mode));
      for (const std::string& isa : machine.isas) {
        const double speed = kernel.tokens_per_s * machine.pace * (isa == "avx2" ? 1 : 1.3) *
                             std::pow(shared, follows) * sitting_factor(chance_, machine.launch_deviation) *
                             left(kernel, number, isa, commit);
        made_.history.figures.push_back({place, key_of(kernel, isa),
                                         static_cast<int64_t>(kernel.bytes_per_token), speed, 0.99 * speed,
                                         1.01 * speed, speed * kernel.bytes_per_token, "1"});
      }
    }
  }

  SimulationPlan plan_;
  Chance chance_;
  std::vector<Invented> machines_;
  std::map<std::string, int> changed_at_;
  std::map<std::tuple<std::string, int, std::string>, int> single_;  ///< commit by kind, machine and ISA
  Simulation made_;
};

}  // namespace

Simulation simulate(const SimulationPlan& plan) {
  return Maker(plan).made();
}

std::string planted_claim(const harness::DecodeKey& kernel) {
  for (const Kernel& each : kernels) {
    std::string planted = each.planted;
    if (kernel.model == each.model && kernel.mode == each.mode &&
        (planted == "everywhere" || planted == "family"))
      return planted;
  }
  return "";
}

}  // namespace cli
