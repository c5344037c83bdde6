// tokroof store: what has been stored, and whether it is still what was stored.
#include "harness/store.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "harness/cli/command.hpp"
#include "harness/cli/session.hpp"

namespace cli {
namespace {

using harness::ExitCode;

struct StoreOptions {
  std::string database, document;
  bool json = false;
};

ExitCode list(const StoreOptions& options, const Terminal& terminal) {
  harness::Store store = harness::Store::open_existing(store_path(options.database));
  Table table{{"#", "received", "kind", "protocol", "CPU", "machine", "content"}, {}, {0, 1, 2, 3, 4, 5, 6}};
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const harness::StoredDocument& document : store.list()) {
    table.rows.push_back({std::to_string(document.sequence), document.received_utc, document.kind,
                          document.protocol, document.cpu_model, document.machine_key.substr(0, 8),
                          document.content_sha256.substr(0, 8)});
    json.push_back({{"sequence", document.sequence},
                    {"content_sha256", document.content_sha256},
                    {"received_utc", document.received_utc},
                    {"created_utc", document.created_utc},
                    {"kind", document.kind},
                    {"protocol", document.protocol},
                    {"machine_key", document.machine_key},
                    {"cpu_model", document.cpu_model}});
  }
  print_result(options.json ? json.dump(2) + "\n" : to_text(terminal, table));
  return ExitCode::ok;
}

ExitCode show(const StoreOptions& options) {
  const std::string text = harness::Store::open_existing(store_path(options.database)).text(options.document);
  print_result(options.json ? text + "\n" : nlohmann::ordered_json::parse(text).dump(2) + "\n");
  return ExitCode::ok;
}

ExitCode check(const StoreOptions& options, const Terminal& terminal) {
  const harness::StoreCheck result = harness::Store::open_existing(store_path(options.database)).check();
  if (options.json) {
    const nlohmann::ordered_json json = {
        {"documents", result.documents}, {"head_hash", result.head_hash}, {"problems", result.problems}};
    print_result(json.dump(2) + "\n");
  } else {
    std::string text;
    for (const std::string& problem : result.problems)
      text += fmt::format("{} {}\n", mark_bad(terminal), problem);
    if (result.problems.empty()) {
      text = fmt::format("{} {} documents, chain whole, head {}\n", mark_good(terminal), result.documents,
                         result.head_hash);
    }
    print_result(text);
  }
  return result.problems.empty() ? ExitCode::ok : ExitCode::tampered;
}

}  // namespace

void add_store(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, "store", "lists, shows and checks stored submissions", "tokroof store show 1");
  command->require_subcommand(1);
  auto options = std::make_shared<StoreOptions>();
  const auto add = [&](const std::string& name, const std::string& summary, const std::string& example) {
    CLI::App* sub = add_command(*command, name, summary, example);
    sub->add_option("--db", options->database, "store instead of $TOKROOF_HOME/store.sqlite");
    sub->add_flag("--json", options->json, "print JSON");
    return sub;
  };
  add("list", "lists the stored documents", "tokroof store list --json")->callback([&invocation, options] {
    invocation.action = [&invocation, options] { return list(*options, invocation.terminal); };
  });
  CLI::App* show_command = add("show", "prints one document", "tokroof store show 1 --json");
  show_command->add_option("DOCUMENT", options->document, "number, or the first digits of its content hash")
      ->required();
  show_command->callback(
      [&invocation, options] { invocation.action = [options] { return show(*options); }; });
  add("check", "re-walks the hash chain and the projections", "tokroof store check")
      ->callback([&invocation, options] {
        invocation.action = [&invocation, options] { return check(*options, invocation.terminal); };
      });
}

}  // namespace cli
