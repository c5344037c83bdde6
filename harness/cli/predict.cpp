// tokroof predict: what a model will reach, here from probes, elsewhere from facts. Never decodes.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/cli/command.hpp"
#include "harness/cli/interrupt.hpp"
#include "harness/cli/parse.hpp"
#include "harness/cli/predict_sources.hpp"
#include "harness/cli/prediction.hpp"
#include "harness/cli/protocol.hpp"
#include "harness/cli/session.hpp"
#include "harness/cli/what_if.hpp"
#include "harness/digest.hpp"
#include "harness/environment.hpp"
#include "harness/store.hpp"
#include "models/catalogue.hpp"
#include "models/routing.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;
using json = nlohmann::ordered_json;

struct PredictOptions {
  std::string model, isa, database;
  std::string machine, topology, cpu, what_if, bytes, active, routing = "none";
  int threads = 1;
  bool fresh = false, json = false;
  [[nodiscard]] bool elsewhere() const { return !machine.empty() || !topology.empty() || !cpu.empty(); }
};

void check(const PredictOptions& options) {
  const auto refuse = [](const char* text) { throw Error(ExitCode::usage, text); };
  const int sources = static_cast<int>(!options.machine.empty()) +
                      static_cast<int>(!options.topology.empty()) + static_cast<int>(!options.cpu.empty());
  if (sources > 1) refuse("predict: give one of --machine, --topology and --cpu");
  if (sources == 1 && options.fresh) refuse("predict: --probe probes this machine; leave it out");
  if (options.model.empty() == options.bytes.empty())
    refuse("predict: name a MODEL (tokroof models), or give --bytes SIZE for one that nobody described");
  if (!options.active.empty() && options.bytes.empty())
    refuse("predict: --active goes with --bytes; a described model knows what a token reads");
  if (!options.bytes.empty() && options.routing != "none")
    refuse("predict: --routing goes with a described model; of --bytes any part may be drawn");
}

void ask_for_bytes(Question& question, const PredictOptions& options) {
  const int64_t bytes = parse_bytes(options.bytes, "--bytes");
  const int64_t active = options.active.empty() ? bytes : parse_bytes(options.active, "--active");
  if (active > bytes) {
    throw Error(ExitCode::usage, fmt::format("--active '{}': a token cannot read more than the model has, {}",
                                             options.active, options.bytes));
  }
  question.work = analysis::work_of_bytes(bytes, active);
}

/// The routing in canonical form. Of a file's trace nothing is known but what it holds.
std::string routing_of(const PredictOptions& options, const models::Shape& shape) {
  const models::Routing routing = models::parse_routing(options.routing);
  if (routing.kind == models::Routing::Kind::none) return "none";
  if (routing.kind == models::Routing::Kind::file)
    throw Error(ExitCode::usage,
                "--routing: no forecast knows a file's trace; give uniform, zipf:S or sticky:RHO");
  if (shape.experts.count == 0)
    throw Error(ExitCode::usage, fmt::format("--routing: {} has no experts to choose", shape.name));
  return models::routing_text(routing);
}

Question question_of(const PredictOptions& options) {
  Question question;
  question.isa = wanted_isa(options.isa);
  question.what_if = parse_what_if(options.what_if);
  question.database = options.database;
  question.threads = options.threads;
  if (!options.bytes.empty()) {
    ask_for_bytes(question, options);
    return question;
  }
  question.shape = options.model.ends_with(".json") ? models::read_model_file(options.model)
                                                    : models::find_shape(options.model);
  question.work = analysis::work_of(*question.shape, routing_of(options, *question.shape));
  return question;
}

/// The newest stored probes of this machine, or nullopt.
std::optional<harness::Submission> stored_probes(const Session& session, const PredictOptions& options) {
  const std::string key = harness::read_machine(session.topology, session.features).machine_key;
  const std::optional<std::string> text = harness::Store(store_path(options.database)).latest_probes(key);
  if (!text) return std::nullopt;
  return harness::submission_from_json(*text);
}

harness::Submission probe_now(const Session& session, const PredictOptions& options,
                              const Terminal& terminal) {
  harness::Submission submission = begin_submission(session, "probe", "probe");
  ProbeRequest request;
  request.ids = forecast_probes();
  if (options.threads > 1) request.ids.emplace_back("barrier");
  request.isas = {session.kernels->isa};
  request.all_variants = options.threads > 1;  // what all cores together get is a further series
  {
    Progress progress(terminal, estimate_seconds(session, {"probe", 2, 5, {}, {}, 0}));
    submission.launches.push_back(
        launch_probes(session, request, [&](double done) { progress.show("probes", done); }));
  }
  const std::string text = finish_submission(session, submission);
  note("probes stored as " + save_submission(submission, text, "", options.database).path);
  return submission;
}

/// Adds the forecasts that the curves themselves make, for the modes of `run`.
void forecast_modes(const Session& session, const Question& question, harness::Submission& submission) {
  submission.forecasts.clear();
  submission.derived.forecast_errors.clear();
  harness::Plan plan = make_plan(session, *question.shape, {"warm", "evict_flush"});
  plan.routing = question.work.routing;
  plan.threads = question.threads;
  add_forecasts(session, submission, plan);
}

void print_json(const json& answer) {
  print_result(answer.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

ExitCode outcome_of(const Prediction& prediction) {
  return says_something(prediction) ? ExitCode::ok : ExitCode::unavailable;
}

ExitCode answer_here(const PredictOptions& options, const Question& question, const Terminal& terminal) {
  note_interrupts();
  note_stops();
  Session session = open_session(options.isa);
  std::optional<harness::Submission> submission;
  if (!options.fresh) submission = stored_probes(session, options);
  if (!submission) {
    note("probing first" + std::string(options.fresh ? "" : " (this machine has no stored probes)"));
    submission = probe_now(session, options, terminal);
  }
  // The run that took the probes may have decoded this very model: it teaches nothing about itself.
  const std::string probed_sha256 = harness::sha256_hex(harness::to_canonical_json(*submission));
  submission->suite.isa = session.kernels->isa;
  session.learnt = learn_from_store(options.database, submission->machine.machine_key, probed_sha256);
  // What the user knows better, no curve knows: then the facts alone answer.
  const bool curves = question.shape.has_value() && question.what_if.empty();
  if (question.threads > session.topology.cores)
    throw Error(ExitCode::usage,
                fmt::format("--threads {}: this machine has {} cores, and each thread needs one "
                            "of its own",
                            question.threads, session.topology.cores));
  if (curves) forecast_modes(session, question, *submission);
  Prediction prediction = predict_here(
      *submission, question, analysis::error_on(session.learnt, question.shape ? question.shape->name : ""));
  prediction.machine.origin = "here";
  if (options.json) {
    json answer = {{"probed_utc", submission->created_utc}};
    if (curves) answer["forecasts"] = json::parse(harness::to_canonical_json(*submission)).at("forecasts");
    answer["answer"] = prediction_json(prediction);
    print_json(answer);
    return outcome_of(prediction);
  }
  prediction.machine.notes.push_back("probed at " + submission->created_utc);
  print_result(prediction_text(terminal, prediction));
  return outcome_of(prediction);
}

ExitCode answer_elsewhere(const PredictOptions& options, const Question& question, const Terminal& terminal) {
  const Prediction prediction = !options.cpu.empty()        ? predict_cpu(options.cpu, question)
                                : !options.topology.empty() ? predict_topology(options.topology, question)
                                                            : predict_document(options.machine, question);
  if (options.json) {
    print_json(prediction_json(prediction));
  } else {
    print_result(prediction_text(terminal, prediction));
  }
  return outcome_of(prediction);
}

ExitCode run(const PredictOptions& options, const Terminal& terminal) {
  check(options);
  const Question question = question_of(options);
  return options.elsewhere() ? answer_elsewhere(options, question, terminal)
                             : answer_here(options, question, terminal);
}

/// An empty value would mean that nothing was given: another machine would answer than was asked for.
std::string not_empty(const std::string& value) {
  return value.empty() ? "is empty; leave it out or give a value" : "";
}

}  // namespace

void add_predict(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(
      app, "predict", "forecasts tokens per second, here or on a CPU that nobody measured; never decodes",
      "tokroof predict coreflow_1_9m --cpu \"Ryzen 5 3400G\"");
  auto options = std::make_shared<PredictOptions>();
  command->add_option("MODEL", options->model, "see tokroof models; or FILE.json, a description");
  command->add_option("--cpu", options->cpu, "for a CPU of the catalogue, by name or a part of it")
      ->check(not_empty);
  command->add_option("--topology", options->topology, "for the machine of an hwloc XML (lstopo FILE.xml)")
      ->check(not_empty);
  command->add_option("--machine", options->machine, "for the machine of a submission, from its probes")
      ->check(not_empty);
  command
      ->add_option("--what-if", options->what_if,
                   "facts that you know better: l3=96MiB,dram=60GB/s; also l1, l2 and clock=4GHz")
      ->check(not_empty);
  command->add_option("--bytes", options->bytes, "in place of MODEL: the size of its weights, e.g. 19.8MB")
      ->check(not_empty);
  command->add_option("--active", options->active, "with --bytes: how much of them a token reads")
      ->check(not_empty);
  command->add_option("--routing", options->routing,
                      "which experts come next: uniform, zipf:S or sticky:RHO; none: as uniform");
  command
      ->add_option("--threads", options->threads,
                   "of a decode by so many threads, each on a core of its own: probes tell what all cores "
                   "together get, else bounds")
      ->check(CLI::Range(1, 1024));
  command->add_flag("--probe", options->fresh,
                    "probe now instead of using the newest stored probes of this machine");
  command->add_option("--isa", options->isa, "forecast for this kernel table; also $TOKROOF_ISA");
  command->add_option("--db", options->database, "store instead of $TOKROOF_HOME/store.sqlite");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options] { return run(*options, invocation.terminal); };
  });
}

}  // namespace cli
