// tokroof query: answers from the store, by views or in SQL that can change nothing.
#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/cli/command.hpp"
#include "harness/cli/query_text.hpp"
#include "harness/cli/query_views.hpp"
#include "harness/cli/session.hpp"
#include "harness/csv.hpp"
#include "harness/store.hpp"
#include "harness/store_query.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;
using harness::SqlValue;

struct QueryOptions {
  std::string view, argument, database, sql, cpu, model, mode, isa;
  bool json = false, csv = false, schema = false;
  int64_t rows = 1000;
  double seconds = 10;
};

std::vector<SqlValue> parameters(const QueryOptions& options) {
  return {options.argument, options.cpu, options.model, options.mode, options.isa};
}

AnswerTable ask(harness::Store& store, const QueryOptions& options, const std::string& name,
                const std::string& sql, const std::vector<SqlValue>& values) {
  AnswerTable table{name, {}, {}, false};
  table.more = harness::query(store.database(), sql, values,
                              {options.rows, static_cast<int64_t>(options.seconds * 1000)},
                              {[&](const auto& columns) { table.columns = columns; },
                               [&](const auto& row) { table.rows.push_back(row); }});
  return table;
}

/// Says what there would be, for a name that nothing has.
[[noreturn]] void nothing_of(const QueryOptions& options, const View& view) {
  const std::string list = view.argument == "CPU"     ? "tokroof query cpus"
                           : view.argument == "MODEL" ? "tokroof query models"
                                                      : "tokroof query claims";
  throw Error(ExitCode::not_enough_data,
              fmt::format("query: nothing is stored of {} '{}'; {} shows what there is", view.name,
                          options.argument, list));
}

std::vector<AnswerTable> answer_view(harness::Store& store, const QueryOptions& options) {
  const View& view = find_view(options.view);
  if (view.argument.empty() != options.argument.empty()) {
    throw Error(
        ExitCode::usage,
        view.argument.empty()
            ? fmt::format("query {0}: takes no name; say --cpu, --model, --mode or --isa", view.name)
            : fmt::format("query {0}: name one, as in tokroof query {0} {1}", view.name, view.argument));
  }
  if (options.csv && view.tables.size() > 1) {
    throw Error(
        ExitCode::usage,
        fmt::format("query {}: several tables are no CSV; take --json, or one table as in tokroof query "
                    "decode --cpu CPU --csv",
                    view.name));
  }
  // Each further table on a connection and a CPU of its own: a view of a CPU has three of them.
  std::vector<std::future<AnswerTable>> further;
  for (size_t i = 1; i < view.tables.size(); ++i) {
    further.push_back(std::async(std::launch::async, [&options, &table = view.tables[i]] {
      harness::Store own = harness::Store::open_existing(store_path(options.database));
      return ask(own, options, table.name, table.sql, parameters(options));
    }));
  }
  std::vector<AnswerTable> tables;
  tables.push_back(
      ask(store, options, view.tables.front().name, view.tables.front().sql, parameters(options)));
  for (auto& table : further) tables.push_back(table.get());
  const bool any = view.argument.empty() || std::any_of(tables.begin(), tables.end(), [](const auto& table) {
                     return !table.rows.empty();
                   });
  if (!any) nothing_of(options, view);
  return tables;
}

std::vector<AnswerTable> answer_schema(harness::Store& store, const QueryOptions& options) {
  return {
      ask(store, options, "columns",
          "SELECT m.name AS \"table\", p.name AS \"column\", p.type, p.\"notnull\" AS not_null "
          "FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS p WHERE m.type IN ('table', 'view') AND "
          "m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY m.rowid, p.cid",
          {})};
}

ExitCode answer(const QueryOptions& options, const Terminal& terminal) {
  harness::Store store = harness::Store::open_existing(store_path(options.database));
  std::vector<AnswerTable> tables;
  if (options.schema) {
    QueryOptions whole = options;
    whole.rows = 0;
    tables = answer_schema(store, whole);
  } else if (!options.sql.empty()) {
    tables.push_back(ask(store, options, "rows", options.sql, {}));
  } else {
    tables = answer_view(store, options);
  }
  print_result(options.json  ? to_json(tables)
               : options.csv ? to_csv(tables.front())
                             : to_text(terminal, tables));
  for (const AnswerTable& table : tables) {
    if (table.more)
      note(fmt::format("only the first {} rows of {} are shown; --rows 0 shows all", options.rows,
                       table.name));
  }
  return ExitCode::ok;
}

void check(const QueryOptions& options, bool has_sql) {
  const int asked =
      static_cast<int>(options.schema) + static_cast<int>(has_sql) + static_cast<int>(!options.view.empty());
  if (asked != 1)
    throw Error(ExitCode::usage,
                "query: name one view (tokroof query --help lists them), or --sql TEXT, or --schema");
  if (options.json && options.csv) throw Error(ExitCode::usage, "query: --json or --csv, not both");
  const bool filters =
      !options.cpu.empty() || !options.model.empty() || !options.mode.empty() || !options.isa.empty();
  if (filters && options.view.empty())
    throw Error(ExitCode::usage,
                "query: --cpu, --model, --mode and --isa are of views; write them into the SQL");
}

std::string list_of_views() {
  std::string text = "Views:\n";
  for (const View& view : views())
    text += fmt::format("  {:<16}{}\n", view.name + (view.argument.empty() ? "" : " " + view.argument),
                        view.summary);
  return text + "docs/store.md tells their columns.\nExample: tokroof query cpu EPYC";
}

}  // namespace

void add_query(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(app, "query", "answers questions from stored documents", "");
  command->footer(list_of_views());
  auto options = std::make_shared<QueryOptions>();
  command->add_option("VIEW", options->view, "one of those below");
  command->add_option("NAME", options->argument, "what the views cpu, model and claim are of");
  command->add_option("--cpu", options->cpu, "only CPUs whose name holds this");
  command->add_option("--model", options->model, "only this model");
  command->add_option("--mode", options->mode, "only this mode");
  command->add_option("--isa", options->isa, "only this ISA");
  CLI::Option* sql =
      command->add_option("--sql", options->sql, "one statement that reads, e.g. 'SELECT * FROM roofs'");
  command->add_flag("--schema", options->schema, "print tables and their columns");
  command->add_option("--rows", options->rows, "print at most so many (0: all)")
      ->capture_default_str()
      ->check(CLI::Range(int64_t{0}, INT64_MAX));
  command->add_option("--seconds", options->seconds, "stop after so long")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 1e6) & CLI::Validator(
                                           [](const std::string& text) {  // NaN is below and above nothing
                                             double seconds = 0;
                                             const bool number = CLI::detail::lexical_cast(text, seconds) &&
                                                                 seconds == seconds;
                                             return number ? "" : text + " is no number of seconds";
                                           },
                                           ""));
  command->add_option("--db", options->database, "store instead of $TOKROOF_HOME/store.sqlite");
  command->add_flag("--json", options->json, "print JSON");
  command->add_flag("--csv", options->csv, "print CSV (RFC 4180)");
  command->callback([&invocation, options, sql] {
    check(*options, sql->count() > 0);
    invocation.action = [&invocation, options] { return answer(*options, invocation.terminal); };
  });
}

}  // namespace cli
