#include "analysis/import_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

namespace analysis {
namespace {

using harness::ImportedRow;
using harness::ImportLimit;
using harness::Unavailable;

// What the widest cores' load ports deliver per cycle: two of 64 bytes (Intel since Skylake-SP, Zen 5); rule
// P02 says the same.
constexpr double bytes_per_cycle = 128;
// Memory that is sold faster than CPUs officially support (XMP, EXPO): DDR5-6400 to 6800 in place of 5200,
// DDR4-3600 to 4000 in place of 3200. Squared where nobody verified what the CPU supports.
constexpr double overclock = 1.3;
// Clocks above the maker's boost: no CPU of the catalogue runs 15 % above it on all cores.
constexpr double overclocked_cores = 1.15;

template <class T>
double value_or(const harness::Reading<T>& reading, double otherwise) {
  return available(reading) ? static_cast<double>(std::get<T>(reading)) : otherwise;
}

std::string text_or_empty(const harness::Reading<std::string>& reading) {
  return available(reading) ? std::get<std::string>(reading) : "";
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// What a machine with this CPU has at most.
struct Machine {
  int sockets = 1;
  double cache_bytes = 0, memory_bytes_per_s = 0, cores_bytes_per_s = 0;
  bool memory_verified = true;
};

Machine machine_of(const Cpu& cpu, double threads) {
  Machine machine;
  const std::string name = lower(cpu.name);
  const bool server = name.find("xeon") != std::string::npos || name.find("epyc") != std::string::npos ||
                      name.find("opteron") != std::string::npos;
  machine.sockets = std::max(server ? 2 : 1,
                             static_cast<int>(std::ceil(std::min(threads, 1e4) / std::max(cpu.threads, 1))));
  double clock_hz = 0;
  for (const CpuKind& kind : cpu.kinds) {
    clock_hz = std::max({clock_hz, kind.boost_hz, kind.base_hz});
    for (const CpuCache& cache : kind.caches) {
      if (kind.kind == "efficiency" && cache.level == "l3") continue;  // the one that the others have counted
      machine.cache_bytes += static_cast<double>(cache.bytes) * cache.instances * machine.sockets;
    }
  }
  machine.memory_bytes_per_s =
      cpu.memory.channels * 8.0 * cpu.memory.fastest_transfers_per_s * machine.sockets;
  machine.memory_verified = cpu.memory.provenance.verified();
  const double cores = cpu.cores * static_cast<double>(machine.sockets);
  machine.cores_bytes_per_s = (threads > 0 ? std::min(threads, cores) : cores) * bytes_per_cycle * clock_hz;
  return machine;
}

/// Returns the most tokens per second: what caches keep at best need not come from memory.
double most_tokens_per_s(double bytes, double cache_bytes, double memory, double cores) {
  double seconds = std::max(0.0, bytes - cache_bytes) / memory;
  if (cores > 0) seconds = std::max(seconds, bytes / cores);
  return seconds > 0 ? 1 / seconds : std::numeric_limits<double>::infinity();
}

/// Says in words why a row cannot be checked, "" when it can.
std::string obstacle(const ImportedRow& row, const Cpu* cpu) {
  if (row.figure != "decode") return "not a decode";
  if (!available(row.tokens_per_s)) return "no tokens per second";
  if (!available(row.device)) return "where it ran is not stated";
  if (!std::get<std::string>(row.device).starts_with("CPU")) return "it did not run on the CPU";
  if (value_or(row.streams, 1) > 1) return "several texts share what is read";
  if (!available(row.weight_bytes)) return "the size of the weights is not stated";
  if (!available(row.cpu)) return "the CPU is not stated; name it with --cpu";
  if (cpu == nullptr)
    return "no single CPU of the catalogue has the name '" + std::get<std::string>(row.cpu) + "'";
  if (cpu->note.find("not counted") != std::string::npos) return "part of its memory is not in the catalogue";
  if (available(row.model) && !known_dense(row)) return "how much of this model a token reads is not known";
  return "";
}

std::string sum_of(const ImportedRow& row, const Cpu& cpu, const Machine& machine, double cache_bytes) {
  const double bytes = value_or(row.weight_bytes, 0), speed = value_or(row.tokens_per_s, 0);
  return fmt::format(
      "{:.4g} GB per token x {:.4g} tok/s = {:.4g} GB/s; {}{} reads at most {:.4g} GB/s from memory and "
      "keeps {} "
      "of {:.4g} MB in caches",
      bytes / 1e9, speed, bytes * speed / 1e9,
      machine.sockets > 1 ? fmt::format("{} x ", machine.sockets) : "", cpu.name,
      machine.memory_bytes_per_s / 1e9,
      cache_bytes > 0 ? fmt::format("{:.4g} MB", std::min(bytes, cache_bytes) / 1e6) : "nothing",
      bytes / 1e6);
}

}  // namespace

const Cpu* named_cpu(const ImportedRow& row) {
  if (!available(row.cpu)) return nullptr;
  const std::vector<const Cpu*> found = find_cpus(std::get<std::string>(row.cpu));
  return found.size() == 1 ? found.front() : nullptr;
}

double least_bytes_per_token(const ImportedRow& row) {
  const double bytes = value_or(row.weight_bytes, 0);
  // A token of the runtimes that state what they flush reads all of it, and an evicted file is no less.
  if (!available(row.model) && !available(row.parameters)) return bytes;
  const double parameters = value_or(row.parameters, 0);
  if (parameters <= 0) return bytes / 2;
  // 16 layers or more of at least 10 d^2 parameters each bound the width d. Vocabularies: Llama 3 has 128,256
  // tokens, Qwen 2 and 3 152,064, none more than Gemma's 262,144. An input embedding stored in up to 1.5
  // times the mean bits is counted in full.
  const std::string model = lower(text_or_empty(row.model));
  const double vocabulary = model.starts_with("llama ") ? 128256
                            : model.starts_with("qwen") ? 152064
                                                        : 262144;
  const double width = std::sqrt(parameters / 160);
  const double embedding = vocabulary * width / parameters * 1.5;
  return bytes * (1 - std::min(0.5, embedding));
}

bool known_dense(const ImportedRow& row) {
  static constexpr std::array dense{
      "llama",         "qwen",     "qwen2",    "qwen3",     "gemma",        "gemma2",    "gemma3",
      "phi2",          "phi3",     "falcon",   "gptneox",   "gpt2",         "starcoder", "starcoder2",
      "bloom",         "mpt",      "stablelm", "baichuan",  "internlm2",    "minicpm",   "command-r",
      "cohere2",       "olmo",     "olmo2",    "granite",   "smollm3",      "exaone",    "exaone4",
      "nemotron",      "mistral3", "bitnet",   "bitnet-25", "bitnet-b1.58", "chatglm",   "glm4",
      "hunyuan-dense", "seed_oss", "rwkv6",    "rwkv7",     "mamba"};
  const std::string model = lower(text_or_empty(row.model)), file = lower(text_or_empty(row.file));
  const std::string architecture = model.substr(0, model.find(' '));
  for (const std::string& text : {model, file}) {
    for (const char* word :
         {"moe", "mixtral", "x7b", "x8b", "x3b", "x22b", "-a3b", ".a3b", "x21b", "experts"}) {
      if (text.find(word) != std::string::npos) return false;
    }
  }
  return std::find(dense.begin(), dense.end(), architecture) != dense.end();
}

ImportLimit check_limit(const ImportedRow& row) {
  const Cpu* cpu = named_cpu(row);
  if (const std::string why = obstacle(row, cpu); !why.empty())
    return {"not_checked", harness::import_label(why, 300), Unavailable{"not checked"}};
  const Machine machine = machine_of(*cpu, value_or(row.threads, 0));
  const double bytes = value_or(row.weight_bytes, 0), speed = value_or(row.tokens_per_s, 0);
  const double least = least_bytes_per_token(row);
  const bool evicted = available(row.mode) && std::get<std::string>(row.mode) == "evict_flush";
  const double cache = evicted ? 0 : machine.cache_bytes;
  if (bytes <= 0 || machine.memory_bytes_per_s <= 0)
    return {"not_checked", "the catalogue does not know its memory", Unavailable{"not checked"}};

  const double cores = machine.cores_bytes_per_s;
  const double rated = most_tokens_per_s(bytes, cache, machine.memory_bytes_per_s, cores);
  const double faster = machine.memory_verified ? overclock : overclock * overclock;
  const double most =
      most_tokens_per_s(least, cache, machine.memory_bytes_per_s * faster, cores * overclocked_cores);
  ImportLimit limit;
  limit.tokens_per_s = Unavailable{"the catalogue does not know its clock"};
  if (std::isfinite(rated) && rated <= 0x1p53) limit.tokens_per_s = rated;
  limit.detail = sum_of(row, *cpu, machine, cache);
  if (speed <= most_tokens_per_s(bytes, 0, machine.memory_bytes_per_s, cores)) {
    limit.word = "possible";
  } else if (speed <= rated) {
    limit.word = "cache_resident";
  } else {
    limit.word = speed <= most ? "cannot_tell" : "refuted";
    limit.detail += fmt::format("; even memory {:.2f}x as fast and {:.4g} GB per token allow {} {:.4g} tok/s",
                                faster, least / 1e9, limit.word == "refuted" ? "only" : "up to", most);
  }
  limit.detail = harness::import_label(limit.detail, 300);
  return limit;
}

}  // namespace analysis
