// tokroof predict: what a model will reach here, from probes alone. Never decodes.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/cli/command.hpp"
#include "harness/cli/interrupt.hpp"
#include "harness/cli/protocol.hpp"
#include "harness/cli/result_table.hpp"
#include "harness/cli/session.hpp"
#include "harness/environment.hpp"
#include "harness/store.hpp"

namespace cli {
namespace {

struct PredictOptions {
  std::string model, isa, database;
  bool fresh = false, json = false;
};

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
  {
    Progress progress(terminal, estimate_seconds(session, {"probe", 2, 5, {}, {}, 0}));
    submission.launches.push_back(
        launch_probes(session, request, [&](double done) { progress.show("probes", done); }));
  }
  const std::string text = finish_submission(session, submission);
  note("probes stored as " + save_submission(submission, text, "", options.database).path);
  return submission;
}

std::string to_json(const harness::Submission& submission, const std::string& probed_utc) {
  nlohmann::ordered_json json;
  json["probed_utc"] = probed_utc;
  json["forecasts"] = nlohmann::ordered_json::parse(harness::to_canonical_json(submission)).at("forecasts");
  return json.dump(2) + "\n";
}

harness::ExitCode run(const PredictOptions& options, const Terminal& terminal) {
  const models::Shape& shape = models::find_shape(options.model);
  note_interrupts();
  note_stops();
  const Session session = open_session(options.isa);
  std::optional<harness::Submission> submission;
  if (!options.fresh) submission = stored_probes(session, options);
  if (!submission) {
    note("probing first" + std::string(options.fresh ? "" : " (this machine has no stored probes)"));
    submission = probe_now(session, options, terminal);
  }
  submission->forecasts.clear();
  submission->derived.forecast_errors.clear();
  add_forecasts(session, *submission, make_plan(session, shape, {"warm", "evict_flush"}));
  if (options.json) {
    print_result(to_json(*submission, submission->created_utc));
    return harness::ExitCode::ok;
  }
  const models::Cost cost = models::cost(shape);
  print_result(fmt::format("{}, positions {}:{}, {} of weights per token, from probes of {}\n\n{}",
                           shape.name, shape.default_position_first, shape.default_position_last,
                           format_bytes(static_cast<double>(cost.weight_bytes_per_token)),
                           submission->created_utc, forecasts_text(terminal, *submission)));
  return harness::ExitCode::ok;
}

}  // namespace

void add_predict(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, "predict", "forecasts tokens per second from this machine's probes; never decodes",
                  "tokroof predict coreflow_1_9m");
  auto options = std::make_shared<PredictOptions>();
  command->add_option("MODEL", options->model, "see tokroof models")->required();
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
