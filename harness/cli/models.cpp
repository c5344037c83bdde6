// tokroof models: what each model costs per token and which cache of this machine holds it.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "harness/cli/command.hpp"
#include "harness/cli/models_files.hpp"
#include "harness/topology.hpp"
#include "models/catalogue.hpp"
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

/// The models named, or all: built in first, then the user's.
std::vector<models::Shape> chosen(const std::vector<std::string>& names) {
  std::vector<models::Shape> shapes;
  if (names.empty()) {
    shapes.assign(models::shapes().begin(), models::shapes().end());
    for (models::Shape& shape : models::user_shapes()) shapes.push_back(std::move(shape));
  }
  for (const std::string& name : names) shapes.push_back(models::find_shape(name));
  return shapes;
}

std::string to_json(const harness::Topology& topology, const std::vector<models::Shape>& shapes) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const models::Shape& shape : shapes) {
    const models::Cost cost = models::cost(shape);
    json.push_back({{"model", shape.name},
                    {"built_in", models::known_shape(shape.name) != nullptr},
                    {"vocab", shape.vocab},
                    {"d", shape.d},
                    {"ff", shape.ff},
                    {"blocks", shape.blocks.size()},
                    {"parameters", cost.parameters},
                    {"code_bytes_per_token", cost.code_bytes_per_token},
                    {"weight_bytes_per_token", cost.weight_bytes_per_token},
                    {"weight_bytes", cost.weight_bytes},
                    {"kv_bytes", cost.kv_bytes},
                    {"working_set_bytes", cost.working_set_bytes},
                    {"macs_per_token", cost.macs_per_token},
                    {"held_by", holding_level(topology, cost.working_set_bytes)},
                    {"fit_half_l3", fit_half_l3(topology, cost.weight_bytes)}});
  }
  return json.dump(2) + "\n";
}

std::string to_text(const Terminal& terminal, const harness::Topology& topology,
                    const std::vector<models::Shape>& shapes) {
  Table table{
      {"model", "parameters", "codes B/token", "weights B/token", "working set B", "held by", "fit_half_l3"},
      {},
      {0}};
  for (const models::Shape& shape : shapes) {
    const models::Cost cost = models::cost(shape);
    const auto count = [](int64_t n) { return format_count(static_cast<double>(n)); };
    table.rows.push_back({shape.name, count(cost.parameters), count(cost.code_bytes_per_token),
                          count(cost.weight_bytes_per_token), count(cost.working_set_bytes),
                          holding_level(topology, cost.working_set_bytes),
                          fit_half_l3(topology, cost.weight_bytes)});
  }
  return to_text(terminal, table) +
         "held by: the smallest cache whose reported size holds the working set; what it really holds, "
         "tokroof probe tells.\n";
}

}  // namespace

void add_models(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(
      app, "models", "lists the models: parameters, bytes per token, and the cache that holds them",
      "tokroof models coreflow_1_9m coreflow_x512kib --json");
  add_models_add(*command, invocation);
  add_models_export(*command, invocation);
  auto names = std::make_shared<std::vector<std::string>>();
  auto json = std::make_shared<bool>(false);
  command->add_option("NAME", *names,
                      "only these; coreflow_x{N}kib is a model of N KiB of weights, N from 128 to 1048576");
  command->add_flag("--json", *json, "print JSON");
  command->callback([&invocation, command, names, json] {
    if (!command->get_subcommands().empty()) return;
    invocation.action = [&invocation, names, json] {
      const std::vector<models::Shape> shapes = chosen(*names);
      const harness::Topology topology = harness::read_host_topology();
      print_result(*json ? to_json(topology, shapes) : to_text(invocation.terminal, topology, shapes));
      return harness::ExitCode::ok;
    };
  });
}

}  // namespace cli
