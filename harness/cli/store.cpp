// tokroof store: what has been stored, and whether it is still what was stored.
#include "harness/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/cli/command.hpp"
#include "harness/cli/foreign_text.hpp"
#include "harness/cli/session.hpp"
#include "harness/cli/store_copies.hpp"
#include "harness/digest.hpp"

namespace cli {
namespace {

using harness::ExitCode;

struct StoreOptions {
  std::string database, document, name, note;
  bool json = false;
};

ExitCode list(const StoreOptions& options, const Terminal& terminal) {
  harness::Store store = harness::Store::open_existing(store_path(options.database));
  Table table{{"#", "received", "kind", "protocol", "CPU", "machine", "content", "level", "trust", "author"},
              {},
              {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const harness::StoredDocument& document : store.list()) {
    table.rows.push_back({std::to_string(document.sequence), document.received_utc, document.kind,
                          document.protocol, document.cpu_model, document.machine_key.substr(0, 8),
                          document.content_sha256.substr(0, 8), document.level, document.trust,
                          document.author});
    for (std::string& cell : table.rows.back()) cell = one_line(cell);
    json.push_back({{"sequence", document.sequence},
                    {"content_sha256", document.content_sha256},
                    {"received_utc", document.received_utc},
                    {"created_utc", document.created_utc},
                    {"kind", document.kind},
                    {"protocol", document.protocol},
                    {"machine_key", document.machine_key},
                    {"cpu_model", document.cpu_model},
                    {"level", document.level},
                    {"trust", document.trust},
                    {"author", document.author}});
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
    const nlohmann::ordered_json json = {{"documents", result.documents},
                                         {"head_hash", result.head_hash},
                                         {"attestations", result.attestations},
                                         {"attestations_hash", result.attestations_hash},
                                         {"problems", result.problems}};
    print_result(json.dump(2) + "\n");
  } else {
    std::string text;
    for (const std::string& problem : result.problems)
      text += fmt::format("{} {}\n", mark_bad(terminal), one_line(problem));
    if (result.problems.empty()) {
      text = fmt::format("{} {} documents, chain whole, head {}\n", mark_good(terminal), result.documents,
                         result.head_hash);
      if (result.attestations > 0)
        text += fmt::format("{} {} attestations, chain whole, head {}\n", mark_good(terminal),
                            result.attestations, result.attestations_hash);
    }
    print_result(text);
  }
  return result.problems.empty() ? ExitCode::ok : ExitCode::tampered;
}

ExitCode rebuild(const StoreOptions& options, const Terminal& terminal) {
  const std::string path = store_path(options.database);
  harness::Store::open_existing(path);  // a store that is not there must not be made
  const harness::Projected made = harness::Store(path).rebuild();
  const nlohmann::ordered_json json = {{"documents", made.documents}, {"unread", made.unread}};
  const auto read = made.documents - static_cast<int64_t>(made.unread.size());
  print_result(options.json
                   ? json.dump(2) + "\n"
                   : fmt::format("{} tables made anew from {} documents\n",
                                 made.unread.empty() ? mark_good(terminal) : mark_bad(terminal),
                                 made.unread.empty() ? fmt::format("{}", read)
                                                     : fmt::format("{} of {}", read, made.documents)));
  return tell_unread(made);
}

ExitCode audit(const StoreOptions& options, const Terminal& terminal) {
  const std::string path = store_path(options.database);
  harness::Store::open_existing(path);  // a store that is not there must not be made
  harness::Store store(path);
  store.audit(options.document, options.name, options.note);
  const std::string digest = harness::sha256_hex(store.text(options.document));
  const auto all = store.list();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const auto& document) { return document.content_sha256 == digest; });
  const nlohmann::ordered_json json = {{"content_sha256", digest}, {"trust", found->trust}};
  print_result(options.json ? json.dump(2) + "\n"
                            : fmt::format("{} audited {:.12}; its state is {}\n", mark_good(terminal), digest,
                                          found->trust));
  if (found->trust != "audited") note("it counts as audited once another author's run corroborates it");
  return ExitCode::ok;
}

void add_audit(CLI::App& command, const std::shared_ptr<StoreOptions>& options, Invocation& invocation) {
  CLI::App* sub = add_command(command, "audit", "attests that somebody has looked at a document",
                              "tokroof store audit 3 --by ada --note 'ran it again on the same CPU'");
  sub->add_option("DOCUMENT", options->document, "number, or the first digits of its content hash")
      ->required();
  sub->add_option("--by", options->name, "who has looked at it; not its author")->required();
  sub->add_option("--note", options->note, "one line: what was looked at")->required();
  sub->add_option("--db", options->database, "store instead of $TOKROOF_HOME/store.sqlite");
  sub->add_flag("--json", options->json, "print JSON");
  sub->callback([&invocation, options] {
    invocation.action = [&invocation, options] { return audit(*options, invocation.terminal); };
  });
}

void add_copies(CLI::App& command, Invocation& invocation) {
  auto options = std::make_shared<CopyOptions>();
  const auto add = [&](const std::string& name, const std::string& summary, const std::string& example) {
    CLI::App* sub = add_command(command, name, summary, example);
    sub->add_option("--db", options->database, "store instead of $TOKROOF_HOME/store.sqlite");
    return sub;
  };
  CLI::App* backup = add("backup", "copies the store to a new file, and checks the copy",
                         "tokroof store backup /media/disk/tokroof.sqlite");
  backup->add_option("FILE", options->file, "must not exist")->required();
  backup->add_flag("--json", options->json, "print JSON");
  backup->callback([&invocation, options] {
    invocation.action = [&invocation, options] { return back_up(*options, invocation.terminal); };
  });
  CLI::App* out = add("export", "gives documents (jsonl), a table (csv) or a whole copy (sqlite)",
                      "tokroof store export --format csv --table decode --out decode.csv");
  out->add_option("--format", options->format, "jsonl, csv or sqlite")
      ->check(CLI::IsMember({"jsonl", "csv", "sqlite"}));
  out->add_option("--table", options->table, "of csv: a table that tokroof query --schema shows");
  out->add_option("--out", options->out, "a new file instead of stdout");
  out->callback([&invocation, options] { invocation.action = [options] { return export_store(*options); }; });
  CLI::App* restore = add("restore", "takes an export (jsonl) back, its hash chain verified",
                          "tokroof store restore export.jsonl --db fresh.sqlite");
  restore->add_option("FILE", options->file, "an export, or - for stdin")->required();
  restore->add_flag("--json", options->json, "print JSON");
  restore->callback([&invocation, options] {
    invocation.action = [&invocation, options] { return restore_store(*options, invocation.terminal); };
  });
}

}  // namespace

void add_store(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, "store", "lists, shows, checks and copies stored submissions", "tokroof store show 1");
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
  add("rebuild", "makes all tables anew from the documents", "tokroof store rebuild")
      ->callback([&invocation, options] {
        invocation.action = [&invocation, options] { return rebuild(*options, invocation.terminal); };
      });
  add_audit(*command, options, invocation);
  add_copies(*command, invocation);
}

}  // namespace cli
