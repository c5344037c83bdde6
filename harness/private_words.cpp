// Addresses, ids and tokens.
#include "harness/private_words.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <string>

namespace harness {
namespace {

bool is_hex(char c) {
  return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}
char at_or_end(std::string_view text, size_t at) {
  return at < text.size() ? text[at] : '\0';
}

size_t hex_run(std::string_view text) {
  size_t run = 0;
  while (run < text.size() && is_hex(text[run])) ++run;
  return run;
}

/// Returns the bytes of six and more pairs of hex digits, or of three groups of four; 0 for none.
size_t mac(std::string_view text) {
  size_t groups = 0, at = 0;
  const size_t width = hex_run(text.substr(0, 5));
  const char separator = at_or_end(text, width);
  if (!(width == 2 && (separator == ':' || separator == '-')) && !(width == 4 && separator == '.')) return 0;
  while (hex_run(text.substr(std::min(at, text.size()), width + 1)) == width) {
    ++groups;
    at += width;
    if (at_or_end(text, at) != separator) break;
    ++at;
  }
  if (at > 0 && text[at - 1] == separator) --at;
  return groups >= (width == 2 ? 6U : 3U) ? at : 0;
}

/// Returns the bytes of a UUID whose first group ends with `run` hex digits, or of a long id.
size_t id(std::string_view text, size_t run) {
  if (run >= 8) {
    size_t at = run;
    bool groups = true;
    for (const size_t length : {4, 4, 4, 12}) {
      groups = groups && at_or_end(text, at) == '-' && hex_run(text.substr(at + 1, length)) == length;
      at += length + 1;
    }
    if (groups) return at + hex_run(text.substr(at));
  }
  // Digests (SHA-1, SHA-256, SHA-384, SHA-512) say nothing of anybody.
  return run >= 32 && run <= 256 && run != 40 && run != 64 && run != 96 && run != 128 ? run : 0;
}

/// Returns the bytes of "/64", 0 for anything else.
size_t prefix_length(std::string_view rest) {
  if (!rest.starts_with('/')) return 0;
  size_t digits = 0;
  while (is_digit(at_or_end(rest, digits + 1))) ++digits;
  return digits == 0 || digits > 3 ? 0 : digits + 1;
}

size_t ipv4(std::string_view text) {
  size_t at = 0;
  for (int group = 0; group < 4; ++group) {
    if (group > 0 && at_or_end(text, at++) != '.') return 0;
    int value = 0;
    size_t digits = 0;
    for (; digits < 4 && is_digit(at_or_end(text, at)); ++digits) value = value * 10 + (text[at++] - '0');
    if (digits == 0 || digits > 3 || value > 255) return 0;
  }
  return at;
}

/// Returns the bytes of the longest address that begins here and ends before no letter or digit.
size_t ipv6(std::string_view text) {
  size_t run = 0, colons = 0;
  while (run < 46 && run < text.size() && (is_hex(text[run]) || text[run] == ':' || text[run] == '.'))
    colons += text[run++] == ':' ? 1 : 0;
  for (; colons >= 2 && run > 2; --run) {
    if (is_alnum(at_or_end(text, run))) continue;
    std::array<unsigned char, 16> bytes{};
    if (inet_pton(AF_INET6, std::string(text.substr(0, run)).c_str(), bytes.data()) != 1) continue;
    return std::any_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(run), is_digit) ? run : 0;
  }
  return 0;
}

PrivatePiece address(const TextPlace& place) {
  const std::string_view text = place.text.substr(place.at);
  size_t bytes = is_digit(place.before) ? 0 : ipv4(text);
  const bool may_be_ipv6 =
      !is_alnum(place.before) && (text[0] != ':' || (text.starts_with("::") && place.before != ')'));
  if (bytes == 0 && may_be_ipv6) bytes = ipv6(text);
  if (bytes == 0) return {};
  const std::string_view found = text.substr(0, bytes);
  if (found == "127.0.0.1" || found == "0.0.0.0" || found == "::1") return {bytes, found};
  if (at_or_end(text, bytes) == '%' && is_alnum(at_or_end(text, bytes + 1))) {  // the zone
    ++bytes;
    while (is_alnum(at_or_end(text, bytes)) || at_or_end(text, bytes) == '-') ++bytes;
  }
  return {bytes + prefix_length(text.substr(bytes)), "(address)"};
}

size_t token(std::string_view text) {
  static constexpr std::string_view starts[] = {
      "ghp_",   "gho_",  "ghu_",  "ghs_",  "ghr_",  "github_pat_", "hf_",  "sk-",  "sk_", "pk_",  "rk_",
      "glpat-", "xoxb-", "xoxp-", "xoxa-", "xoxs-", "AKIA",        "ASIA", "AIza", "eyJ", "npm_", "pypi-"};
  for (const std::string_view start : starts) {
    if (!text.starts_with(start)) continue;
    size_t end = start.size();
    while (end < text.size() &&
           (is_alnum(text[end]) || std::string_view("_-.~+=").find(text[end]) != std::string_view::npos))
      ++end;
    if (end >= start.size() + 16) return end;
  }
  return 0;
}

}  // namespace

PrivatePiece find_private_word(const TextPlace& place) {
  const std::string_view text = place.text.substr(place.at);
  if (!is_alnum(text[0]) && text[0] != ':') return {};
  if (!is_alnum(place.before)) {
    if (const size_t bytes = token(text); bytes > 0) return {bytes, "(secret)"};
    // systemd names network devices by their MAC address.
    if ((text.starts_with("enx") || text.starts_with("wlx")) && hex_run(text.substr(3, 13)) == 12)
      return {15, "(mac)"};
  }
  if (is_hex(text[0]) && !is_hex(place.before)) {
    if (const size_t bytes = mac(text); bytes > 0) return {bytes, "(mac)"};
    if (const size_t bytes = id(text, hex_run(text)); bytes > 0) return {bytes, "(id)"};
  }
  return address(place);
}

size_t replaced_word(std::string_view text) {
  for (const std::string_view word :
       {"(host)", "(user)", "(path)", "(address)", "(mac)", "(id)", "(secret)"}) {
    if (text.starts_with(word)) return word.size();
  }
  return 0;
}

size_t utf8_quote(std::string_view text) {
  if (text.starts_with("\xC2\xAB") || text.starts_with("\xC2\xBB")) return 2;
  if (text.size() < 3 || text[0] != '\xE2' || text[1] != '\x80') return 0;
  const auto last = static_cast<unsigned char>(text[2]);
  return (last >= 0x98 && last <= 0x9F) || last == 0xB9 || last == 0xBA ? 3 : 0;
}

}  // namespace harness
