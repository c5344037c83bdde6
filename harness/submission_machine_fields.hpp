// The keys of `suite`, `machine` and `conditions`. Part of submission_json.cpp, which alone includes it.
#pragma once
#include <string>

#include "harness/submission.hpp"
#include "harness/submission_reader.hpp"
#include "harness/submission_writer.hpp"

namespace harness {

template <class Io, Like<Unavailable> T>
void fields(Io& io, T& value) {
  io("unavailable", value.reason);
}

template <class Io, Like<Suite> T>
void fields(Io& io, T& value) {
  io("version", value.version);
  io("git_commit", value.git_commit);
  io("git_dirty", value.git_dirty);
  io("binary_sha256", value.binary_sha256);
  io("compiler", value.compiler);
  io("flags", value.flags);
  io("isa", value.isa);
  io("isa_chosen_by", value.isa_chosen_by);
}

template <class Io, Like<CoreKind> T>
void fields(Io& io, T& value) {
  io("name", value.name);
  io("cores", value.cores);
  io("pus", value.pus);
}

/// A cache's level is a word in documents. A fourth level is a memory-side cache, whatever it is called.
template <class Io, Like<Cache> T>
void cache_level(Io& io, T& value) {
  if constexpr (Io::writing) {
    const bool memory_side = !value.memory_side.empty() || value.level > 3;
    io("level", memory_side ? std::string("memory_side") : fmt::format("l{}", value.level));
  } else {
    std::string level;
    io("level", level);
    const bool memory_side = level == "memory_side";
    value.memory_side = memory_side ? level : "";
    value.level = memory_side || level.size() != 2 ? 4 : level[1] - '0';
  }
}

template <class Io, Like<Cache> T>
void fields(Io& io, T& value) {
  cache_level(io, value);
  io("type", value.type);
  io("bytes", value.bytes);
  io("line_bytes", value.line_bytes);
  io("ways", value.ways);
  io("shared_by_pus", value.shared_by_pus);
  io("instances", value.instances);
  io("source", value.source);
}

template <class Io, Like<Machine> T>
void fields(Io& io, T& value) {
  io("arch", value.arch);
  io("vendor", value.vendor);
  io("cpu_model", value.cpu_model);
  io("family", value.family);
  io("model", value.model);
  io("stepping", value.stepping);
  io("cores", value.cores);
  io("threads", value.threads);
  io("smt", value.smt);
  io("core_kinds", value.core_kinds);
  io("affinity_pus", value.affinity_pus);
  io("caches", value.caches);
  io("numa_nodes", value.numa_nodes);
  io("memory_gib", value.memory_gib);
  io("page_bytes", value.page_bytes);
  io("huge_pages_granted", value.huge_pages_granted);
  io("virtualised", value.virtualised);
  io("hypervisor", value.hypervisor);
  io("container", value.container);
  io("os_name", value.os_name);
  io("os_major", value.os_major);
  io("kernel", value.kernel);
  io("machine_key", value.machine_key);
  io("machine_key_version", value.machine_key_version);
}

template <class Io, Like<Conditions> T>
void fields(Io& io, T& value) {
  io("governor", value.governor);
  io("turbo", value.turbo);
  io("pinned_pu", value.pinned_pu);
  io("smt_sibling", value.smt_sibling);
  io("load1", value.load1);
  io("steal_ratio", value.steal_ratio);
  io("psi_cpu_some", value.psi_cpu_some);
  io("clock_source", value.clock_source);
  io("clock_resolution_ns", value.clock_resolution_ns);
  io("clock_overhead_ns", value.clock_overhead_ns);
  io("voluntary_switches", value.voluntary_switches);
  io("involuntary_switches", value.involuntary_switches);
  io("minor_faults", value.minor_faults);
  io("major_faults", value.major_faults);
  io.optional("autogroup_nice", value.autogroup_nice);
}

}  // namespace harness
