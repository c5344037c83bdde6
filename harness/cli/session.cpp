#include "harness/cli/session.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "analysis/derive.hpp"
#include "analysis/forecast.hpp"
#include "analysis/plausibility.hpp"
#include "harness/build_info.hpp"
#include "harness/cli/child.hpp"
#include "harness/cli/decode_memory.hpp"
#include "harness/cli/interrupt.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/cli/variant_options.hpp"
#include "harness/digest.hpp"
#include "harness/measured_kind.hpp"
#include "harness/pinning.hpp"
#include "harness/store.hpp"
#include "harness/validation.hpp"
#include "models/kernels/select.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;

/// Runs `tokroof launch …` and places its launch on the run's time line.
harness::Launch launch(const Session& session, std::vector<std::string> arguments,
                       const OnProgress& progress) {
  const std::string purpose = arguments.at(1);
  arguments.insert(arguments.begin(), {"launch", "--progress-descriptor"});
  arguments.insert(arguments.end(), {"--pu", std::to_string(session.pu)});
  for (;;) {
    const int64_t start_ns = session.clock.now_ns();
    try {
      const ChildOutput output = run_child(arguments, progress);
      *session.autogroup_nice = output.autogroup_nice;
      harness::Launch result = harness::launch_from_json(output.text);
      result.start_ns = start_ns - session.start_ns;
      result.wall_ns = session.clock.now_ns() - start_ns;
      return result;
    } catch (const Stopped& stopped) {
      note(fmt::format("stopped for {}; the launch that was running is taken again",
                       format_seconds(static_cast<double>(stopped.paused_ns()) * 1e-9)));
      if (session.on_stop) session.on_stop(purpose, stopped.paused_ns());
    }
  }
}

std::string first_problem(const std::vector<harness::Violation>& violations,
                          const std::vector<analysis::Finding>& findings) {
  if (!violations.empty()) {
    return fmt::format("{}: {} (expected {})", violations[0].pointer, violations[0].value,
                       violations[0].expected);
  }
  for (const analysis::Finding& finding : findings) {
    if (finding.severity == analysis::Severity::reject) {
      return fmt::format("{} {}: {}", finding.code, finding.pointer, finding.detail);
    }
  }
  return "";
}

}  // namespace

Session open_session(const std::string& isa) {
  Session session;
  session.measuring = std::make_shared<const MeasuringLock>();
  session.topology = harness::read_host_topology();
  session.features = harness::read_cpu_features();
  session.clock = harness::steady_clock();
  session.pu = harness::choose_pu(session.topology);
  const char* from_environment = std::getenv("TOKROOF_ISA");
  const std::string forced = !isa.empty() ? isa : from_environment != nullptr ? from_environment : "";
  session.kernels = &models::select_kernels(models::kernel_tables(), session.features, forced);
  session.isa_forced = !forced.empty();
  session.start_ns = session.clock.now_ns();
  session.totals_at_start = harness::read_condition_totals(session.clock);
  return session;
}

harness::Submission begin_submission(const Session& session, const std::string& kind,
                                     const std::string& protocol) {
  const harness::BuildInfo build = harness::build_info();
  harness::Submission submission;
  submission.kind = kind;
  submission.protocol = protocol;
  submission.created_utc = harness::utc_now();
  submission.nonce = harness::random_hex(16);
  submission.suite = {
      build.version,  build.git_commit, build.git_dirty,      harness::sha256_file_hex("/proc/self/exe"),
      build.compiler, build.flags,      session.kernels->isa, session.isa_forced ? "forced" : "auto"};
  submission.machine = harness::read_machine(session.topology, session.features);
  harness::put_measured_first(submission.machine, session.topology, session.pu);
  return submission;
}

harness::Launch launch_probes(const Session& session, const ProbeRequest& request,
                              const OnProgress& progress) {
  std::vector<std::string> arguments = {"--purpose",
                                        request.purpose,
                                        "--sizes-per-octave",
                                        std::to_string(request.sizes_per_octave),
                                        "--samples",
                                        std::to_string(request.samples),
                                        "--seed",
                                        std::to_string(request.seed),
                                        "--budget-ns",
                                        std::to_string(request.budget_ns)};
  for (const std::string& id : request.ids) arguments.insert(arguments.end(), {"--probe", id});
  for (const int64_t size : request.sizes_bytes)
    arguments.insert(arguments.end(), {"--size", std::to_string(size)});
  for (const std::string& model : request.models) arguments.insert(arguments.end(), {"--model", model});
  for (const std::string& isa : request.isas) arguments.insert(arguments.end(), {"--isa", isa});
  if (request.all_variants) arguments.emplace_back("--all-variants");
  for (const std::string& argument : variant_arguments(request.choice)) arguments.push_back(argument);
  return launch(session, std::move(arguments), progress);
}

harness::Launch launch_decode(const Session& session, const harness::Plan& plan, uint64_t order_seed,
                              const OnProgress& progress, const PlanFiles& files) {
  if (files.weights.empty()) check_decode_memory(models::find_shape(plan.model), available_memory_bytes());
  std::vector<std::string> arguments = {
      "--purpose", "decode", "--plan", harness::plan_to_json(plan), "--seed", std::to_string(order_seed)};
  if (!files.weights.empty()) arguments.insert(arguments.end(), {"--weights", files.weights});
  if (!files.routing.empty()) arguments.insert(arguments.end(), {"--routing-file", files.routing});
  return launch(session, std::move(arguments), progress);
}

harness::Launch launch_fidelity(const Session& session, const std::vector<std::string>& models, uint64_t seed,
                                const OnProgress& progress) {
  std::vector<std::string> arguments = {"--purpose",          "fidelity", "--seed",
                                        std::to_string(seed), "--isa",    session.kernels->isa};
  for (const std::string& model : models) arguments.insert(arguments.end(), {"--model", model});
  return launch(session, std::move(arguments), progress);
}

void add_interruption(const Session& session, harness::Submission& submission, const std::string& cause,
                      int64_t paused_ns) {
  harness::Interruption interruption;
  interruption.before_launch = static_cast<int>(submission.launches.size());
  interruption.cause = cause;
  interruption.paused_ns = paused_ns;
  interruption.resumed_ns = session.clock.now_ns() - session.start_ns;
  submission.interruptions.push_back(interruption);
}

std::string told_sibling_state(const harness::Submission& submission) {
  const std::string& state = submission.conditions.smt_sibling;
  if (state != "busy") return state;
  for (const harness::Launch& launch : submission.launches) {
    for (const harness::Series& series : launch.series) {
      if (series.placement == "sibling" && series.status == harness::Status::ok) return "own";
    }
  }
  return state;
}

void take_conditions(const Session& session, harness::Submission& submission) {
  submission.conditions =
      harness::read_conditions(session.topology, session.pu, session.clock, session.totals_at_start);
  submission.conditions.autogroup_nice = *session.autogroup_nice;
  submission.conditions.smt_sibling = told_sibling_state(submission);
}

std::string finish_submission(const Session& session, harness::Submission& submission) {
  take_conditions(session, submission);
  return seal_submission(submission);
}

std::string seal_submission(harness::Submission& submission) {
  submission.derived = analysis::derive(submission);
  std::string text = harness::to_canonical_json(submission);
  const std::string problem =
      first_problem(harness::validate_document(text), analysis::check_plausibility(submission));
  if (!problem.empty()) throw Error(ExitCode::internal, "our own document is refused: " + problem);
  return text;
}

std::string store_path(const std::string& database) {
  return database.empty() ? harness::tokroof_home() + "/store.sqlite" : database;
}

analysis::LearntErrors learn_from_store(const std::string& database, const std::string& machine_key,
                                        const std::string& but_not) {
  const std::string path = store_path(database);
  if (std::error_code error; !std::filesystem::exists(path, error)) return {};
  harness::Store store = harness::Store::open_existing(path);
  return {store.forecast_record({"ecm", "", "", "", ""}), machine_key, but_not};
}

std::string saved_path(const harness::Submission& submission, const std::string& text,
                       const std::string& folder) {
  const std::string& utc = submission.created_utc;  // "2026-11-30T…"
  const std::string day = utc.substr(0, 4) + utc.substr(5, 2) + utc.substr(8, 2);
  return fmt::format("{}/{:.8}-{:.8}.json",
                     folder.empty() ? fmt::format("{}/submissions/{}", harness::tokroof_home(), day) : folder,
                     submission.machine.machine_key, harness::sha256_hex(text));
}

Saved save_submission(const harness::Submission& submission, const std::string& text,
                      const std::string& folder, const std::string& database) {
  Saved saved;
  saved.content_sha256 = harness::sha256_hex(text);
  saved.path = saved_path(submission, text, folder);
  harness::write_file_atomically(saved.path, text + "\n");
  harness::Store(store_path(database)).add(text);
  return saved;
}

}  // namespace cli
