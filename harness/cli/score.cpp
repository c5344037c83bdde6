// tokroof score: how good the forecasts of stored runs have been.
#include <fmt/format.h>

#include <memory>

#include "harness/cli/command.hpp"
#include "harness/cli/score_text.hpp"
#include "harness/cli/session.hpp"
#include "harness/store.hpp"

namespace cli {
namespace {

using harness::ExitCode;

struct ScoreOptions {
  std::string store;
  harness::ForecastFilter filter;
  bool json = false, markdown = false;
};

ExitCode score(const ScoreOptions& options, const Terminal& terminal) {
  const std::string path = store_path(options.store);
  const harness::ForecastRecord record = harness::Store::open_existing(path).forecast_record(options.filter);
  if (record.figures.empty())
    throw harness::Error(ExitCode::not_enough_data,
                         path +
                             ": no stored run has a forecast of that kind and a decode to hold it against; "
                             "tokroof run makes one, tokroof store list shows what there is");
  const ScoreReport report = make_report(record);
  print_result(options.json ? to_json(report).dump(2) + "\n"
                            : to_text(terminal, report, options.markdown ? Markup::markdown : Markup::text));
  return ExitCode::ok;
}

}  // namespace

void add_score(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, "score", "tells how good stored forecasts have been, and which naive ones did better",
                  "tokroof score --mode warm --markdown");
  auto options = std::make_shared<ScoreOptions>();
  command->add_option("--store,--db", options->store, "store instead of $TOKROOF_HOME/store.sqlite");
  command->add_option("--model", options->filter.model, "only decodes of this model");
  command->add_option("--machine", options->filter.machine_key_prefix,
                      "only runs of this machine: the first digits of its key (tokroof store list)");
  command->add_option("--mode", options->filter.mode, "only this mode, such as warm or evict_flush");
  command->add_option("--protocol", options->filter.protocol,
                      "only runs of this one: quick, default, full or claim");
  CLI::Option* json = command->add_flag("--json", options->json, "print JSON");
  command->add_flag("--markdown", options->markdown, "print Markdown tables")->excludes(json);
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options] { return score(*options, invocation.terminal); };
  });
}

}  // namespace cli
