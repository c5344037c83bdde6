// What of a text says who or where: addresses, ids, keys, paths. Each function looks at one place and returns
// how many bytes there are private, 0 for none, in time that does not grow with the text. Part of scrub.
#pragma once
#include <string_view>

namespace harness {

/// A place in a text. `before` is what stands before it once that is scrubbed, '\0' at the beginning.
struct TextPlace {
  std::string_view text;
  size_t at = 0;
  char before = '\0';
};

/// A private piece, and the word in round brackets that replaces it.
struct PrivatePiece {
  size_t bytes = 0;
  std::string_view by;
};

/// Finds MAC, IPv4 and IPv6 addresses, UUIDs, ids of 32 and more hex digits and access tokens.
PrivatePiece find_private_word(const TextPlace& place);

/// Finds a mail address, or the user@host of ssh with the path behind its colon.
PrivatePiece find_mail(const TextPlace& place);

/// Finds the value of a password, token, secret or key that is named right before it. `named` is the text
/// before the value.
PrivatePiece find_named_secret(const TextPlace& place, size_t& named);

/// Finds an absolute path: "/x", "//host/x", "~/x", "C:\x", "\\host\x", "%2Fx".
PrivatePiece find_path(const TextPlace& place);

/// Returns how long a path is that begins here and names nobody: one of the system's, or a pointer into our
/// own documents; 0 for others.
size_t common_path(std::string_view text);

/// Returns where an address (what follows "http://" at `at`) ends.
size_t end_of_url(std::string_view text, size_t at);

/// Returns the bytes of one of the words that replace something, 0 where none stands.
size_t replaced_word(std::string_view text);

/// Returns the bytes of a typographic quote or guillemet of UTF-8, 0 where none stands.
size_t utf8_quote(std::string_view text);

}  // namespace harness
