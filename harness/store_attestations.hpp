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
/// Throws Error(usage) unless it is a login (1 to 64 of the letters A to Z, digits and . _ -, which may end
/// with [bot]) or a login, # and the account's number of up to 18 digits; `what` names it there.
std::string attested_name(const std::string& name, const std::string& what);

/// Returns whether two such names are of one person: they have the same login or the same number.
bool same_person(const std::string& a, const std::string& b);

/// Throws Error(usage) unless a note is one line of 1 to 300 bytes of UTF-8 in which nothing is hidden: no
/// control, no mark that turns the direction of writing, no character without width. `what` names it there.
void check_attested_note(const std::string& note, const std::string& what);

/// Returns "" for an attestation that could have been made by `ingest` or `store audit`, else what is wrong
/// with it, without repeating foreign text.
std::string odd_attestation(const Attestation& attestation);

/// Returns the hash that ties an attestation to its document's content and to all attestations before it.
std::string attestation_hash(const Attestation& attestation, const std::string& content_sha256);

/// Appends attestations within the transaction of the caller.
class Attestations {
 public:
  explicit Attestations(Database& database);
  /// Adds a row behind the last one; sequence and hashes are filled in.
  void append(Attestation attestation, const std::string& content_sha256);
  /// Returns who sent a document first, "" when nobody is known: only that one is its author, whoever sends
  /// the same bytes again.
  std::string sender(int64_t document);
  [[nodiscard]] int64_t last_sequence() const { return sequence_; }

 private:
  Statement insert_, sender_;
  int64_t sequence_;
  std::string head_hash_;
};

/// Reads a row of `attestations` that was selected in the order of its columns.
Attestation attestation_of(const Statement& row);

}  // namespace harness
