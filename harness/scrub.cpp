#include "harness/scrub.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "harness/private_words.hpp"

namespace harness {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Replaces a name where it stands as a word of its own, in any case.
std::string without(const std::string& text, const std::string& name, std::string_view by) {
  std::string kept;
  for (size_t at = 0; at < text.size();) {
    const auto found = std::search(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), name.begin(),
                                   name.end(), same_letter);
    const auto begin = static_cast<size_t>(found - text.begin()), end = begin + name.size();
    kept.append(text, at, begin - at);
    if (found == text.end()) break;
    const bool whole = (begin == 0 || !is_word(text[begin - 1]) || !is_word(name.front())) &&
                       (end == text.size() || !is_word(text[end]) || !is_word(name.back()));
    kept += whole ? std::string(by) : std::string(1, text[begin]);
    at = whole ? end : begin + 1;
  }
  return kept;
}

/// How many bytes a well-formed UTF-8 character takes here (RFC 3629), 0 when it is none.
size_t utf8_bytes(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                        : (first & 0xF0U) == 0xE0        ? 3
                        : first >= 0xF0 && first <= 0xF4 ? 4
                                                         : 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  }
  if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
      (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F))
    return 0;
  return length;
}

constexpr std::string_view quotes = "\"'`", breaks = " \t\n\"'`<>()[]{},;|=";

/// Returns where the word that begins at `at` ends. A path that begins behind a quote goes to the next one:
/// it may hold blanks. So does a blank behind a backslash.
size_t end_of_word(std::string_view text, size_t at) {
  if (at > 0 && quotes.find(text[at - 1]) != std::string_view::npos && begins_path(text.substr(at))) {
    const std::array<char, 2> stops = {text[at - 1], '\n'};
    const size_t end = text.find_first_of(std::string_view(stops.data(), stops.size()), at);
    if (end != std::string_view::npos && text[end] != '\n') return end;
  }
  size_t end = at;
  while (end < text.size() && (breaks.find(text[end]) == std::string_view::npos ||
                               (text[end] == ' ' && end > at && text[end - 1] == '\\')))
    ++end;
  // The rest of an address belongs to it: a query may hold keys.
  if (text.substr(at, end - at).find("://") != std::string_view::npos)
    end = std::min(text.find_first_of(" \t\n\"'`<>", at), text.size());
  return end;
}

/// Returns whether a text ends with a word that replaced something: what follows is its rest, not a path.
bool ends_replaced(std::string_view text) {
  for (const std::string_view word :
       {"(host)", "(user)", "(path)", "(address)", "(mac)", "(id)", "(secret)"}) {
    if (text.ends_with(word)) return true;
  }
  return false;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string kept;
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = utf8_bytes(text.substr(at));
    const char c = text[at];
    const bool control = (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
    if (c == '\r' && at + 1 < text.size() && text[at + 1] == '\n') {  // CRLF
    } else if (bytes == 0 || control) {
      kept += '?';
    } else {
      kept.append(text.substr(at, bytes));
    }
    at += std::max<size_t>(1, bytes);
  }
  return kept;
}

std::string scrub(std::string_view foreign, const PrivateNames& names) {
  std::string text = printable(foreign);
  for (const std::string& home : names.homes) text = without(text, home, "~");
  std::string kept;
  for (size_t at = 0; at < text.size();) {
    const size_t end = end_of_word(text, at);
    if (end == at || (text[at] == '/' && ends_replaced(kept))) {
      kept += text[at++];
      continue;
    }
    kept += without_private_parts(std::string_view(text).substr(at, end - at));
    at = end;
  }
  for (const std::string& host : names.hosts) kept = without(kept, host, "(host)");
  for (const std::string& login : names.logins) kept = without(kept, login, "(user)");
  return kept;
}

}  // namespace harness
