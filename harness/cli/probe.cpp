// tokroof probe: what this machine can do, without decoding anything.
#include "probes/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "harness/cli/capacity_table.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/interrupt.hpp"
#include "harness/cli/parse.hpp"
#include "harness/cli/probe_text.hpp"
#include "harness/cli/result_table.hpp"
#include "harness/cli/series_heading.hpp"
#include "harness/cli/session.hpp"
#include "harness/cli/variant_options.hpp"
#include "harness/nearest_name.hpp"

namespace cli {
namespace {

/// Asked for like a probe, but it runs none of its own: the edges of both curves are computed from them.
const std::string capacity_id = "cache_capacity";
const std::vector<std::string> capacity_probes{"load_bandwidth", "load_latency"};

struct ProbeOptions {
  std::vector<std::string> ids, sizes;
  int sizes_per_octave = 4, samples = 5;
  bool list = false, json = false;
  std::string folder, database, budget;
  std::shared_ptr<probes::VariantChoice> choice = std::make_shared<probes::VariantChoice>();
};

bool chooses_variants(const probes::VariantChoice& choice) {
  return choice.operation || choice.pages || choice.window_bytes || choice.pool_bytes || choice.threads;
}

/// What the complete set may take unless told: it then fits on every machine, with fewer sizes on a slow one.
constexpr int64_t complete_budget_ns = 25'000'000'000;

std::string list_text(const Terminal& terminal) {
  Table table{{"probe", "what it measures"}, {}, {0, 1}};
  for (const probes::Probe& probe : probes::probes()) table.rows.push_back({probe.id, probe.summary});
  table.rows.push_back(
      {capacity_id, "bytes that each cache holds: the edges in load_bandwidth and load_latency"});
  return to_text(terminal, table);
}

/// Throws Error(usage) for an ID that is neither a probe nor cache_capacity, with the nearest of all of them.
void check_id(const std::string& id) {
  std::vector<std::string_view> known{capacity_id};
  for (const probes::Probe& probe : probes::probes()) known.emplace_back(probe.id);
  if (std::find(known.begin(), known.end(), id) != known.end()) return;
  throw harness::Error(harness::ExitCode::usage,
                       fmt::format("unknown probe '{}'{}", id, harness::did_you_mean(id, known)));
}

/// Returns the probes to run, each once, in the order in which they were asked for; all when none was.
std::vector<std::string> probe_ids(const std::vector<std::string>& asked) {
  std::vector<std::string> ids;
  const auto add = [&](const std::string& id) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  };
  if (asked.empty()) {
    for (const probes::Probe& probe : probes::probes()) add(probe.id);
  }
  for (const std::string& id : asked) {
    if (id != capacity_id) {
      add(id);
    } else {
      for (const std::string& curve : capacity_probes) add(curve);
    }
  }
  return ids;
}

/// Capacities are shown when they were asked for, and when both curves were taken at sizes not chosen by
/// hand.
bool shows_capacities(const ProbeOptions& options, const ProbeRequest& request) {
  const auto has = [](const std::vector<std::string>& ids, const std::string& id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  return has(options.ids, capacity_id) || (options.sizes.empty() && has(request.ids, capacity_probes[0]) &&
                                           has(request.ids, capacity_probes[1]));
}

ProbeRequest request_of(const ProbeOptions& options) {
  ProbeRequest request;
  for (const std::string& id : options.ids) check_id(id);  // before anything runs
  request.ids = probe_ids(options.ids);
  for (const std::string& id : request.ids) {
    const probes::Probe& probe = probes::find_probe(id);
    if (!options.ids.empty() && !options.sizes.empty() && !probe.takes_sizes) {
      throw harness::Error(harness::ExitCode::usage, fmt::format("{} takes no --size", id));
    }
    probes::chosen_variants(id, probe.choices, {}, *options.choice);
  }
  for (const std::string& size : options.sizes) request.sizes_bytes.push_back(parse_size(size));
  request.sizes_per_octave = options.sizes_per_octave;
  request.samples = options.samples;
  // Capacities need the main curves alone.
  request.all_variants = options.ids != std::vector<std::string>{capacity_id};
  request.choice = *options.choice;
  if (options.ids.empty()) request.budget_ns = complete_budget_ns;
  if (!options.budget.empty()) request.budget_ns = parse_duration_ns(options.budget);
  return request;
}

void refuse_if_nothing_was_measured(const harness::Launch& launch) {
  for (const harness::Series& series : launch.series) {
    if (series.status == harness::Status::ok) return;
  }
  const harness::Series& first = launch.series.at(0);
  throw harness::Error(harness::ExitCode::unavailable, fmt::format("{}: {}", first.probe, first.reason));
}

harness::ExitCode run(const ProbeOptions& options, const Terminal& terminal) {
  if (options.list) {
    print_result(list_text(terminal));
    return harness::ExitCode::ok;
  }
  const ProbeRequest request = request_of(options);
  note_interrupts();
  note_stops();
  Session session = open_session();
  harness::Submission submission = begin_submission(session, "probe", "probe");
  session.on_stop = [&](const std::string&, int64_t paused_ns) {
    add_interruption(session, submission, "stopped", paused_ns);
  };
  {
    Progress progress(terminal, 30);
    submission.launches.push_back(
        launch_probes(session, request, [&](double done) { progress.show("probes", done); }));
  }
  refuse_if_nothing_was_measured(submission.launches[0]);
  const std::string text = finish_submission(session, submission);
  // Only the complete set can serve a forecast later; a part of it is shown and not stored.
  const bool complete = options.ids.empty() && options.sizes.empty() && !chooses_variants(*options.choice);
  std::string where = "not stored: only the complete set of probes is (no IDs, no sizes, nothing chosen)\n";
  if (complete)
    where = "submission: " + save_submission(submission, text, options.folder, options.database).path + "\n";
  if (options.json) {
    print_result(text + "\n");
    return harness::ExitCode::ok;
  }
  std::string result = series_tables(terminal, submission);
  if (shows_capacities(options, request)) result += capacities_text(terminal, submission.derived);
  if (complete) result += roofs_text(terminal, submission.derived.roofs) + "\n";
  result += flags_text(terminal, submission) + budget_text(submission.launches[0], request.budget_ns);
  print_result(result + where);
  return harness::ExitCode::ok;
}

}  // namespace

void add_probe(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, "probe", "measures caches, memory and core clock; stores the complete set",
                  "tokroof probe load_bandwidth --size 16KiB --size 2MiB");
  auto options = std::make_shared<ProbeOptions>();
  command->add_option("ID", options->ids, "probes to run; all when none is named (see --list)");
  command->add_option("--size", options->sizes, "working set, e.g. 16KiB, 1.5MiB; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--sizes-per-octave", options->sizes_per_octave, "density of the curves")
      ->check(CLI::Range(1, 16));
  command->add_option("--samples", options->samples, "samples per size")->check(CLI::Range(1, 100));
  add_variant_options(*command, options->choice);
  command->add_option(
      "--budget", options->budget,
      "time for all probes, e.g. 10s: sizes are thinned, and what cannot be thinned is skipped, as "
      "needed (25s for the complete set)");
  command->add_flag("--list", options->list, "list the probes");
  command->add_option("--out", options->folder, "folder for the document");
  command->add_option("--db", options->database, "store instead of $TOKROOF_HOME/store.sqlite");
  command->add_flag("--json", options->json, "print the document");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options] { return run(*options, invocation.terminal); };
  });
}

}  // namespace cli
