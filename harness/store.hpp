// The embedded store: documents with a hash chain, and tables projected from them. SQLite.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/import_document.hpp"
#include "harness/store_attestations.hpp"
#include "harness/store_forecasts.hpp"
#include "harness/submission.hpp"

namespace harness {

class Database;

struct StoredDocument {
  int64_t sequence = 0;
  std::string content_sha256, received_utc, created_utc, kind, protocol, machine_key, cpu_model;
  std::string level;          ///< evidence level, A to D
  std::string author, trust;  ///< "" when nobody is known; plausible | corroborated | audited
};

/// The end of the hash chain.
struct StoreHead {
  int64_t documents = 0;
  std::string entry_hash;
  int64_t attestations = 0;
  std::string attestations_hash;  ///< the end of theirs
};

struct StoreCheck {
  int64_t documents = 0;
  std::string head_hash;
  int64_t attestations = 0;
  std::string attestations_hash = {};
  std::vector<std::string> problems;  ///< empty: sound. Tampering is a problem that names the sequence number
};

/// What adding did.
struct Stored {
  std::string content_sha256;
  bool already_there = false;
  std::string author = {};  ///< who sent it first, "" when nobody is known
};

/// What became of the tables when documents were put into them.
struct Projected {
  int64_t documents = 0;            ///< of a rebuild: all; of a restore: those that were new
  std::vector<std::string> unread;  ///< "document N: why" of those that have no rows, as they cannot be read
};

/// A document that can be stored, read once.
struct NewDocument {
  std::string text, content_sha256;  ///< canonical
  StoredContent content;
  std::string author = {};  ///< as attested_name gives it; "" when nobody is known
};

/// Reads a canonical document that validation accepts. Throws Error(invalid_input) when it is not canonical.
NewDocument new_document(std::string canonical_text);

/// A document with its entry in the hash chain: what an export holds of it.
struct ChainedDocument {
  int64_t sequence = 0;
  std::string content_sha256, received_utc, prev_hash, entry_hash, text;
};

/// Long enough for any writer of ours (a document takes milliseconds), short enough for a person to wait.
inline constexpr int default_busy_timeout_ms = 10'000;

/// Owns an open store. Every failure is an Error(store) that names the file and the remedy (locked,
/// read-only, not a database, written by a newer tokroof, disk full).
class Store {
 public:
  /// Opens or creates; parent folders are created. Another writer is waited for up to busy_timeout_ms.
  explicit Store(const std::string& path, int busy_timeout_ms = default_busy_timeout_ms);
  /// Opens an existing store for reading only. One of an older version is brought up to date first.
  static Store open_existing(const std::string& path, int busy_timeout_ms = default_busy_timeout_ms);
  ~Store();
  Store(Store&&) noexcept;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  Store& operator=(Store&&) = delete;

  /// Adds a canonical document text in one BEGIN IMMEDIATE transaction, with its hash-chain entry and
  /// projections.
  Stored add(const std::string& canonical_text);
  /// Adds several in one transaction: all are durable when it returns, none when it throws. Each is told
  /// whether it was there already. The first author that is told of a document stays its author.
  std::vector<Stored> add_all(const std::vector<NewDocument>& documents);
  /// Returns the texts of stored documents, the oldest 16, whose decode samples stand in the same order as
  /// those that have these fingerprints (harness/store_fingerprints.hpp): a copy is among them.
  std::vector<std::string> alike(const std::vector<int64_t>& fingerprints);
  /// Attests that somebody has looked at a document (as text() finds it); `note` is one line that says how.
  /// Throws Error(usage) for its author.
  void audit(const std::string& sequence_or_hash_prefix, const std::string& name, const std::string& note);
  std::vector<StoredDocument> list();
  StoreHead head();
  /// By sequence number, or by a prefix (≥ 4 digits) of the content hash; a number that is both means the
  /// sequence. Throws Error(invalid_input) when nothing or more than one matches.
  std::string text(const std::string& sequence_or_hash_prefix);
  /// The newest document of a machine that holds a probes launch, or nullopt.
  std::optional<std::string> latest_probes(const std::string& machine_key);
  /// How forecasts of stored runs turned out; each forecast of a decode once.
  ForecastRecord forecast_record(const ForecastFilter& filter = {});
  /// Checks the database's pages, its tables and triggers, every document against its hash and the chain, and
  /// every projection against its document. Memory does not grow with the store.
  StoreCheck check();
  /// Drops the projections and makes them anew from the documents. A document that
  /// cannot be read stays, without rows.
  Projected rebuild();
  /// Copies the store, whoever writes meanwhile, to a file that must not exist, and checks the copy. Throws
  /// Error(tampered) when the copy is not sound; then there is no file.
  StoreCheck backup(const std::string& path);
  /// Gives every document in order, one in memory at a time, from one state of the store; `begin` is told
  /// how many there are and the last entry's hash, `attest` afterwards each attestation. Throws
  /// Error(tampered) where a chain does not hold.
  void each(const std::function<void(int64_t documents, const std::string& head_hash)>& begin,
            const std::function<void(const ChainedDocument&)>& visit,
            const std::function<void(const Attestation&)>& attest = {});
  /// Takes documents with their entries, as `each` gave them, until `next` has no more: all or none. A store
  /// that is not empty must hold the first of them. Throws Error(invalid_input) where an entry does not
  /// follow. A document that cannot be read is taken, without rows. Then it takes the attestations of
  /// `next_attestation` in the same way.
  Projected restore(const std::function<bool(ChainedDocument&)>& next,
                    const std::function<bool(Attestation&)>& next_attestation = {});
  /// The connection, for queries (harness/store_query.hpp).
  Database& database();

 private:
  struct State;  // store_state.hpp
  explicit Store(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// $TOKROOF_HOME, else $XDG_DATA_HOME/tokroof, else ~/.local/share/tokroof. Throws Error(usage) when none is
/// set.
std::string tokroof_home();

/// Writes text to a file so that it is there whole or not at all (temporary file, fsync, rename). Creates
/// folders. Throws Error(store) with the path and the reason.
void write_file_atomically(const std::string& path, const std::string& text);

/// Owns a file in the making: it gets its name, which must be free, only when it is whole. Every failure is
/// an Error(store) with the path and the reason.
class FileInTheMaking {
 public:
  /// Creates folders. Throws when the name is taken.
  explicit FileInTheMaking(const std::string& path);
  ~FileInTheMaking();  ///< removes it unless committed
  FileInTheMaking(const FileInTheMaking&) = delete;
  FileInTheMaking& operator=(const FileInTheMaking&) = delete;
  void write(std::string_view text);
  void commit();
  /// Where it lies until it is committed.
  [[nodiscard]] const std::string& temporary_path() const { return temporary_; }

 private:
  std::string path_, temporary_;
  int descriptor_;
};

}  // namespace harness
