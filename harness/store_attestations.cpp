#include "harness/store_attestations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "harness/digest.hpp"
#include "harness/error.hpp"
#include "harness/scrub.hpp"
#include "harness/store_tables.hpp"
#include "harness/text_characters.hpp"

namespace harness {
namespace {

constexpr size_t most_login_bytes = 64, most_number_digits = 18, most_note_bytes = 300;
constexpr const char* login_characters = "abcdefghijklmnopqrstuvwxyz0123456789._-";

bool is_login(std::string_view login) {
  if (login.ends_with("[bot]")) login.remove_suffix(5);
  return !login.empty() && login.size() <= most_login_bytes &&
         login.find_first_not_of(login_characters) == std::string_view::npos;
}

bool is_number(std::string_view number) {
  return !number.empty() && number.size() <= most_number_digits &&
         number.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string_view login_of(std::string_view name) {
  return name.substr(0, name.find('#'));
}

/// The account's number, else the login.
std::string_view identity_of(std::string_view name) {
  return name.substr(name.find('#') == std::string_view::npos ? 0 : name.find('#') + 1);
}

/// Whether nobody sees a character, or it stands for one that is not there (U+FFFC, U+FFFD).
bool tells_nothing(char32_t point) {
  return is_hidden(point) || point == 0xFFFC || point == 0xFFFD;
}

}  // namespace

std::string attested_name(const std::string& name, const std::string& what) {
  const size_t first = name.find_first_not_of(' ');
  std::string kept =
      first == std::string::npos ? "" : name.substr(first, name.find_last_not_of(' ') - first + 1);
  for (char& c : kept) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  const bool has_number = kept.find('#') != std::string::npos;
  if (!is_login(login_of(kept)) || (has_number && !is_number(identity_of(kept)))) {
    throw Error(
        ExitCode::usage,
        fmt::format("{}: give a login of 1 to {} of the letters A to Z, digits and . _ - (or login#number)",
                    what, most_login_bytes));
  }
  return kept;
}

bool same_person(const std::string& a, const std::string& b) {
  return login_of(a) == login_of(b) || identity_of(a) == identity_of(b);
}

void check_attested_note(const std::string& note, const std::string& what) {
  bool clear = !note.empty() && note.size() <= most_note_bytes && printable(note) == note;
  for (size_t at = 0; clear && at < note.size();) {
    const Character next = character_at(note, at);
    clear = !tells_nothing(next.point);
    at += next.bytes;
  }
  if (clear) return;
  throw Error(ExitCode::usage, fmt::format("{}: say in one line of 1 to {} bytes what was looked at, without "
                                           "control and invisible characters",
                                           what, most_note_bytes));
}

std::string odd_attestation(const Attestation& attestation) {
  const bool sent = attestation.kind == attested_sent;
  if (!sent && attestation.kind != attested_audited) return "its kind is unknown";
  try {
    if (attested_name(attestation.name, "name") != attestation.name) return "its name is not in lower case";
    if (!sent) check_attested_note(attestation.note, "note");
  } catch (const Error&) {
    return "its name or note is none that tokroof takes";
  }
  return sent && !attestation.note.empty() ? "it has a note" : "";
}

std::string attestation_hash(const Attestation& attestation, const std::string& content_sha256) {
  // No name holds a newline, so that nothing can move from one member to the next.
  return sha256_hex(fmt::format("{}{}{}{}\n{}\n{}", attestation.prev_hash, content_sha256,
                                attestation.received_utc, attestation.kind, attestation.name,
                                attestation.note));
}

Attestations::Attestations(Database& database)
    : insert_(database.prepare("INSERT INTO attestations VALUES (?, ?, ?, ?, ?, ?, ?, ?)")),
      sender_(database.prepare("SELECT name FROM attestations WHERE document = ? AND kind = 'sent'")),
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

std::string Attestations::sender(int64_t document) {
  sender_.reset();
  sender_.bind(1, document);
  std::string name = sender_.step() ? sender_.text(0) : "";
  sender_.reset();
  return name;
}

Attestation attestation_of(const Statement& row) {
  return {row.integer(0), row.integer(1), row.text(2), row.text(3),
          row.text(4),    row.text(5),    row.text(6), row.text(7)};
}

}  // namespace harness
