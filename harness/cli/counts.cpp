// tokroof counts: bytes, multiply-adds, kernel calls and instructions of a token, which no noise can touch.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

#include "harness/cli/command.hpp"
#include "harness/cli/interrupt.hpp"
#include "harness/cli/parse.hpp"
#include "harness/cli/token_counts.hpp"
#include "harness/counters.hpp"
#include "harness/cpu_features.hpp"
#include "models/decoder.hpp"
#include "models/golden.hpp"
#include "models/kernels/select.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;

constexpr int usual_tokens = 128;

struct CountOptions {
  std::vector<std::string> names;
  std::string isa, positions, arithmetic = "int8", routing = "none";
  bool json = false, steps_only = false;
};

/// One model on one table, ready to be decoded.
struct Counted {
  const models::Shape* shape = nullptr;
  const models::Kernels* kernels = nullptr;
  std::optional<models::RoutingTrace> trace;
  int first = 0, last = 0;

  [[nodiscard]] const models::RoutingTrace* route() const { return trace ? &*trace : nullptr; }
};

/// The tables asked for: one, or with "all" each that this CPU runs.
std::vector<const models::Kernels*> chosen_tables(std::string isa) {
  const harness::CpuFeatures features = harness::read_cpu_features();
  if (isa.empty()) {
    const char* from_environment = std::getenv("TOKROOF_ISA");
    if (from_environment != nullptr) isa = from_environment;
  }
  if (isa != "all") return {&models::select_kernels(models::kernel_tables(), features, isa)};
  std::vector<const models::Kernels*> tables;
  for (const models::Kernels* table : models::kernel_tables()) {
    if (models::missing_feature(*table, features).empty()) tables.push_back(table);
  }
  return tables;
}

Counted counted(const CountOptions& options, const models::Shape& shape, const models::Kernels& kernels) {
  Counted one;
  one.shape = &shape;
  one.kernels = &kernels;
  one.last = std::min(usual_tokens, shape.context) - 1;
  if (!options.positions.empty()) std::tie(one.first, one.last) = parse_positions(options.positions);
  if (one.last >= shape.context)
    throw Error(ExitCode::usage, fmt::format("--positions {}: {} has positions 0:{}", options.positions,
                                             shape.name, shape.context - 1));
  const bool int8 =
      shape.body_format == models::Format::int8 && shape.embedding_format == models::Format::int8;
  if (options.arithmetic == "float" && !int8)
    throw Error(ExitCode::usage,
                fmt::format("{} does not decode in float arithmetic: leave --arithmetic out", shape.name));
  const models::Routing routing = models::parse_routing(options.routing);
  if (routing.kind == models::Routing::Kind::none) return one;
  if (shape.experts.count == 0)
    throw Error(ExitCode::usage,
                fmt::format("{} has no experts to route to: leave --routing out", shape.name));
  one.trace = models::make_trace(
      routing,
      {shape.experts.count, shape.experts.top_k, static_cast<int>(shape.blocks.size()), one.last + 1}, 1);
  return one;
}

/// Decodes positions 0 … last with the product's own table, and counts instructions from `first` on.
harness::Reading<int64_t> count_instructions(const Counted& one, models::Arithmetic arithmetic) {
  models::Decoder decoder(*one.shape, models::synthetic_source(1), *one.kernels, arithmetic);
  decoder.route(one.route());
  harness::Counters counters;
  const std::vector<uint32_t> tokens = models::seeded_tokens(*one.shape, 1, one.last + 1);
  for (int position = 0; position <= one.last; ++position) {
    if (position == one.first) counters.start();
    decoder.step(tokens[static_cast<size_t>(position)]);
  }
  const harness::CounterValues values = counters.stop();
  for (const char* event : {"PAPI_TOT_INS", "hardware_events"}) {
    const auto found = values.find(event);
    if (found != values.end()) return found->second;
  }
  return harness::Unavailable{"PAPI tells nothing of instructions"};
}

TokenCounts count(const CountOptions& options, const Counted& one) {
  const models::Arithmetic arithmetic = models::find_arithmetic(options.arithmetic);
  TokenCounts counts;
  counts.model = one.shape->name;
  counts.isa = one.kernels->isa;
  counts.arithmetic = options.arithmetic;
  counts.routing = models::routing_text(models::parse_routing(options.routing));
  counts.kernel_version = models::kernel_version;
  counts.position_first = one.first;
  counts.position_last = one.last;
  counts.weight_bytes_per_token = models::cost(*one.shape).weight_bytes_per_token;
  counts.counted = models::count_tokens(*one.shape, models::synthetic_source(1), *one.kernels, arithmetic,
                                        one.route(), one.first, one.last);
  counts.instructions = count_instructions(one, arithmetic);
  return counts;
}

std::string to_text(const Terminal& terminal, const std::vector<TokenCounts>& all) {
  Table table{{"model", "kernels", "positions", "weights B", "K/V B", "vectors B", "multiply-adds", "calls",
               "instructions"},
              {},
              {0, 1, 2}};
  std::string why;
  for (const TokenCounts& counts : all) {
    const PerToken each = per_token(counts);
    std::string instructions = "-";
    if (harness::available(counts.instructions)) {
      instructions = format_count(static_cast<double>(std::get<int64_t>(counts.instructions)) /
                                  static_cast<double>(counts.counted.tokens));
    } else {
      why = std::get<harness::Unavailable>(counts.instructions).reason;
    }
    table.rows.push_back(
        {counts.model, counts.isa + (counts.arithmetic == "int8" ? "" : " " + counts.arithmetic),
         fmt::format("{}:{}", counts.position_first, counts.position_last), format_count(each.weight_bytes),
         format_count(each.kv_bytes), format_count(each.vector_bytes), format_count(each.macs),
         format_count(each.calls), instructions});
  }
  std::string text = "per token:\n" + to_text(terminal, table);
  if (!why.empty())
    text += "instructions unavailable: " + why + "; script/count-instructions counts them in an emulator\n";
  return text;
}

ExitCode run(const CountOptions& options, const Terminal& terminal) {
  note_interrupts();
  std::vector<const models::Shape*> shapes;
  for (const std::string& name : options.names) shapes.push_back(&models::find_shape(name));
  if (shapes.empty()) {
    for (const models::Shape& shape : models::shapes()) shapes.push_back(&shape);
  }
  std::vector<Counted> all;
  for (const models::Shape* shape : shapes) {
    for (const models::Kernels* table : chosen_tables(options.isa))
      all.push_back(counted(options, *shape, *table));
  }
  std::vector<TokenCounts> counts;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  Progress progress(terminal, static_cast<double>(all.size()));
  for (size_t i = 0; i < all.size(); ++i) {
    progress.show(all[i].shape->name, static_cast<double>(i) / static_cast<double>(all.size()));
    if (options.steps_only) {
      count_instructions(all[i], models::find_arithmetic(options.arithmetic));
      continue;
    }
    counts.push_back(count(options, all[i]));
    json.push_back(to_json(counts.back()));
    if (interrupt_noted() != 0) throw Interrupted("interrupted");
  }
  progress.clear();
  if (!options.steps_only) print_result(options.json ? json.dump(2) + "\n" : to_text(terminal, counts));
  return ExitCode::ok;
}

}  // namespace

void add_counts(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, "counts", "counts what a token is made of: bytes, multiply-adds, calls, instructions",
                  "tokroof counts coreflow_1_9m --isa all --json");
  auto options = std::make_shared<CountOptions>();
  command->add_option("MODEL", options->names, "see tokroof models; every built-in one unless named");
  command->add_option("--isa", options->isa,
                      "one kernel table, or all that this CPU runs: all; also $TOKROOF_ISA");
  command->add_option("--positions", options->positions, "FIRST:LAST, inclusive; 0:127 unless told");
  command->add_option("--arithmetic", options->arithmetic, "int8 or float, as of decode")
      ->check(CLI::IsMember({"int8", "float"}))
      ->capture_default_str();
  command->add_option("--routing", options->routing, "as of decode")->capture_default_str();
  CLI::Option* json = command->add_flag("--json", options->json, "print JSON");
  command
      ->add_flag("--steps-only", options->steps_only,
                 "decode and print nothing: what script/count-instructions runs in an emulator")
      ->excludes(json);
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options] { return run(*options, invocation.terminal); };
  });
}

}  // namespace cli
