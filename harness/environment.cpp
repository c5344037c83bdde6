#include "harness/environment.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "harness/buffer.hpp"
#include "harness/digest.hpp"
#include "harness/environment_files.hpp"

namespace harness {
namespace {

int64_t read_memory_gib(const Topology& topology, const std::string& root) {
  const auto meminfo = read_text_file(root + "/proc/meminfo");
  const auto kib = meminfo ? number_after(*meminfo, "MemTotal:") : std::nullopt;
  const double bytes = kib ? *kib * 1024 : static_cast<double>(topology.memory_bytes);
  return std::llround(bytes / (1 << 30));
}

bool has_smt(const Topology& topology) {
  std::set<int> cores;
  for (const Pu& pu : topology.pus) {
    if (!cores.insert(pu.core).second) return true;
  }
  return false;
}

/// Returns whether the kernel backs memory with huge pages when asked: on this machine by asking.
Reading<bool> read_huge_pages_granted(const std::string& root) {
  constexpr size_t probe_bytes = 4 << 20;
  if (root.empty() && Buffer(probe_bytes, Pages::huge).huge_bytes_granted() > 0) return true;
  const auto enabled = read_first_line(root + "/sys/kernel/mm/transparent_hugepage/enabled");
  if (!enabled) {
    return Unavailable{"no transparent huge pages (/sys/kernel/mm/transparent_hugepage is absent)"};
  }
  if (root.empty() || enabled->find("[never]") != std::string::npos) return false;
  return Unavailable{"a recorded machine grants nothing"};
}

/// The class of a hypervisor by its CPUID signature (leaf 0x40000000; the vendors' manuals, as collected in
/// Linux' arch/x86/kernel/cpu/hypervisor.c and systemd's detect-virt).
constexpr std::array<std::pair<const char*, const char*>, 11> hypervisor_signatures = {{
    {"KVMKVMKVM", "kvm"},
    {"Linux KVM Hv", "kvm"},
    {"Microsoft Hv", "hyper-v"},
    {"VMwareVMware", "vmware"},
    {"XenVMMXenVMM", "xen"},
    {"TCGTCGTCGTCG", "qemu"},
    {"VBoxVBoxVBox", "virtualbox"},
    {"bhyve bhyve", "bhyve"},
    {"prl hyperv", "parallels"},
    {"ACRNACRNACRN", "acrn"},
    {"SRESRESRESRE", "lockheed_martin_sre"},
}};

/// The same by the start of the DMI vendor or product, where CPUID is silent (Arm). Only these words are
/// recorded: what else stands in DMI may identify one machine.
constexpr std::array<std::pair<const char*, const char*>, 9> hypervisor_products = {{
    {"KVM", "kvm"},
    {"QEMU", "qemu"},
    {"VMware", "vmware"},
    {"VirtualBox", "virtualbox"},
    {"Xen", "xen"},
    {"HVM domU", "xen"},
    {"Google Compute Engine", "google"},
    {"Amazon EC2", "amazon"},
    {"Apple Virtualization", "apple"},
}};

/// Returns the class of the hypervisor, "" when there is none, or "unknown".
std::string detect_hypervisor(const CpuFeatures& features, const std::string& root) {
  for (const auto& [signature, name] : hypervisor_signatures) {
    if (features.hypervisor_vendor == signature) return name;
  }
  if (read_first_line(root + "/sys/hypervisor/type").value_or("") == "xen") return "xen";
  // Amazon's bare-metal machines carry its name too; on x86 CPUID tells them apart.
  if (features.arch == "x86_64" && !features.hypervisor) return "";
  for (const char* file : {"sys_vendor", "product_name"}) {
    const std::string text = read_first_line(root + "/sys/class/dmi/id/" + file).value_or("");
    for (const auto& [product, name] : hypervisor_products) {
      if (text.rfind(product, 0) == 0) return name;
    }
  }
  return features.hypervisor ? "unknown" : "";
}

bool is_container(const std::string& root) {
  if (path_exists(root + "/.dockerenv") || path_exists(root + "/run/.containerenv")) return true;
  if (path_exists(root + "/run/systemd/container")) return true;
  const std::string cgroups = read_text_file(root + "/proc/1/cgroup").value_or("");
  for (const char* engine : {"docker", "kubepods", "containerd", "libpod", "lxc", "crio-"}) {
    if (cgroups.find(engine) != std::string::npos) return true;
  }
  const std::string mounts = "\n" + read_text_file(root + "/proc/mounts").value_or("");
  return mounts.find("\noverlay / overlay ") != std::string::npos;
}

void read_system(Machine& machine, const std::string& root) {
  std::string release = read_text_file(root + "/etc/os-release").value_or("");
  if (release.empty()) release = read_text_file(root + "/usr/lib/os-release").value_or("");
  release = "\n" + release;
  const auto value_of = [&release](const std::string& key) {
    const size_t at = release.find("\n" + key + "=");
    if (at == std::string::npos) return std::string();
    std::string value = release.substr(at + key.size() + 2);
    value = value.substr(0, value.find('\n'));
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\''))
      value = value.substr(1, value.size() - 2);
    return value;
  };
  machine.os_name = value_of("ID").substr(0, 64);
  if (machine.os_name.empty()) machine.os_name = "linux";  // the default of os-release(5)
  machine.os_major = static_cast<int>(number_after(value_of("VERSION_ID"), "").value_or(0));
  int major = 0;
  int minor = 0;
  const std::string kernel = read_first_line(root + "/proc/sys/kernel/osrelease").value_or("");
  const bool numbered = std::sscanf(kernel.c_str(), "%4d.%4d", &major, &minor) == 2;
  machine.kernel = numbered ? fmt::format("{}.{}", major, minor) : "unknown";
}

}  // namespace

Machine read_machine(const Topology& topology, const CpuFeatures& features, const std::string& root) {
  Machine machine;
  machine.arch = features.arch;
  machine.vendor = features.vendor;
  machine.cpu_model = features.brand;
  machine.family = features.family;
  machine.model = features.model;
  machine.stepping = features.stepping;
  machine.cores = topology.cores;
  machine.threads = static_cast<int>(topology.pus.size());
  machine.smt = has_smt(topology);
  machine.core_kinds = topology.core_kinds;
  machine.affinity_pus = static_cast<int>(allowed_pus(topology).size());
  machine.caches = topology.caches;
  machine.numa_nodes = topology.numa_nodes;
  machine.memory_gib = read_memory_gib(topology, root);
  machine.page_bytes = sysconf(_SC_PAGESIZE);
  machine.huge_pages_granted = read_huge_pages_granted(root);
  const std::string hypervisor = detect_hypervisor(features, root);
  machine.virtualised = !hypervisor.empty();
  if (hypervisor.empty()) {
    machine.hypervisor = Unavailable{"neither CPUID nor DMI tells of one"};
  } else if (hypervisor == "unknown") {
    machine.hypervisor = Unavailable{"CPUID tells of a hypervisor, but not of which"};
  } else {
    machine.hypervisor = hypervisor;
  }
  machine.container = is_container(root);
  read_system(machine, root);
  machine.machine_key = machine_key(machine);
  return machine;
}

std::string machine_key(const Machine& machine) {
  const auto* hypervisor = std::get_if<std::string>(&machine.hypervisor);
  std::string facts = fmt::format(
      "tokroof/machine_key/"
      "1\narch={}\nvendor={}\nfamily={}\nmodel={}\nstepping={}\ncpu_model={}\ncores={}\nthreads={}\n"
      "memory_gib={}\nhypervisor={}\n",
      machine.arch, machine.vendor, machine.family, machine.model, machine.stepping, machine.cpu_model,
      machine.cores, machine.threads, machine.memory_gib,
      hypervisor == nullptr ? (machine.virtualised ? "unknown" : "none") : *hypervisor);
  for (const Cache& cache : machine.caches) {  // but not where it was read: that changes with hwloc's version
    facts += fmt::format("cache={}{},{},{},{},{},{},{}\n", cache.level, cache.memory_side, cache.type,
                         cache.bytes, cache.line_bytes, cache.ways, cache.shared_by_pus, cache.instances);
  }
  return sha256_hex(facts);
}

}  // namespace harness
