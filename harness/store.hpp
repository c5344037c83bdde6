// The embedded store: documents with a hash chain, and tables projected from them. SQLite.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/store_forecasts.hpp"
#include "harness/submission.hpp"

namespace harness {

struct StoredDocument {
  int64_t sequence = 0;
  std::string content_sha256, received_utc, created_utc, kind, protocol, machine_key, cpu_model;
};

struct StoreCheck {
  int64_t documents = 0;
  std::string head_hash;
  std::vector<std::string> problems;  ///< empty: sound. Tampering is a problem that names the sequence number
};

/// What adding did.
struct Stored {
  std::string content_sha256;
  bool already_there = false;
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
  std::vector<StoredDocument> list();
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

}  // namespace harness
