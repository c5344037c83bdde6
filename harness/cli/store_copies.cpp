#include "harness/cli/store_copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "harness/canonical_json.hpp"
#include "harness/cli/command.hpp"
#include "harness/cli/session.hpp"
#include "harness/csv.hpp"
#include "harness/store.hpp"
#include "harness/store_query.hpp"
#include "harness/store_tables.hpp"
#include "harness/user_file.hpp"
#include "harness/validation.hpp"

namespace cli {
namespace {

using harness::ChainedDocument;
using harness::Error;
using harness::ExitCode;
using nlohmann::json;
using Write = std::function<void(const std::string&)>;

constexpr const char* export_schema = "tokroof/export/1";
constexpr size_t most_bytes_of_a_line = harness::max_document_bytes + 1024;  // a document and its entry

/// Gives what `fill` writes to a file that must not exist, or to stdout.
void deliver(const std::string& out, const std::function<void(const Write&)>& fill) {
  if (out.empty()) return fill([](const std::string& text) { print_result(text); });
  harness::FileInTheMaking file(out);
  fill([&](const std::string& text) { file.write(text); });
  file.commit();
}

void write_lines(harness::Store& store, const Write& write) {
  store.each(
      [&](int64_t documents, const std::string& head_hash) {
        json first{{"schema", export_schema}, {"documents", documents}, {"head_hash", head_hash}};
        if (const harness::StoreHead head = store.head(); head.attestations > 0) {
          first["attestations"] = head.attestations;
          first["attestations_hash"] = head.attestations_hash;
        }
        write(harness::canonical_text(first) + "\n");
      },
      [&](const ChainedDocument& document) {
        // The text as it was stored, so that its bytes are those of the content hash.
        write(fmt::format(R"({{"sequence":{},"received_utc":"{}","content_sha256":"{}","prev_hash":"{}",)"
                          R"("entry_hash":"{}","document":{}}})"
                          "\n",
                          document.sequence, document.received_utc, document.content_sha256,
                          document.prev_hash, document.entry_hash, document.text));
      },
      [&](const harness::Attestation& one) {
        const json line{{"attestation", one.sequence},
                        {"document", one.document},
                        {"kind", one.kind},
                        {"name", one.name},
                        {"note", one.note},
                        {"received_utc", one.received_utc},
                        {"prev_hash", one.prev_hash},
                        {"entry_hash", one.entry_hash}};
        write(harness::canonical_text(line) + "\n");
      });
}

void write_table(harness::Store& store, const std::string& table, const Write& write) {
  std::vector<std::string> names;
  for (const harness::Projection& projection : harness::projections()) names.emplace_back(projection.table);
  if (std::find(names.begin(), names.end(), table) == names.end()) {
    throw Error(ExitCode::usage, fmt::format("store export: there is no table '{}'; one of: {}", table,
                                             fmt::join(names, ", ")));
  }
  // Of `submissions` one row per document: joined to the others it tells whose figures they are.
  const std::string sql =
      table == "submissions"
          ? "SELECT d.content_sha256, d.received_utc, t.* FROM submissions AS t JOIN documents AS d "
            "ON d.sequence = t.document ORDER BY t.document, t.ordinal"
          : fmt::format(
                "SELECT d.content_sha256, d.received_utc, s.created_utc, s.kind, s.protocol, "
                "s.machine_key, s.cpu_model AS machine, t.* FROM {} AS t "
                "JOIN submissions AS s ON s.document = t.document "
                "JOIN documents AS d ON d.sequence = t.document ORDER BY t.document, t.ordinal",
                table);
  harness::query(store.database(), sql, {}, {0, 0},
                 {[&](const auto& columns) { write(harness::csv_record(columns)); },
                  [&](const auto& row) { write(harness::csv_record(row)); }});
}

/// Reads the lines of an export, one in memory at a time.
class ExportReader {
 public:
  ExportReader(std::istream& stream, std::string name)
      : stream_(&stream), name_(std::move(name)), line_(most_bytes_of_a_line + 1) {
    const std::optional<json> first = next_line();
    if (!first || !first->is_object() || first->value("schema", json()) != export_schema)
      refuse(
          fmt::format("the first line does not say \"schema\":\"{}\"; give what tokroof store export wrote",
                      export_schema));
    documents_ = number(*first, "documents");
    head_hash_ = text(*first, "head_hash");
    if (!first->contains("attestations")) return;
    attestations_ = number(*first, "attestations");
    attestations_hash_ = text(*first, "attestations_hash");
  }

  bool next(ChainedDocument& document) {
    if (taken_ == documents_) {
      if (attestations_ == 0 && next_line())
        refuse("there is more than the first line says; use an unchanged export");
      if (document.entry_hash != head_hash_ && documents_ > 0)
        refuse("the last entry is not the one that the first line names; use an unchanged export");
      return false;
    }
    const std::optional<json> line = next_line();
    if (!line) {
      refuse(fmt::format("cut short: {} of {} documents; nothing was restored, use a whole export", taken_,
                         documents_));
    }
    document = {number(*line, "sequence"),
                text(*line, "content_sha256"),
                text(*line, "received_utc"),
                text(*line, "prev_hash"),
                text(*line, "entry_hash"),
                line->contains("document") ? harness::canonical_text((*line)["document"]) : ""};
    ++taken_;
    return true;
  }

  /// The same for the attestations, which stand behind the documents.
  bool next(harness::Attestation& attestation) {
    if (attested_ == attestations_) {
      if (attestations_ > 0 && next_line())
        refuse("there is more than the first line says; use an unchanged export");
      if (attestations_ > 0 && attestation.entry_hash != attestations_hash_)
        refuse("the last attestation is not the one that the first line names; use an unchanged export");
      return false;
    }
    const std::optional<json> line = next_line();
    if (!line) {
      refuse(fmt::format("cut short: {} of {} attestations; nothing was restored, use a whole export",
                         attested_, attestations_));
    }
    attestation = {number(*line, "attestation"), number(*line, "document"), text(*line, "kind"),
                   text(*line, "name"),          text(*line, "note"),       text(*line, "received_utc"),
                   text(*line, "prev_hash"),     text(*line, "entry_hash")};
    ++attested_;
    return true;
  }

 private:
  std::optional<json> next_line() {
    stream_->getline(line_.data(), static_cast<std::streamsize>(line_.size()));
    const auto read = static_cast<size_t>(stream_->gcount());
    if (read == 0) return std::nullopt;
    ++number_;
    if (stream_->fail()) refuse("longer than any document may be; give what tokroof store export wrote");
    json value = json::parse(line_.data(), nullptr, /*allow_exceptions=*/false);
    if (value.is_discarded()) refuse("no JSON; nothing was restored, use a whole, unchanged export");
    return value;
  }
  int64_t number(const json& line, const char* key) const {
    const auto member = line.is_object() ? line.find(key) : line.end();
    if (member == line.end() || !member->is_number_integer())
      refuse(fmt::format("no whole number \"{}\"", key));
    return member->get<int64_t>();
  }
  std::string text(const json& line, const char* key) const {
    const auto member = line.is_object() ? line.find(key) : line.end();
    if (member == line.end() || !member->is_string()) refuse(fmt::format("no text \"{}\"", key));
    return member->get<std::string>();
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ExitCode::invalid_input, fmt::format("{}: line {}: {}", name_, number_, what));
  }

  std::istream* stream_;
  std::string name_;
  std::vector<char> line_;
  int64_t number_ = 0, documents_ = 0, taken_ = 0;
  std::string head_hash_;
  int64_t attestations_ = 0, attested_ = 0;
  std::string attestations_hash_;
};

}  // namespace

ExitCode tell_unread(const harness::Projected& projected) {
  for (const std::string& why : projected.unread)
    note(why + "; it is kept and in no table: tokroof store check, or a tokroof that reads it");
  return projected.unread.empty() ? ExitCode::ok : ExitCode::invalid_input;
}

ExitCode back_up(const CopyOptions& options, const Terminal& terminal) {
  const harness::StoreCheck check =
      harness::Store::open_existing(store_path(options.database)).backup(options.file);
  const nlohmann::ordered_json result{
      {"file", options.file}, {"documents", check.documents}, {"head_hash", check.head_hash}};
  print_result(options.json ? result.dump(2) + "\n"
                            : fmt::format("{} {}: {} documents, checked, head {}\n", mark_good(terminal),
                                          options.file, check.documents, check.head_hash));
  return ExitCode::ok;
}

ExitCode export_store(const CopyOptions& options) {
  if (options.format == "sqlite" && options.out.empty())
    throw Error(ExitCode::usage, "store export: --format sqlite needs --out FILE");
  harness::Store store = harness::Store::open_existing(store_path(options.database));
  if (options.format == "sqlite") {
    store.backup(options.out);
    return ExitCode::ok;
  }
  deliver(options.out, [&](const Write& write) {
    options.format == "csv" ? write_table(store, options.table, write) : write_lines(store, write);
  });
  return ExitCode::ok;
}

ExitCode restore_store(const CopyOptions& options, const Terminal& terminal) {
  std::ifstream file;
  if (options.file != "-") {
    harness::check_user_file(options.file);
    file.open(options.file, std::ios::binary);
    if (!file) {
      throw Error(ExitCode::invalid_input,
                  fmt::format("{}: cannot be read; name what tokroof store export wrote", options.file));
    }
  }
  ExportReader reader(options.file == "-" ? std::cin : file, options.file == "-" ? "stdin" : options.file);
  const std::string path = store_path(options.database);
  harness::Store store(path);
  const harness::Projected taken =
      store.restore([&](ChainedDocument& document) { return reader.next(document); },
                    [&](harness::Attestation& attestation) { return reader.next(attestation); });
  const harness::StoreHead head = store.head();
  const nlohmann::ordered_json result{{"store", path},
                                      {"restored", taken.documents},
                                      {"documents", head.documents},
                                      {"head_hash", head.entry_hash},
                                      {"unread", taken.unread}};
  print_result(options.json ? result.dump(2) + "\n"
                            : fmt::format("{} {} documents restored, {} in {}, head {}\n",
                                          taken.unread.empty() ? mark_good(terminal) : mark_bad(terminal),
                                          taken.documents, head.documents, path, head.entry_hash));
  return tell_unread(taken);
}

}  // namespace cli
