// tokroof info: the machine as tokroof sees it, or a recorded one.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/cli/command.hpp"
#include "harness/counters.hpp"
#include "harness/cpu_features.hpp"
#include "harness/streams/streams.hpp"
#include "harness/topology.hpp"
#include "models/kernels/select.hpp"

namespace cli {
namespace {

using harness::Topology;

struct InfoOptions {
  std::string topology_file;
  bool json = false;
};

struct Info {
  Topology topology;
  harness::CpuFeatures features;      ///< of this machine only
  std::string chosen, chosen_stream;  ///< "" on a recorded machine
  harness::CounterSupport counters;
};

Info look(const InfoOptions& options) {
  Info info;
  if (!options.topology_file.empty()) {
    info.topology = harness::read_topology_xml(options.topology_file);
    const std::string reason = "a recorded machine counts nothing";
    info.counters = {harness::Unavailable{reason}, harness::Unavailable{reason}, ""};
    return info;
  }
  info.topology = harness::read_host_topology();
  info.features = harness::read_cpu_features();
  info.chosen = models::select_kernels(models::kernel_tables(), info.features, "").isa;
  info.chosen_stream = harness::select_streams(info.features).isa;
  info.counters = harness::read_counter_support();
  return info;
}

nlohmann::ordered_json counters_json(const harness::CounterSupport& counters) {
  nlohmann::ordered_json json;
  if (const auto* events = std::get_if<std::vector<std::string>>(&counters.hardware_events)) {
    json["hardware_events"] = *events;
  } else {
    json["hardware_events"] = {
        {"unavailable", std::get<harness::Unavailable>(counters.hardware_events).reason}};
  }
  if (const auto* sde = std::get_if<std::string>(&counters.sde)) {
    json["software_defined_events"] = *sde;
  } else {
    json["software_defined_events"] = {{"unavailable", std::get<harness::Unavailable>(counters.sde).reason}};
  }
  return json;
}

std::string to_json(const Info& info) {
  nlohmann::ordered_json json;
  json["caches"] = nlohmann::ordered_json::array();
  for (const harness::Cache& cache : info.topology.caches) {
    json["caches"].push_back({{"level", cache.level},
                              {"type", cache.type},
                              {"bytes", cache.bytes},
                              {"line_bytes", cache.line_bytes},
                              {"ways", cache.ways},
                              {"shared_by_pus", cache.shared_by_pus},
                              {"instances", cache.instances}});
  }
  json["cores"] = info.topology.cores;
  json["pus"] = info.topology.pus.size();
  json["allowed_pus"] = harness::allowed_pus(info.topology);
  json["core_kinds"] = nlohmann::ordered_json::array();
  for (const harness::CoreKind& kind : info.topology.core_kinds) {
    json["core_kinds"].push_back({{"name", kind.name}, {"cores", kind.cores}, {"pus", kind.pus}});
  }
  json["numa_nodes"] = info.topology.numa_nodes;
  json["isa"] = harness::isa_names(info.features);
  if (!info.chosen.empty()) json["chosen"] = {{"kernels", info.chosen}, {"streams", info.chosen_stream}};
  json["counters"] = counters_json(info.counters);
  return json.dump(2) + "\n";
}

/// Writes a list of PUs as ranges: "0-3,8".
std::string ranges(const std::vector<int>& numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", numbers[i]);
    if (last > i) text += fmt::format("-{}", numbers[last]);
    i = last + 1;
  }
  return text;
}

std::string cache_table(const Terminal& terminal, const Topology& topology) {
  if (topology.caches.empty()) return "caches       the system tells of none\n";
  Table table{{"cache", "type", "per instance", "instances", "shared by PUs", "line", "ways"}, {}, {0, 1}};
  for (const harness::Cache& cache : topology.caches) {
    const auto number = [](int n) { return n == 0 ? std::string("unknown") : std::to_string(n); };
    table.rows.push_back({fmt::format("L{}", cache.level), cache.type,
                          cache.bytes == 0 ? "unknown" : format_bytes(static_cast<double>(cache.bytes)),
                          std::to_string(cache.instances), std::to_string(cache.shared_by_pus),
                          number(cache.line_bytes), cache.ways == -1 ? "full" : number(cache.ways)});
  }
  return to_text(terminal, table);
}

std::string to_text(const Terminal& terminal, const Info& info) {
  const Topology& topology = info.topology;
  std::string text = info.features.brand.empty() ? topology.source + "\n" : info.features.brand + "\n";
  text += fmt::format("cores        {} in {} package(s), {} PUs, {} NUMA node(s), {}\n", topology.cores,
                      topology.packages, topology.pus.size(), topology.numa_nodes,
                      format_bytes(static_cast<double>(topology.memory_bytes)));
  const std::vector<int> allowed = harness::allowed_pus(topology);
  text += fmt::format("allowed PUs  {} ({} of {})\n", ranges(allowed), allowed.size(), topology.pus.size());
  for (const harness::CoreKind& kind : topology.core_kinds) {
    text += fmt::format("core kind    {}: {} cores, {} PUs\n", kind.name, kind.cores, kind.pus);
  }
  text += "\n" + cache_table(terminal, topology) + "\n";
  if (!info.chosen.empty()) {
    text += fmt::format("ISA found    {}\n", fmt::join(harness::isa_names(info.features), " "));
    text +=
        fmt::format("ISA chosen   {} for kernels, {} for read streams (--isa or TOKROOF_ISA force kernels)\n",
                    info.chosen, info.chosen_stream);
  }
  const auto* events = std::get_if<std::vector<std::string>>(&info.counters.hardware_events);
  text += "counters     " +
          (events != nullptr
               ? fmt::format("{}", fmt::join(*events, " "))
               : "unavailable: " + std::get<harness::Unavailable>(info.counters.hardware_events).reason);
  const auto* sde = std::get_if<harness::Unavailable>(&info.counters.sde);
  return text + fmt::format("\nown events   {}\n",
                            sde == nullptr ? "bytes_streamed tokens macs, through PAPI's SDE component"
                                           : "unavailable: " + sde->reason);
}

}  // namespace

void add_info(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, "info", "shows caches per instance, cores, ISA, and counters or why there are none",
                  "tokroof info --topology machine.xml");
  auto options = std::make_shared<InfoOptions>();
  command->add_option("--topology", options->topology_file,
                      "show a machine recorded by lstopo as XML, not this one");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options] {
      const Info info = look(*options);
      print_result(options->json ? to_json(info) : to_text(invocation.terminal, info));
      return harness::ExitCode::ok;
    };
  });
}

}  // namespace cli
