#include "harness/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/canonical_json.hpp"
#include "harness/digest.hpp"
#include "harness/error.hpp"
#include "harness/parsed_document.hpp"
#include "harness/store_attestations.hpp"
#include "harness/store_chain.hpp"
#include "harness/store_folders.hpp"
#include "harness/store_state.hpp"
#include "harness/store_tables.hpp"
#include "harness/validation_parse.hpp"

namespace harness {
namespace {

constexpr size_t most_alike = 16;
constexpr size_t shortest_prefix = 4;  ///< digits of a content hash that may stand for it

bool all_in(const std::string& text, const char* characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string::npos;
}

}  // namespace

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;

Store::Store(const std::string& path, int busy_timeout_ms) {
  create_parent_folders(path);
  state_ = std::make_unique<State>(Database(path, OpenMode::create, busy_timeout_ms));
  migrate_store(state_->database);
}

namespace {

/// Undoes what a killed writer left half done: SQLite does so when a file is read that may be written. Where
/// that is not allowed, opening it for reading will say why.
void undo_half_done(const std::string& path, int busy_timeout_ms) {
  std::error_code error;
  if (!std::filesystem::exists(path + "-journal", error)) return;
  try {
    Database(path, OpenMode::create, busy_timeout_ms).integer("SELECT count(*) FROM sqlite_schema");
  } catch (const Error&) {
    return;
  }
}

}  // namespace

Store Store::open_existing(const std::string& path, int busy_timeout_ms) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    throw Error(ExitCode::store, fmt::format("{}: {}; run tokroof run first, or name another file with --db",
                                             path, error ? error.message() : "there is no store yet"));
  }
  undo_half_done(path, busy_timeout_ms);
  auto state = std::make_unique<State>(Database(path, OpenMode::read_only, busy_timeout_ms));
  const int64_t version = identify_store(state->database);
  if (version > 0 && version < newest_store_version()) {
    state.reset();
    { const Store upgraded(path, busy_timeout_ms); }
    state = std::make_unique<State>(Database(path, OpenMode::read_only, busy_timeout_ms));
  }
  if (version == 0) {
    throw Error(ExitCode::store,
                path + ": the store is empty; run tokroof run first, or name another file with --db");
  }
  return Store(std::move(state));
}

NewDocument new_document(std::string canonical_text) {
  nlohmann::json parsed;
  if (!parse_strictly(canonical_text, parsed).empty() || harness::canonical_text(parsed) != canonical_text) {
    throw Error(ExitCode::invalid_input, "a document must be stored in its canonical form (RFC 8785)");
  }
  NewDocument document{std::move(canonical_text), "", {}};
  document.content_sha256 = sha256_hex(document.text);
  document.content = content_of(parsed);
  return document;
}

Stored Store::add(const std::string& canonical_text) {
  std::vector<NewDocument> one;
  one.push_back(new_document(canonical_text));
  return add_all(one).front();
}

std::vector<Stored> Store::add_all(const std::vector<NewDocument>& documents) {
  Database& database = state_->database;
  Transaction transaction(database);
  Statement same = database.prepare("SELECT sequence FROM documents WHERE content_sha256 = ?");
  Chain chain(database, state_->projections());
  Attestations attestations(database);
  std::vector<Stored> results;
  const std::string received_utc = utc_now();
  for (const NewDocument& document : documents) {
    same.reset();
    same.bind(1, document.content_sha256);
    const bool there = same.step();
    const int64_t sequence = there ? same.integer(0) : chain.last_sequence() + 1;
    same.reset();
    if (!there) chain.append(document.text, document.content_sha256, received_utc, &document.content);
    std::string author = attestations.sender(sequence);
    if (author.empty() && !document.author.empty()) {
      author = document.author;
      attestations.append({0, sequence, attested_sent, author, "", received_utc, "", ""},
                          document.content_sha256);
    }
    results.push_back({document.content_sha256, there, author});
  }
  transaction.commit();
  return results;
}

std::vector<std::string> Store::alike(const std::vector<int64_t>& fingerprints) {
  Statement found = state_->database.prepare("SELECT document FROM fingerprints WHERE fingerprint = ?");
  std::set<int64_t> documents;
  for (const int64_t each : fingerprints) {
    found.reset();
    found.bind(1, each);
    while (found.step()) documents.insert(found.integer(0));
  }
  Statement text = state_->database.prepare("SELECT text FROM documents WHERE sequence = ?");
  std::vector<std::string> texts;
  for (const int64_t document : documents) {
    text.reset();
    text.bind(1, document);
    if (text.step()) texts.push_back(text.text(0));
    if (texts.size() == most_alike) break;
  }
  return texts;
}

std::vector<StoredDocument> Store::list() {
  Statement rows = state_->database.prepare(
      "SELECT sequence, content_sha256, received_utc, created_utc, kind, protocol, machine_key, cpu_model, "
      "level, author, state FROM documents AS d LEFT JOIN submissions AS s ON s.document = d.sequence "
      "LEFT JOIN trust AS t ON t.document = d.sequence ORDER BY sequence");
  std::vector<StoredDocument> documents;
  while (rows.step()) {
    documents.push_back({rows.integer(0), rows.text(1), rows.text(2), rows.text(3), rows.text(4),
                         rows.text(5), rows.text(6), rows.text(7), rows.text(8), rows.text(9),
                         rows.text(10)});
  }
  return documents;
}

std::string Store::text(const std::string& sequence_or_hash_prefix) {
  const std::string& wanted = sequence_or_hash_prefix;
  if (all_in(wanted, "0123456789") && wanted.size() < 18) {
    Statement by_sequence = state_->database.prepare("SELECT text FROM documents WHERE sequence = ?");
    by_sequence.bind(1, int64_t{std::stoll(wanted)});
    if (by_sequence.step()) return by_sequence.text(0);
  }
  if (!all_in(wanted, "0123456789abcdef") || wanted.size() < shortest_prefix) {
    throw Error(
        ExitCode::invalid_input,
        fmt::format("no document '{}': give a sequence number that tokroof store list shows, or at least {} "
                    "digits of a content hash",
                    wanted, shortest_prefix));
  }
  Statement by_hash =
      state_->database.prepare("SELECT text FROM documents WHERE substr(content_sha256, 1, ?) = ? LIMIT 2");
  by_hash.bind(1, static_cast<int64_t>(wanted.size()));
  by_hash.bind(2, wanted);
  if (!by_hash.step()) {
    throw Error(ExitCode::invalid_input,
                fmt::format("no document '{}'; tokroof store list shows what there is", wanted));
  }
  std::string found = by_hash.text(0);
  if (by_hash.step()) {
    throw Error(ExitCode::invalid_input,
                fmt::format("several documents begin with '{}'; give more digits", wanted));
  }
  return found;
}

void Store::audit(const std::string& sequence_or_hash_prefix, const std::string& name,
                  const std::string& note) {
  const std::string auditor = attested_name(name, "--by");
  check_attested_note(note, "--note");
  const std::string content_sha256 = sha256_hex(text(sequence_or_hash_prefix));
  Transaction transaction(state_->database);
  {
    Statement found = state_->database.prepare(
        "SELECT documents.sequence, coalesce(name, '') FROM documents LEFT JOIN attestations AS a ON "
        "a.document = "
        "documents.sequence AND a.kind = 'sent' WHERE content_sha256 = ?");
    found.bind(1, content_sha256);
    if (!found.step()) {
      throw Error(ExitCode::tampered,
                  fmt::format("document {} is not what was stored; run tokroof store check",
                              sequence_or_hash_prefix));
    }
    if (same_person(found.text(1), auditor)) {
      throw Error(ExitCode::usage, fmt::format("{} sent this document and cannot audit it", auditor));
    }
    Attestations(state_->database)
        .append({0, found.integer(0), attested_audited, auditor, note, utc_now(), "", ""}, content_sha256);
  }
  transaction.commit();
}

std::optional<std::string> Store::latest_probes(const std::string& machine_key) {
  Statement newest = state_->database.prepare(
      "SELECT text FROM documents WHERE sequence = (SELECT max(document) FROM submissions "
      "WHERE machine_key = ? AND has_probes = 1)");
  newest.bind(1, machine_key);
  if (!newest.step()) return std::nullopt;
  return newest.text(0);
}

}  // namespace harness
