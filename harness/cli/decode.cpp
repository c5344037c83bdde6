// tokroof decode: tokens per second of one model, in the modes asked for. Not stored: it has no probes to
// compare with.
#include "probes/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "harness/cli/command.hpp"
#include "harness/cli/interrupt.hpp"
#include "harness/cli/parse.hpp"
#include "harness/cli/protocol.hpp"
#include "harness/cli/result_table.hpp"
#include "harness/cli/session.hpp"

namespace cli {
namespace {

using harness::ExitCode;

struct DecodeOptions {
  std::string model, isa, positions;
  std::vector<std::string> modes;
  int launches = 5;
  bool json = false;
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

harness::Plan plan_of(const Session& session, const DecodeOptions& options) {
  const models::Shape& shape = models::find_shape(options.model);
  harness::Plan plan = make_plan(session, shape, arms_of(options.modes));
  if (!options.positions.empty()) {
    std::tie(plan.position_first, plan.position_last) = parse_positions(options.positions);
    plan.samples_per_arm = probes::samples_per_arm(plan);
  }
  probes::check_plan(plan);
  return plan;
}

ExitCode run(const DecodeOptions& options, const Terminal& terminal) {
  note_interrupts();
  const Session session = open_session(options.isa);
  harness::Submission submission = begin_submission(session, "reproduction", "decode");
  submission.plans.push_back(plan_of(session, options));
  {
    Progress progress(terminal, 2.5 * options.launches);
    for (int round = 0; round < options.launches; ++round) {
      const auto show = [&](double done) {
        progress.show(fmt::format("launch {} of {}", round + 1, options.launches),
                      (round + done) / options.launches);
      };
      harness::Launch launch =
          launch_decode(session, submission.plans[0], 1 + static_cast<uint64_t>(round), show);
      launch.plan = 0;
      launch.round = round;
      submission.launches.push_back(std::move(launch));
    }
  }
  const std::string text = finish_submission(session, submission);
  print_result(options.json ? text + "\n"
                            : decode_text(terminal, submission) + flags_text(terminal, submission));
  return outcome(submission);
}

}  // namespace

void add_decode(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, "decode", "decodes a model and tells tokens per second; stores nothing",
                  "tokroof decode coreflow_1_9m --mode evict_flush --positions 65:1023 --launches 5");
  auto options = std::make_shared<DecodeOptions>();
  command->add_option("MODEL", options->model, "see tokroof models")->required();
  command
      ->add_option("--mode", options->modes,
                   "warm, evict_flush or evict_read; may be repeated; warm and its A/A always run")
      ->allow_extra_args(false);
  command->add_option("--isa", options->isa, "force one kernel table (see tokroof info); also $TOKROOF_ISA");
  command->add_option("--positions", options->positions, "FIRST:LAST, inclusive");
  command->add_option("--launches", options->launches, "child processes; the unit of analysis")
      ->check(CLI::Range(1, 1000));
  command->add_flag("--json", options->json, "print the document");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options] { return run(*options, invocation.terminal); };
  });
}

}  // namespace cli
