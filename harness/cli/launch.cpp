// The hidden subcommand that a child process runs: one launch, as JSON on stdout.
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "harness/cli/child.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/variant_options.hpp"
#include "harness/counters.hpp"
#include "harness/cpu_features.hpp"
#include "harness/pinning.hpp"
#include "harness/submission.hpp"
#include "models/fidelity.hpp"
#include "models/kernels/select.hpp"
#include "probes/decode.hpp"
#include "probes/probe.hpp"
#include "probes/residency_meter.hpp"
#include "probes/stream_eviction.hpp"
#include "probes/time_budget.hpp"

namespace cli {
namespace {

struct LaunchOptions {
  std::string purpose, plan, weights_file, routing_file;
  std::vector<std::string> ids, models, isas;
  std::vector<int64_t> sizes;
  int sizes_per_octave = 2, samples = 5, pu = -1;
  uint64_t seed = 1;
  int64_t budget_ns = 0;
  bool progress = false, all_variants = false;
  std::shared_ptr<probes::VariantChoice> choice = std::make_shared<probes::VariantChoice>();
};

/// One series to measure.
struct Asked {
  const probes::Probe* probe;
  probes::Variant variant;
  bool extra;     ///< beside its probe's main series: taken after all main ones, so that it gives way first
  size_t listed;  ///< its place in the document
};

/// Returns the series to measure: each probe's main one, or every one it lists, with what was chosen; all
/// main ones first.
std::vector<Asked> asked_series(const LaunchOptions& options, const probes::ProbeContext& context) {
  std::vector<Asked> asked;
  for (const std::string& id : options.ids) {
    const probes::Probe& probe = probes::find_probe(id);
    std::vector<probes::Variant> listed(1);
    if ((options.all_variants || probe.needs_all) && probe.variants != nullptr)
      listed = probe.variants(context);
    bool extra = false;
    for (const probes::Variant& variant :
         probes::chosen_variants(id, probe.choices, listed, *options.choice)) {
      asked.push_back({&probe, variant, extra, asked.size()});
      extra = !probe.needs_all;
    }
  }
  std::stable_partition(asked.begin(), asked.end(), [](const Asked& each) { return !each.extra; });
  return asked;
}

/// Guesses how long each series takes with these options; what is asked for at chosen sizes is quick.
std::vector<probes::TimedStep> steps_of(const LaunchOptions& options, const std::vector<Asked>& asked) {
  constexpr double usual_sizes_per_octave = 4, usual_samples = 5, usual_sizes = 60;
  std::vector<probes::TimedStep> steps;
  for (const auto& [probe, variant, extra, listed] : asked) {
    double seconds = probe->seconds * options.samples / usual_samples;
    if (probe->takes_sizes && probe->thins) {
      seconds *= options.sizes.empty() ? options.sizes_per_octave / usual_sizes_per_octave
                                       : static_cast<double>(options.sizes.size()) / usual_sizes;
    }
    steps.push_back({seconds, probe->thins, extra});
  }
  return steps;
}

harness::Launch take_probes(const LaunchOptions& options, const harness::Topology& topology) {
  harness::Launch launch;
  launch.purpose = options.purpose;
  const harness::CpuFeatures features = harness::read_cpu_features();
  harness::Counters counters;
  counters.start();
  const harness::Clock clock = harness::steady_clock();
  probes::ProbeContext context{topology,        features,     clock, options.sizes, options.sizes_per_octave,
                               options.samples, options.seed, {}};
  context.models = options.models;
  context.isas = options.isas;
  probes::SharedLoads shared_loads;
  context.shared_loads = &shared_loads;
  probes::SharedStream shared_stream;
  if (std::find(options.ids.begin(), options.ids.end(), "eviction") != options.ids.end())
    context.shared_stream = &shared_stream;
  const std::vector<Asked> asked = asked_series(options, context);
  // What comes after the last probe, and the start of this process, are the budget's, too.
  constexpr double share_for_probes = 0.97;
  const auto probes_ns = static_cast<int64_t>(share_for_probes * static_cast<double>(options.budget_ns));
  probes::TimeBudget budget(clock, options.budget_ns == 0 ? 0 : clock.now_ns() + probes_ns,
                            steps_of(options, asked));
  std::vector<std::vector<harness::Series>> taken(asked.size());  // by place in the document
  for (size_t i = 0; i < asked.size(); ++i) {
    std::vector<harness::Series>& into = taken[asked[i].listed];
    if (options.progress) {
      context.progress = [i, n = asked.size()](double fraction) {
        report_progress((static_cast<double>(i) + fraction) / static_cast<double>(n));
      };
    }
    const std::optional<int64_t> end_ns = budget.begin();
    if (!end_ns) {
      into.push_back(probes::skipped_series(asked[i].probe->id, options.budget_ns));
      probes::tell_variant(into.back(), asked[i].variant);
      continue;
    }
    context.end_ns = *end_ns;
    context.budget_ns = options.budget_ns;
    context.variant = asked[i].variant;
    if (asked[i].probe->run_all == nullptr) {
      into.push_back(asked[i].probe->run(context));
    } else {
      into = asked[i].probe->run_all(context);
    }
    if (probes::is_skipped(into.back())) probes::tell_variant(into.back(), asked[i].variant);
    budget.end(probes::skipped_sizes(into.back()) > 0 || probes::is_skipped(into.back()));
  }
  for (auto& series : taken) std::move(series.begin(), series.end(), std::back_inserter(launch.series));
  launch.counters = counters.stop();
  return launch;
}

harness::Launch take_decode(const LaunchOptions& options, const harness::Topology& topology, int pu) {
  probes::DecodeContext context{topology, harness::steady_clock(), pu, options.seed, {}};
  context.routing_file = options.routing_file;
  if (options.progress) context.progress = report_progress;
  std::optional<models::I8Model> file;
  if (!options.weights_file.empty()) context.file = &file.emplace(models::read_i8_file(options.weights_file));
  return probes::run_decode_launch(harness::plan_from_json(options.plan), context);
}

/// One series per model: how far the decoder is from the reference, over the tokens of a seed.
harness::Launch take_fidelity(const LaunchOptions& options) {
  harness::Launch launch;
  launch.purpose = "fidelity";
  launch.order_seed = options.seed;
  const harness::Clock clock = harness::steady_clock();
  const harness::CpuFeatures features = harness::read_cpu_features();
  for (size_t i = 0; i < options.models.size(); ++i) {
    const models::Shape& shape = models::find_shape(options.models[i]);
    const models::Kernels& kernels =
        models::select_kernels(models::kernel_tables(), features, options.isas.at(0));
    models::Decoder decoder(shape, models::synthetic_source(1), kernels);
    const int64_t start_ns = clock.now_ns();
    const models::FidelityResult found =
        models::measure_fidelity(decoder, shape, models::synthetic_weights(shape, 1), options.seed,
                                 models::min_fidelity_tokens(shape));
    harness::Series series;
    series.probe = "fidelity";
    series.samples = {clock.now_ns() - start_ns};
    series.totals.wall_ns = series.totals.cpu_ns = series.samples[0];
    series.params = {
        {"of_model", shape.name},
        {"isa", std::string(kernels.isa)},
        {"tokens", int64_t{found.tokens}},
        {"clear_tokens", int64_t{found.clear_tokens}},
        {"clear_match_ratio", static_cast<double>(found.clear_matches) / std::max(1, found.clear_tokens)},
        {"rms_difference_sigmas", found.rms_difference_sigmas},
        {"perplexity_delta_ratio", found.perplexity_delta_ratio}};
    launch.series.push_back(std::move(series));
    if (options.progress)
      report_progress(static_cast<double>(i + 1) / static_cast<double>(options.models.size()));
  }
  return launch;
}

harness::Launch take(const LaunchOptions& options, const harness::Topology& topology, int pu) {
  if (options.purpose == "decode") return take_decode(options, topology, pu);
  return options.purpose == "fidelity" ? take_fidelity(options) : take_probes(options, topology);
}

harness::ExitCode run_launch(const LaunchOptions& options) {
  if (options.progress) raise_own_session();  // run_child() gave this process one
  const harness::Topology topology = harness::read_host_topology();
  const harness::Pin pin(topology, harness::choose_pu(topology, options.pu));
  const harness::Launch launch = take(options, topology, pin.pu());
  print_result(harness::launch_to_json(launch) + "\n");
  return harness::ExitCode::ok;
}

}  // namespace

void add_launch(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(app, "launch", "one child process of a run (internal)",
                                  "tokroof launch --purpose probes --probe core_clock");
  command->group("");  // hidden from --help
  auto options = std::make_shared<LaunchOptions>();
  command->add_option("--purpose", options->purpose)
      ->required()
      ->check(CLI::IsMember({"probes", "roofs_resumed", "roofs_after", "decode", "round_probes",
                             "round_probes_again", "fidelity"}));
  command->add_option("--plan", options->plan);
  command->add_option("--weights", options->weights_file);
  command->add_option("--routing-file", options->routing_file);
  command->add_option("--probe", options->ids);
  command->add_option("--size", options->sizes);
  command->add_option("--model", options->models);
  command->add_option("--isa", options->isas);
  command->add_option("--sizes-per-octave", options->sizes_per_octave);
  command->add_option("--samples", options->samples);
  command->add_option("--pu", options->pu);
  command->add_option("--seed", options->seed);
  command->add_flag("--all-variants", options->all_variants);
  add_variant_options(*command, options->choice);
  command->add_option("--budget-ns", options->budget_ns);
  command->add_flag("--progress-descriptor", options->progress,
                    "in a session of its own: raise its priority and write progress to file descriptor 3");
  command->callback(
      [&invocation, options] { invocation.action = [options] { return run_launch(*options); }; });
}

}  // namespace cli
