#include "harness/store_attestations.hpp"

#include <fmt/format.h>

#include "harness/digest.hpp"
#include "harness/error.hpp"
#include "harness/scrub.hpp"
#include "harness/store_tables.hpp"

namespace harness {
namespace {

constexpr size_t most_name_bytes = 100;

}  // namespace

std::string attested_name(const std::string& name, const std::string& what) {
  const size_t first = name.find_first_not_of(' ');
  std::string kept =
      first == std::string::npos ? "" : name.substr(first, name.find_last_not_of(' ') - first + 1);
  if (kept.empty() || kept.size() > most_name_bytes || printable(kept) != kept ||
      kept.find_first_of("\n\t") != std::string::npos) {
    throw Error(ExitCode::usage,
                fmt::format("{}: give a name of 1 to {} bytes of UTF-8, without control characters", what,
                            most_name_bytes));
  }
  for (char& c : kept) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return kept;
}

std::string attestation_hash(const Attestation& attestation, const std::string& content_sha256) {
  // No name holds a newline, so that nothing can move from one member to the next.
  return sha256_hex(fmt::format("{}{}{}{}\n{}\n{}", attestation.prev_hash, content_sha256,
                                attestation.received_utc, attestation.kind, attestation.name,
                                attestation.note));
}

Attestations::Attestations(Database& database)
    : insert_(database.prepare("INSERT INTO attestations VALUES (?, ?, ?, ?, ?, ?, ?, ?)")),
      sender_(database.prepare("SELECT 1 FROM attestations WHERE document = ? AND kind = 'sent'")),
      sequence_(database.integer("SELECT max(sequence) FROM attestations")),
      head_hash_(database.text("SELECT entry_hash FROM attestations ORDER BY sequence DESC LIMIT 1")) {
  if (head_hash_.empty()) head_hash_ = chain_genesis;
}

void Attestations::append(Attestation attestation, const std::string& content_sha256) {
  attestation.sequence = ++sequence_;
  attestation.prev_hash = head_hash_;
  attestation.entry_hash = attestation_hash(attestation, content_sha256);
  insert_.reset();
  insert_.bind(1, attestation.sequence);
  insert_.bind(2, attestation.document);
  insert_.bind(3, attestation.kind);
  insert_.bind(4, attestation.name);
  insert_.bind(5, attestation.note);
  insert_.bind(6, attestation.received_utc);
  insert_.bind(7, attestation.prev_hash);
  insert_.bind(8, attestation.entry_hash);
  insert_.step();
  insert_.reset();
  head_hash_ = attestation.entry_hash;
}

bool Attestations::has_sender(int64_t document) {
  sender_.reset();
  sender_.bind(1, document);
  const bool found = sender_.step();
  sender_.reset();
  return found;
}

Attestation attestation_of(const Statement& row) {
  return {row.integer(0), row.integer(1), row.text(2), row.text(3),
          row.text(4),    row.text(5),    row.text(6), row.text(7)};
}

}  // namespace harness
