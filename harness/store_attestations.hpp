// What people say of stored documents: who sent one, and who has looked at it. No document says so of itself;
// the rows are append-only and tied by a hash chain of their own. docs/store.md, "Trust".
#pragma once
#include <cstdint>
#include <string>

#include "harness/store_database.hpp"

namespace harness {

inline constexpr const char* attested_sent = "sent";        ///< the name is the document's first sender
inline constexpr const char* attested_audited = "audited";  ///< the name has looked at it; `note` says how

struct Attestation {
  int64_t sequence = 0, document = 0;
  std::string kind, name, note, received_utc, prev_hash, entry_hash;
};

/// Returns a name in the form in which names are compared: without blanks around it, A to Z in lower case.
/// Throws Error(usage) unless it is UTF-8 of 1 to 100 bytes without control characters; `what` names it
/// there.
std::string attested_name(const std::string& name, const std::string& what);

/// Returns the hash that ties an attestation to its document's content and to all attestations before it.
std::string attestation_hash(const Attestation& attestation, const std::string& content_sha256);

/// Appends attestations within the transaction of the caller.
class Attestations {
 public:
  explicit Attestations(Database& database);
  /// Adds a row behind the last one; sequence and hashes are filled in.
  void append(Attestation attestation, const std::string& content_sha256);
  /// Whether a document has a sender already: only the first is its author, whoever sends the same bytes
  /// again.
  bool has_sender(int64_t document);
  [[nodiscard]] int64_t last_sequence() const { return sequence_; }

 private:
  Statement insert_, sender_;
  int64_t sequence_;
  std::string head_hash_;
};

/// Reads a row of `attestations` that was selected in the order of its columns.
Attestation attestation_of(const Statement& row);

}  // namespace harness
