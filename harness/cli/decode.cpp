// tokroof decode: tokens per second of one model, in the modes asked for. Not stored: it has no probes to
// compare with.
#include "probes/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "harness/cli/command.hpp"
#include "harness/cli/disturbed_text.hpp"
#include "harness/cli/interrupt.hpp"
#include "harness/cli/parse.hpp"
#include "harness/cli/profile.hpp"
#include "harness/cli/protocol.hpp"
#include "harness/cli/result_table.hpp"
#include "harness/cli/session.hpp"
#include "harness/pinning.hpp"
#include "harness/statistics.hpp"
#include "models/decoder.hpp"
#include "models/i8_file.hpp"
#include "models/kernels/select.hpp"
#include "models/routing.hpp"
#include "models/thread_team.hpp"
#include "probes/decode_profile.hpp"

namespace cli {
namespace {

using harness::ExitCode;

constexpr int64_t small_page_bytes = 4096, huge_page_bytes = int64_t{2} << 20;

struct DecodeOptions {
  std::string model, weights_file, isa, positions, arithmetic = "int8", routing = "none", placement;
  std::vector<std::string> modes;
  std::string pages = "small";
  int launches = 5, threads = 1;
  bool json = false, profile = false;
};

/// Every launch holds warm and its A/A control beside the modes asked for: a figure without a control is
/// none.
std::vector<std::string> arms_of(const std::vector<std::string>& modes) {
  std::vector<std::string> arms = {"warm", "aa"};
  for (const std::string& mode : modes) {
    if (std::find(arms.begin(), arms.end(), mode) == arms.end()) arms.push_back(mode);
  }
  return arms;
}

/// The logits that every table must give: the committed ones, "" without any; for a file's weights what the
/// scalar table gives.
std::string golden_of(const models::Shape& shape, const std::string& arithmetic,
                      const models::I8Model* file) {
  if (file == nullptr) return models::expected_golden(shape, arithmetic);
  models::Decoder scalar(shape, models::source_of(file->weights), *models::kernel_tables().front(),
                         models::find_arithmetic(arithmetic));
  return models::golden_digest(scalar, shape);
}

/// Codes of few bits have no float kernel. Said here, not by a measuring process that has begun.
void check_arithmetic(const models::Shape& shape, const std::string& arithmetic) {
  const bool int8 =
      shape.body_format == models::Format::int8 && shape.embedding_format == models::Format::int8;
  if (arithmetic != "float" || int8) return;
  throw harness::Error(
      ExitCode::usage,
      fmt::format("{} does not decode in float arithmetic: only models whose matrices are all "
                  "int8 do; leave --arithmetic out, or see tokroof models",
                  shape.name));
}

harness::Plan plan_of(const Session& session, const DecodeOptions& options, const models::I8Model* file) {
  const models::Shape& shape = file == nullptr ? models::find_shape(options.model) : file->shape;
  check_arithmetic(shape, options.arithmetic);
  harness::Plan plan = make_plan(session, shape, arms_of(options.modes));
  plan.launches = options.launches;
  plan.placement = options.placement;
  plan.threads = options.threads;
  plan.page_bytes = options.pages == "huge" ? huge_page_bytes : small_page_bytes;
  plan.arithmetic = options.arithmetic;
  plan.routing = models::routing_text(models::parse_routing(options.routing));
  if (!options.positions.empty()) {
    std::tie(plan.position_first, plan.position_last) = parse_positions(options.positions);
    plan.samples_per_arm = probes::samples_per_arm(plan);
  }
  if (file != nullptr) plan.weights = file->sha256;
  probes::check_plan(plan, file, models::parse_routing(options.routing).path);
  plan.golden = golden_of(shape, plan.arithmetic, file);
  return plan;
}

/// The plan asked for, and what it is compared with in rounds: one thread, and small pages.
std::vector<harness::Plan> plans_of(const harness::Plan& asked) {
  std::vector<harness::Plan> plans{asked};
  if (asked.threads > 1) {
    plans.push_back(asked);
    plans.back().threads = 1;
  }
  if (asked.page_bytes != small_page_bytes) {
    plans.push_back(asked);
    plans.back().page_bytes = small_page_bytes;
  }
  return plans;
}

/// Takes one launch of each plan per round; odd rounds take them in the mirrored order.
void take_rounds(const Session& session, const DecodeOptions& options, const Terminal& terminal,
                 harness::Submission& submission) {
  const size_t plans = submission.plans.size();
  const auto all = static_cast<double>(plans) * options.launches;
  Progress progress(terminal, 2.5 * all);
  for (int round = 0; round < options.launches; ++round) {
    for (size_t i = 0; i < plans; ++i) {
      const size_t index = round % 2 == 0 ? i : plans - 1 - i;
      const auto show = [&](double done) {
        progress.show(fmt::format("launch {} of {}", round + 1, options.launches),
                      (round * static_cast<double>(plans) + static_cast<double>(i) + done) / all);
      };
      harness::Launch launch =
          launch_decode(session, submission.plans[index], 1 + static_cast<uint64_t>(round), show,
                        {options.weights_file, models::parse_routing(options.routing).path});
      launch.plan = static_cast<int>(index);
      launch.round = round;
      submission.launches.push_back(std::move(launch));
    }
  }
}

std::optional<models::I8Model> read_weights(const DecodeOptions& options) {
  if (options.weights_file.empty()) {
    if (options.model.empty())
      throw harness::Error(ExitCode::usage, "name a MODEL (see tokroof models), or --weights FILE.i8");
    return std::nullopt;
  }
  models::I8Model file = models::read_i8_file(options.weights_file);
  if (!options.model.empty() && options.model != file.shape.name) {
    throw harness::Error(ExitCode::usage, fmt::format("{} holds {}, not {}; leave MODEL out",
                                                      options.weights_file, file.shape.name, options.model));
  }
  return file;
}

/// Returns whether a mode that was asked for could not run here; the table says why.
bool lacks_a_mode(const harness::Submission& submission) {
  for (const harness::Launch& launch : submission.launches) {
    for (const harness::Series& series : launch.series) {
      if (series.status != harness::Status::ok) return true;
    }
  }
  return false;
}

constexpr int profile_passes = 9;
constexpr double profile_estimate_s = 3;

/// Throws Error(unavailable) where huge pages were asked for and the kernel gave few.
void check_pages(const models::Decoder& decoder, const std::string& pages) {
  if (pages != "huge") return;
  constexpr size_t least_percent = 90;  // as probes/decode_placement.cpp
  const size_t all = decoder.weight_regions().front().size(), huge = decoder.huge_weight_bytes();
  if (huge * 100 < all * least_percent)
    throw harness::Error(
        ExitCode::unavailable,
        fmt::format("the kernel gave huge pages to {} of {} bytes of weights: write madvise to "
                    "/sys/kernel/mm/transparent_hugepage/enabled, or profile small pages",
                    huge, all));
}

/// In this process: a profile is one look at where time goes, not a figure to compare.
ExitCode run_profile(const DecodeOptions& options, const Terminal& terminal) {
  const std::optional<models::I8Model> file = read_weights(options);
  note_interrupts();
  const Session session = open_session(options.isa);
  const harness::Pin pin(session.topology, session.pu);
  Profile profile;
  profile.shape = file ? file->shape : models::find_shape(options.model);
  profile.isa = session.kernels->isa;
  profile.arithmetic = options.arithmetic;
  check_arithmetic(profile.shape, options.arithmetic);
  profile.threads = options.threads;
  profile.pages = options.pages;
  profile.read_size_bytes = models::cost(profile.shape).working_set_bytes;
  const auto read = [&] {
    return probes::read_rates(session.features, session.clock, profile.read_size_bytes);
  };
  std::vector<double> rates = read();  // before there is a team that spins
  const auto pus = harness::choose_team_pus(session.topology, session.pu, options.threads);
  std::optional<models::ThreadTeam> team;
  if (options.threads > 1) team.emplace(session.topology, pus);
  models::Decoder decoder(
      profile.shape, file ? models::source_of(file->weights) : models::synthetic_source(1), *session.kernels,
      {models::find_arithmetic(options.arithmetic),
       options.pages == "huge" ? harness::Pages::huge : harness::Pages::small, team ? &*team : nullptr});
  check_pages(decoder, options.pages);
  const std::string expected = golden_of(profile.shape, options.arithmetic, file ? &*file : nullptr);
  if (const std::string got = models::golden_digest(decoder, profile.shape);
      !expected.empty() && got != expected)
    throw harness::Error(
        ExitCode::wrong_result,
        fmt::format("wrong logits: the golden pass gave {}, expected {}; a wrong kernel has no profile", got,
                    expected));
  {
    Progress progress(terminal, profile_estimate_s);
    profile.measured = probes::profile_decode(decoder, profile.shape, session.clock, profile_passes,
                                              [&progress](double done) {
                                                if (interrupt_noted() != 0) throw Interrupted("interrupted");
                                                progress.show("profile", done);
                                              });
  }
  const std::vector<double> after = read();
  rates.insert(rates.end(), after.begin(), after.end());
  profile.read_bytes_per_s = harness::median(rates);
  print_result(options.json ? profile_json(profile) : profile_text(terminal, profile));
  return ExitCode::ok;
}

ExitCode run(const DecodeOptions& options, const Terminal& terminal) {
  const std::optional<models::I8Model> file = read_weights(options);
  note_interrupts();
  note_stops();
  Session session = open_session(options.isa);
  harness::Submission submission = begin_submission(session, "reproduction", "decode");
  session.on_stop = [&](const std::string&, int64_t paused_ns) {
    add_interruption(session, submission, "stopped", paused_ns);
  };
  submission.plans = plans_of(plan_of(session, options, file ? &*file : nullptr));
  // Known at once, not in the first launch.
  harness::choose_team_pus(session.topology, session.pu, options.threads);
  take_rounds(session, options, terminal, submission);
  const std::string text = finish_submission(session, submission);
  print_result(options.json ? text + "\n"
                            : decode_text(terminal, submission) + disturbed_text(submission.launches) +
                                  flags_text(terminal, submission));
  const ExitCode code = outcome(submission);
  return code == ExitCode::ok && lacks_a_mode(submission) ? ExitCode::unavailable : code;
}

/// What it decodes on.
void add_machine_options(CLI::App& command, DecodeOptions& options) {
  command.add_option("--isa", options.isa, "force one kernel table (see tokroof info); also $TOKROOF_ISA");
  command
      .add_option("--threads", options.threads,
                  "decode with so many pinned threads; each round holds a launch with one thread, too")
      ->check(CLI::Range(1, 1024));
  command
      .add_option("--pages", options.pages,
                  "small (4 KiB), or huge (2 MiB, verified): each round holds a launch on small ones, too")
      ->check(CLI::IsMember({"small", "huge"}))
      ->capture_default_str();
}

}  // namespace

void add_decode(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, "decode", "decodes a model and tells tokens per second; stores nothing",
                  "tokroof decode coreflow_1_9m --mode evict_flush --positions 65:1023 --launches 5\n"
                  "         tokroof decode coreflow_1_9m --profile");
  auto options = std::make_shared<DecodeOptions>();
  command->add_option("MODEL", options->model, "see tokroof models");
  command->add_option("--weights", options->weights_file,
                      "decode the weights of an .i8 file; its header tells the shape");
  CLI::Option* modes =
      command
          ->add_option("--mode", options->modes,
                       "warm, evict_flush, evict_read, evict_write, or a control: spin, own_l1, stream_llc, "
                       "stream_dram; may be repeated; warm and its A/A always run")
          ->allow_extra_args(false);
  CLI::Option* placement =
      command
          ->add_option("--placement", options->placement,
                       "where the other thread of evict_read, evict_write and the controls runs: sibling, "
                       "same_llc or other_llc; else the nearest that there is")
          ->check(CLI::IsMember({"sibling", "same_llc", "other_llc"}));
  command
      ->add_option("--arithmetic", options->arithmetic,
                   "int8, or float: GEMV inputs are not rounded, codes are converted and multiplied in float")
      ->check(CLI::IsMember({"int8", "float"}))
      ->capture_default_str();
  CLI::Option* routing =
      command
          ->add_option(
              "--routing", options->routing,
              "which experts tokens visit: none (the model's router chooses), uniform, zipf:S, sticky:RHO "
              "or file:PATH")
          ->capture_default_str();
  add_machine_options(*command, *options);
  CLI::Option* positions = command->add_option("--positions", options->positions, "FIRST:LAST, inclusive");
  CLI::Option* launches =
      command->add_option("--launches", options->launches, "child processes; the unit of analysis")
          ->check(CLI::Range(1, 1000));
  command
      ->add_flag("--profile", options->profile,
                 "instead: time per op against its bound at positions 65:128 and 896:1023, and per position")
      ->excludes(modes)
      ->excludes(positions)
      ->excludes(launches)
      ->excludes(placement)
      ->excludes(routing);
  command->add_flag("--json", options->json, "print the document");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options] {
      return options->profile ? run_profile(*options, invocation.terminal)
                              : run(*options, invocation.terminal);
    };
  });
}

}  // namespace cli
