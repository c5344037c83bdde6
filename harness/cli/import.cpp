// tokroof import: other people's results as documents of a lower evidence level.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/import_judgement.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/import_text.hpp"
#include "harness/cli/session.hpp"
#include "harness/digest.hpp"
#include "harness/store.hpp"
#include "harness/user_file.hpp"
#include "harness/validation.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;
using harness::ImportedRow;

struct ImportOptions {
  std::string from, file, cpu, database, folder;
  bool json = false, dry_run = false;
};

/// Returns the canonical text; one that our own gates refuse is too long, or our mistake.
std::string sealed(const harness::ImportDocument& document, const std::string& file) {
  std::string text = to_canonical_json(document);
  if (text.size() > harness::max_document_bytes) {
    throw Error(ExitCode::invalid_input,
                fmt::format("{}: its {} rows make a document of {}, more than 1 MiB; split the file", file,
                            document.imported.rows.size(), format_bytes(static_cast<double>(text.size()))));
  }
  for (const harness::Violation& wrong : harness::validate_document(text)) {
    throw Error(ExitCode::internal,
                fmt::format("the import of {} does not meet the schema: {}: {}, expected {}", file,
                            wrong.pointer, wrong.value, wrong.expected));
  }
  for (const analysis::Finding& finding : analysis::check_import(text)) {
    if (finding.severity == analysis::Severity::reject)
      throw Error(ExitCode::internal, fmt::format("the import of {}: {} {}: {}", file, finding.code,
                                                  finding.pointer, finding.detail));
  }
  return text;
}

void save(const ImportOptions& options, const std::string& created_utc, const std::string& text) {
  const std::string hash = harness::sha256_hex(text);
  std::string day;
  for (const char c : created_utc.substr(0, 10)) day += c == '-' ? std::string() : std::string(1, c);
  const std::string folder =
      options.folder.empty() ? harness::tokroof_home() + "/submissions/" + day : options.folder;
  const std::string path = fmt::format("{}/import-{}.json", folder, hash.substr(0, 8));
  harness::write_file_atomically(path, text + "\n");
  const harness::Stored stored = harness::Store(store_path(options.database)).add(text);
  note(fmt::format("{} {}", stored.already_there ? "already stored:" : "stored", path));
}

ExitCode run(const ImportOptions& options, const Terminal& terminal) {
  harness::ImportDocument document =
      harness::read_import(options.from, harness::read_user_file(options.file, harness::max_import_bytes),
                           options.file, harness::utc_now());
  analysis::name_cpu(document.imported, options.cpu);
  analysis::judge(document.imported);
  const std::string text = sealed(document, options.file);
  if (!options.dry_run) save(options, document.created_utc, text);
  print_result(options.json ? text + "\n" : import_text(terminal, document.imported));
  for (const ImportedRow& row : document.imported.rows) {
    if (row.limit.word == "refuted") return ExitCode::implausible;
  }
  return ExitCode::ok;
}

}  // namespace

void add_import(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, "import", "takes other programs' results as documents of a lower evidence level",
                  "tokroof import --from llama-bench results.jsonl --cpu 'AMD Ryzen 9 7950X'");
  auto options = std::make_shared<ImportOptions>();
  command->add_option("--from", options->from, "coreflow, llama-bench or google-benchmark")->required();
  command->add_option("FILE", options->file, "what that program printed")->required();
  command->add_option("--cpu", options->cpu, "the CPU, for rows that do not name it");
  command->add_option("--db", options->database, "store instead of $TOKROOF_HOME/store.sqlite");
  command->add_option("--out", options->folder, "folder for the document");
  command->add_flag("--json", options->json, "print the document");
  command->add_flag("--dry-run", options->dry_run, "store and write nothing");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options] { return run(*options, invocation.terminal); };
  });
}

}  // namespace cli
