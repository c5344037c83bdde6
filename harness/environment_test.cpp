#include "harness/environment.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "harness/environment_files.hpp"
#include "harness/fake_clock.hpp"

namespace harness {
namespace {

const std::string desktop = "harness/testdata/sysfs/desktop";
const std::string guest = "harness/testdata/sysfs/crowded_guest";
const std::string nothing = "harness/testdata/sysfs/nothing_here";

Topology two_threads_one_core() {
  return read_synthetic_topology("pack:1 l3:1 l2:1 l1d:1 core:1 pu:2");
}

CpuFeatures intel() {
  CpuFeatures features;
  features.arch = "x86_64";
  features.vendor = "GenuineIntel";
  features.brand = "Intel(R) Core(TM) i7";
  features.family = 6;
  features.model = 186;
  features.clflush = features.clflushopt = true;
  return features;
}

CpuFeatures arm() {
  CpuFeatures features;
  features.arch = "aarch64";
  return features;
}

template <class T>
std::string reason_of(const Reading<T>& reading) {
  return available(reading) ? "" : std::get<Unavailable>(reading).reason;
}

TEST(environment, a_recorded_desktop_is_read_by_allow_list) {
  const Machine machine = read_machine(two_threads_one_core(), intel(), desktop);
  EXPECT_EQ(machine.arch, "x86_64");
  EXPECT_EQ(machine.cpu_model, "Intel(R) Core(TM) i7");
  EXPECT_EQ(machine.cores, 1);
  EXPECT_EQ(machine.threads, 2);
  EXPECT_TRUE(machine.smt);
  EXPECT_EQ(machine.memory_gib, 31);  // 32,614,532 KiB = 31.1 GiB
  EXPECT_EQ(machine.os_name, "ubuntu");
  EXPECT_EQ(machine.os_major, 24);
  EXPECT_EQ(machine.kernel, "6.8");
  EXPECT_FALSE(machine.virtualised);
  EXPECT_FALSE(machine.container);
  EXPECT_EQ(reason_of(machine.hypervisor), "neither CPUID nor DMI tells of one");
  EXPECT_FALSE(available(machine.huge_pages_granted)) << "a recorded machine grants nothing";
  EXPECT_EQ(machine.page_bytes, sysconf(_SC_PAGESIZE));
  EXPECT_EQ(machine.affinity_pus, 2);
}

TEST(environment, a_recorded_guest_in_a_container_says_so) {
  const Machine machine = read_machine(two_threads_one_core(), arm(), guest);
  EXPECT_TRUE(machine.virtualised);
  EXPECT_EQ(std::get<std::string>(machine.hypervisor), "amazon");
  EXPECT_TRUE(machine.container);
  EXPECT_EQ(machine.memory_gib, 4);
  EXPECT_EQ(machine.os_name, "alpine");
  EXPECT_EQ(machine.os_major, 3);
  EXPECT_EQ(machine.kernel, "5.15");
  EXPECT_EQ(machine.huge_pages_granted, Reading<bool>(false));
}

TEST(environment, a_machine_that_tells_nothing_gives_reasons_and_no_guesses) {
  const Machine machine = read_machine(two_threads_one_core(), arm(), nothing);
  EXPECT_EQ(machine.os_name, "linux");
  EXPECT_EQ(machine.os_major, 0);
  EXPECT_EQ(machine.kernel, "unknown");
  EXPECT_FALSE(machine.container);
  EXPECT_FALSE(machine.virtualised);
  EXPECT_NE(reason_of(machine.huge_pages_granted), "");
}

TEST(environment, hypervisors_are_told_by_their_signature) {
  CpuFeatures features = intel();
  features.hypervisor = true;
  features.hypervisor_vendor = "KVMKVMKVM";
  EXPECT_EQ(std::get<std::string>(read_machine(two_threads_one_core(), features, desktop).hypervisor), "kvm");
  features.hypervisor_vendor = "Microsoft Hv";
  EXPECT_EQ(std::get<std::string>(read_machine(two_threads_one_core(), features, desktop).hypervisor),
            "hyper-v");
}

TEST(environment, an_unknown_hypervisor_is_virtualised_without_a_name) {
  CpuFeatures features = intel();
  features.hypervisor = true;
  features.hypervisor_vendor = "Home Grown";
  const Machine machine = read_machine(two_threads_one_core(), features, desktop);
  EXPECT_TRUE(machine.virtualised);
  EXPECT_NE(reason_of(machine.hypervisor), "");
}

TEST(environment, dmi_does_not_make_a_bare_x86_machine_virtual) {
  EXPECT_FALSE(read_machine(two_threads_one_core(), intel(), guest).virtualised)
      << "Amazon's bare-metal machines carry its name too";
}

TEST(environment, the_host_is_read_in_full) {
  const Machine machine = read_machine(read_host_topology(), read_cpu_features());
  EXPECT_GT(machine.threads, 0);
  EXPECT_GT(machine.affinity_pus, 0);
  EXPECT_NE(machine.kernel, "unknown");
  EXPECT_GT(machine.os_name.size(), 0u);
  EXPECT_EQ(machine.virtualised, read_cpu_features().hypervisor || available(machine.hypervisor));
}

TEST(environment, dmi_texts_that_are_no_class_of_hypervisor_are_not_recorded) {
  const Machine machine = read_machine(two_threads_one_core(), arm(), desktop);
  EXPECT_FALSE(machine.virtualised);
  EXPECT_EQ(reason_of(machine.hypervisor).find("SERIAL"), std::string::npos);
  EXPECT_EQ(reason_of(machine.hypervisor).find("LENOVO"), std::string::npos);
}

TEST(machine_key, is_64_hex_digits_and_the_same_every_time) {
  const Machine machine = read_machine(two_threads_one_core(), intel(), desktop);
  EXPECT_EQ(machine.machine_key.size(), 64u);
  EXPECT_EQ(machine.machine_key, machine_key(machine));
  EXPECT_EQ(machine.machine_key, read_machine(two_threads_one_core(), intel(), desktop).machine_key);
}

TEST(machine_key, changes_with_every_stable_fact) {
  const Machine machine = read_machine(two_threads_one_core(), intel(), desktop);
  const std::vector<void (*)(Machine&)> changes = {
      [](Machine& m) { m.arch = "aarch64"; },
      [](Machine& m) { m.vendor = "AuthenticAMD"; },
      [](Machine& m) { m.cpu_model += "2"; },
      [](Machine& m) { ++m.family; },
      [](Machine& m) { ++m.model; },
      [](Machine& m) { ++m.stepping; },
      [](Machine& m) { ++m.cores; },
      [](Machine& m) { ++m.threads; },
      [](Machine& m) { ++m.memory_gib; },
      [](Machine& m) { m.hypervisor = std::string("kvm"); },
      [](Machine& m) { m.virtualised = true; },
      [](Machine& m) { m.caches.pop_back(); },
      [](Machine& m) { m.caches.back().bytes *= 2; },
      [](Machine& m) { ++m.caches.back().instances; },
      [](Machine& m) { ++m.caches.back().shared_by_pus; },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    Machine changed = machine;
    changes[i](changed);
    EXPECT_NE(machine_key(changed), machine.machine_key) << "change " << i;
  }
}

TEST(machine_key, survives_what_changes_between_two_boots) {
  const Machine machine = read_machine(two_threads_one_core(), intel(), desktop);
  Machine rebooted = machine;
  rebooted.kernel = "6.9";
  rebooted.os_major = 26;
  rebooted.affinity_pus = 1;
  rebooted.container = true;
  rebooted.huge_pages_granted = true;
  rebooted.caches.back().source = "os";
  EXPECT_EQ(machine_key(rebooted), machine.machine_key);
}

TEST(environment_files, a_key_counts_only_at_the_start_of_a_word) {
  EXPECT_EQ(number_after("some avg10=1.5 total=7", "total="), 7);
  EXPECT_EQ(number_after("subtotal=3 total=7", "total="), 7);
  EXPECT_EQ(number_after("total=x", "total="), std::nullopt);
  EXPECT_EQ(number_after("", "total="), std::nullopt);
}

TEST(environment_files, lines_come_without_their_end_and_missing_files_are_none) {
  EXPECT_EQ(read_first_line(desktop + "/sys/class/dmi/id/sys_vendor"), "LENOVO");
  EXPECT_EQ(read_first_line(nothing), std::nullopt);
  EXPECT_EQ(read_text_file(nothing), std::nullopt);
}

}  // namespace
}  // namespace harness
