// tokroof models: what each model costs per token and which cache of this machine holds it.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "harness/cli/command.hpp"
#include "harness/topology.hpp"
#include "models/shape.hpp"

namespace cli {
namespace {

/// Returns the smallest reported data cache that holds the whole working set: "l1" … "l3", or "dram".
std::string holding_level(const harness::Topology& topology, int64_t working_set_bytes) {
  for (int level = 1; level <= 4; ++level) {
    const harness::Cache* cache = harness::find_cache(topology, level);
    if (cache != nullptr && static_cast<int64_t>(cache->bytes) >= working_set_bytes)
      return fmt::format("l{}", level);
  }
  return "dram";
}

/// The seeds' rule of thumb, under test here: weights ≤ half of one L3 instance.
std::string fit_half_l3(const harness::Topology& topology, int64_t weight_bytes) {
  const harness::Cache* l3 = harness::find_cache(topology, 3);
  if (l3 == nullptr || l3->bytes == 0) return "no L3";
  return weight_bytes <= static_cast<int64_t>(l3->bytes / 2) ? "yes" : "no";
}

std::string to_json(const harness::Topology& topology) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const models::Shape& shape : models::shapes()) {
    const models::Cost cost = models::cost(shape);
    json.push_back({{"model", shape.name},
                    {"parameters", cost.parameters},
                    {"code_bytes_per_token", cost.code_bytes_per_token},
                    {"weight_bytes_per_token", cost.weight_bytes_per_token},
                    {"kv_bytes", cost.kv_bytes},
                    {"working_set_bytes", cost.working_set_bytes},
                    {"macs_per_token", cost.macs_per_token},
                    {"held_by", holding_level(topology, cost.working_set_bytes)},
                    {"fit_half_l3", fit_half_l3(topology, cost.weight_bytes_per_token)}});
  }
  return json.dump(2) + "\n";
}

std::string to_text(const Terminal& terminal, const harness::Topology& topology) {
  Table table{
      {"model", "parameters", "codes B/token", "weights B/token", "working set B", "held by", "fit_half_l3"},
      {},
      {0}};
  for (const models::Shape& shape : models::shapes()) {
    const models::Cost cost = models::cost(shape);
    const auto count = [](int64_t n) { return format_count(static_cast<double>(n)); };
    table.rows.push_back({shape.name, count(cost.parameters), count(cost.code_bytes_per_token),
                          count(cost.weight_bytes_per_token), count(cost.working_set_bytes),
                          holding_level(topology, cost.working_set_bytes),
                          fit_half_l3(topology, cost.weight_bytes_per_token)});
  }
  return to_text(terminal, table) +
         "held by: the smallest cache whose reported size holds the working set; what it really holds, "
         "tokroof probe tells.\n";
}

}  // namespace

void add_models(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(
      app, "models", "lists the models: parameters, bytes per token, and the cache that holds them",
      "tokroof models --json");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "print JSON");
  command->callback([&invocation, json] {
    invocation.action = [&invocation, json] {
      const harness::Topology topology = harness::read_host_topology();
      print_result(*json ? to_json(topology) : to_text(invocation.terminal, topology));
      return harness::ExitCode::ok;
    };
  });
}

}  // namespace cli
