// The store made anew, copied, given away and taken back.
#include <fmt/format.h>

#include "harness/digest.hpp"
#include "harness/error.hpp"
#include "harness/store_attestations.hpp"
#include "harness/store_chain.hpp"
#include "harness/store_state.hpp"

namespace harness {
namespace {

constexpr const char* chained_sql =
    "SELECT sequence, content_sha256, received_utc, prev_hash, entry_hash, text FROM documents "
    "ORDER BY sequence";

/// Whether an entry says what its text and the entry before it give.
bool holds(const ChainedDocument& document, int64_t last_sequence, const std::string& head_hash) {
  return document.sequence == last_sequence + 1 && document.prev_hash == head_hash &&
         sha256_hex(document.text) == document.content_sha256 &&
         chain_hash(head_hash, document.content_sha256, document.received_utc) == document.entry_hash;
}

/// Reads one state of the store, whoever writes meanwhile.
class Snapshot {
 public:
  explicit Snapshot(Database& database) : database_(&database) { database.run("BEGIN"); }
  ~Snapshot() {
    try {
      database_->run("ROLLBACK");
    } catch (...) {
      // Nothing was written: there is nothing to undo.
    }
  }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

 private:
  Database* database_;
};

/// The rows of a document that this version may not be able to read any more are left out, as a rebuild does;
/// then `why_not` says so.
StoredContent content_or_nothing(const std::string& text, std::string& why_not) {
  try {
    return stored_content(text);
  } catch (const Error& error) {
    if (error.code() != ExitCode::invalid_input) throw;
    why_not = error.what();
    return {};
  }
}

/// Takes what an export gives, behind what the store holds of it already.
class Restoring {
 public:
  Restoring(Database& database, ProjectionWriter& projections)
      : chain_(database, projections),
        held_(database.prepare("SELECT entry_hash FROM documents WHERE sequence = ?")) {}

  void take(const ChainedDocument& document) {
    if (!holds(document, last_sequence_, last_hash_)) {
      throw Error(
          ExitCode::tampered,
          fmt::format("document {}: it does not follow from the one before it, or its text or time was "
                      "changed; nothing was restored, use an unchanged export",
                      last_sequence_ + 1));
    }
    last_sequence_ = document.sequence;
    last_hash_ = document.entry_hash;
    if (document.sequence > chain_.last_sequence()) return append(document);
    held_.reset();
    held_.bind(1, document.sequence);
    if (!held_.step() || held_.text(0) != document.entry_hash) {
      throw Error(
          ExitCode::invalid_input,
          fmt::format("the store holds another document {}; restore into a new file with --db, or use "
                      "tokroof ingest to add documents",
                      document.sequence));
    }
  }
  [[nodiscard]] const Projected& taken() const { return taken_; }

 private:
  void append(const ChainedDocument& document) {
    std::string why_not;
    const StoredContent content = content_or_nothing(document.text, why_not);
    chain_.append(document.text, document.content_sha256, document.received_utc,
                  why_not.empty() ? &content : nullptr);
    if (!why_not.empty()) taken_.unread.push_back(fmt::format("document {}: {}", document.sequence, why_not));
    ++taken_.documents;
  }

  Chain chain_;
  Statement held_;
  int64_t last_sequence_ = 0;
  Projected taken_;
  std::string last_hash_ = chain_genesis;
};

/// Whether an attestation says what its document and the one before it give.
bool holds(const Attestation& attestation, int64_t last_sequence, const std::string& head_hash,
           const std::string& content_sha256) {
  return attestation.sequence == last_sequence + 1 && attestation.prev_hash == head_hash &&
         !content_sha256.empty() && attestation_hash(attestation, content_sha256) == attestation.entry_hash;
}

void attestations_of(Database& database, const std::function<void(const Attestation&)>& visit) {
  Statement rows = database.prepare(
      "SELECT a.*, d.content_sha256 FROM attestations AS a LEFT JOIN documents AS d ON d.sequence = "
      "a.document ORDER BY a.sequence");
  int64_t last = 0;
  std::string hash = chain_genesis;
  while (rows.step()) {
    const Attestation attestation = attestation_of(rows);
    if (!holds(attestation, last, hash, rows.text(8))) {
      throw Error(ExitCode::tampered,
                  fmt::format("{}: attestation {} is not what was stored; run tokroof store check",
                              database.path(), attestation.sequence));
    }
    visit(attestation);
    last = attestation.sequence;
    hash = attestation.entry_hash;
  }
}

/// Takes attestations behind what the store holds of them already.
void restore_attestations(Database& database, const std::function<bool(Attestation&)>& next) {
  Attestations all(database);
  Statement content = database.prepare("SELECT content_sha256 FROM documents WHERE sequence = ?");
  Statement held = database.prepare("SELECT entry_hash FROM attestations WHERE sequence = ?");
  const int64_t first_new = all.last_sequence() + 1;
  int64_t last = 0;
  std::string hash = chain_genesis;
  Attestation attestation;
  while (next(attestation)) {
    content.reset();
    content.bind(1, attestation.document);
    const std::string content_sha256 = content.step() ? content.text(0) : "";
    if (!holds(attestation, last, hash, content_sha256)) {
      throw Error(ExitCode::tampered,
                  fmt::format("attestation {}: it does not follow from its document and the one before it; "
                              "nothing was restored, use an unchanged export",
                              last + 1));
    }
    if (const std::string odd = odd_attestation(attestation); !odd.empty()) {
      throw Error(ExitCode::invalid_input,
                  fmt::format("attestation {}: {}; nothing was restored", last + 1, odd));
    }
    last = attestation.sequence;
    hash = attestation.entry_hash;
    if (attestation.sequence >= first_new) {
      all.append(attestation, content_sha256);
      continue;
    }
    held.reset();
    held.bind(1, attestation.sequence);
    if (!held.step() || held.text(0) != hash) {
      throw Error(ExitCode::invalid_input,
                  fmt::format("attestation {}: the store holds another one there; restore into a new store",
                              attestation.sequence));
    }
  }
}

}  // namespace

Projected Store::rebuild() {
  state_->writer.reset();
  Transaction transaction(state_->database);
  Projected all;
  all.unread = project_again(state_->database);
  all.documents = state_->database.integer("SELECT count(*) FROM documents");
  transaction.commit();
  return all;
}

StoreCheck Store::backup(const std::string& path) {
  FileInTheMaking file(path);
  state_->database.copy_to(file.temporary_path());
  StoreCheck check = open_existing(file.temporary_path()).check();
  if (!check.problems.empty()) {
    throw Error(ExitCode::tampered,
                fmt::format("{}: not written, because the store is not sound ({}); run tokroof store check",
                            path, check.problems.front()));
  }
  file.commit();
  return check;
}

void Store::each(const std::function<void(int64_t, const std::string&)>& begin,
                 const std::function<void(const ChainedDocument&)>& visit,
                 const std::function<void(const Attestation&)>& attest) {
  Database& database = state_->database;
  const Snapshot snapshot(database);
  const StoreHead end = head();
  begin(end.documents, end.entry_hash);
  Statement rows = database.prepare(chained_sql);
  int64_t last = 0;
  std::string hash = chain_genesis;
  while (rows.step()) {
    const ChainedDocument document{rows.integer(0), rows.text(1), rows.text(2),
                                   rows.text(3),    rows.text(4), rows.text(5)};
    if (!holds(document, last, hash)) {
      throw Error(ExitCode::tampered,
                  fmt::format("{}: document {} is not what was stored; run tokroof store check",
                              database.path(), document.sequence));
    }
    visit(document);
    last = document.sequence;
    hash = document.entry_hash;
  }
  if (attest) attestations_of(database, attest);
}

Projected Store::restore(const std::function<bool(ChainedDocument&)>& next,
                         const std::function<bool(Attestation&)>& next_attestation) {
  Transaction transaction(state_->database);
  Projected taken;
  {
    Restoring restoring(state_->database, state_->projections());
    ChainedDocument document;
    while (next(document)) restoring.take(document);
    taken = restoring.taken();
    if (next_attestation) restore_attestations(state_->database, next_attestation);
  }
  transaction.commit();
  return taken;
}

StoreHead Store::head() {
  const auto end_of = [&](const std::string& table) {
    const std::string hash =
        state_->database.text(fmt::format("SELECT entry_hash FROM {} ORDER BY sequence DESC LIMIT 1", table));
    return hash.empty() ? chain_genesis : hash;
  };
  return {state_->database.integer("SELECT count(*) FROM documents"), end_of("documents"),
          state_->database.integer("SELECT count(*) FROM attestations"), end_of("attestations")};
}

Database& Store::database() {
  return state_->database;
}

}  // namespace harness
