// tokroof probe: what this machine can do, without decoding anything.
#include "probes/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "harness/cli/cache_tables.hpp"
#include "harness/cli/capacity_table.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/disturbed_text.hpp"
#include "harness/cli/interference_text.hpp"
#include "harness/cli/interrupt.hpp"
#include "harness/cli/parse.hpp"
#include "harness/cli/plot.hpp"
#include "harness/cli/result_table.hpp"
#include "harness/cli/series_heading.hpp"
#include "harness/cli/session.hpp"
#include "harness/cli/variant_options.hpp"
#include "harness/curve.hpp"
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

/// Returns one line per size: the rate or the latency, its 95 % interval over samples, and a bar.
std::string curve_text(const Terminal& terminal, const harness::Series& series) {
  if (series.status != harness::Status::ok)
    return fmt::format("{}: unavailable: {}\n\n", heading(series), series.reason);
  const bool barriers = series.work_unit == "barriers";
  const bool loads = series.work_unit == "loads" || barriers, bytes = series.work_unit == "bytes";
  const auto reading = harness::make_curve(
      series.sizes_bytes, series.work_per_sample, series.samples_by_size,
      loads ? harness::Quantity::ns_per_unit : harness::Quantity::per_second, harness::Spread::of_median_95);
  if (!harness::available(reading)) {
    return fmt::format("{}: unavailable: {}\n\n", series.probe,
                       std::get<harness::Unavailable>(reading).reason);
  }
  const auto& curve = std::get<harness::Curve>(reading);
  const double scale = loads ? 1 : 1e-9;
  const int digits = loads || bytes ? 1 : 3;
  Table table{{barriers ? "read" : "size",
               loads   ? "ns [95 %]"
               : bytes ? "GB/s [95 %]"
                       : "GHz [95 %]",
               ""},
              {},
              {2}};
  const double highest = *std::max_element(curve.values.begin(), curve.values.end());
  for (size_t i = 0; i < curve.values.size(); ++i) {
    table.rows.push_back(
        {loads || bytes ? format_bytes(static_cast<double>(curve.sizes_bytes[i])) : "",
         fmt::format("{:.{}f} [{:.{}f}{}{:.{}f}]", curve.values[i] * scale, digits, curve.low[i] * scale,
                     digits, terminal.utf8 ? "–" : "-", curve.high[i] * scale, digits),
         loads || bytes ? bar(terminal, curve.values[i] / highest, 40) : ""});
  }
  std::string picture;
  if (loads || bytes) {
    std::vector<double> values = curve.values;
    for (double& value : values) value *= scale;
    picture = plot(terminal, curve.sizes_bytes, values, loads ? "ns" : "GB/s",
                   loads ? Axis::logarithm : Axis::from_zero);
  }
  DisturbedCount count;
  count_disturbed(series, count);
  return paint(terminal, Colour::bold, heading(series)) + "\n" + picture + to_text(terminal, table) +
         to_sentence(count) + "\n\n";
}

/// Returns the table of a series: a curve, unless its probe has one of its own.
std::string series_text(const Terminal& terminal, const harness::Launch& launch,
                        const harness::Series& series, const harness::Derived& derived) {
  if (series.probe.ends_with("_references")) return "";  // in the table of what they are references of
  if (series.probe == "eviction") return eviction_text(terminal, launch, series);
  if (series.probe == "residency") return residency_text(terminal, series);
  if (series.probe == "retention") return retention_text(terminal, launch, series, derived.retention);
  return curve_text(terminal, series);
}

/// Returns one line per pool: what a jump costs, or why that cannot be told.
std::string jumps_text(const Terminal& terminal, const std::vector<harness::JumpEstimate>& jumps) {
  if (jumps.empty()) return "";
  Table table{{"pool", "ns per jump [95 %]", "then GB/s [95 %]", "misfit"}, {}, {0}};
  const auto interval = [&](const harness::Reading<harness::Interval>& reading, double scale) {
    const auto* value = std::get_if<harness::Interval>(&reading);
    if (value == nullptr) return std::get<harness::Unavailable>(reading).reason;
    return fmt::format("{:.1f} [{:.1f} {} {:.1f}]", value->median * scale, value->low * scale,
                       terminal.utf8 ? "…" : "..", value->high * scale);
  };
  for (const harness::JumpEstimate& jump : jumps) {
    const auto* misfit = std::get_if<double>(&jump.misfit_ratio);
    table.rows.push_back({format_bytes(static_cast<double>(jump.pool_bytes)), interval(jump.jump_ns, 1),
                          misfit != nullptr ? interval(jump.read_bytes_per_s, 1e-9) : "",
                          misfit != nullptr ? fmt::format("{:.0f} %", *misfit * 100) : ""});
  }
  return paint(terminal, Colour::bold, "time per chunk = jump + bytes / rate") + "\n" +
         to_text(terminal, table) + "\n";
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
  std::string result;
  for (const harness::Series& series : submission.launches[0].series) {
    if (series.probe != "interference")
      result += series_text(terminal, submission.launches[0], series, submission.derived);
  }
  result += interference_text(terminal, submission);
  result += jumps_text(terminal, submission.derived.jumps);
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
