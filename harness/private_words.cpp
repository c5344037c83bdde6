#include "harness/private_words.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>

namespace harness {
namespace {

bool is_hex(char c) {
  return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// Returns whether hex digits stand in groups of these lengths with one of `separators` between them.
bool is_groups(std::string_view word, std::initializer_list<size_t> lengths, std::string_view separators) {
  size_t at = 0;
  for (const size_t length : lengths) {
    if (at > 0 && (at >= word.size() || separators.find(word[at++]) == std::string_view::npos)) return false;
    for (size_t i = 0; i < length; ++i) {
      if (at >= word.size() || !is_hex(word[at++])) return false;
    }
  }
  return at == word.size();
}

bool is_ip(std::string_view word) {
  const std::string address(word.substr(0, word.find_first_of("%/")));  // a zone, a prefix length
  std::array<unsigned char, 16> bytes{};
  if (address == "127.0.0.1" || address == "0.0.0.0") return false;
  if (inet_pton(AF_INET, address.c_str(), bytes.data()) == 1) return true;
  return std::any_of(address.begin(), address.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
         address != "::1" && inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1;
}

bool is_token(std::string_view word) {
  for (const std::string_view start : {"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "hf_", "sk-",
                                       "glpat-", "xoxb-", "xoxp-", "AKIA", "eyJ"}) {
    if (word.starts_with(start) && word.size() >= start.size() + 16) return true;
  }
  return false;
}

/// What a word as a whole is, as the word that replaces it, or "".
std::string_view whole_word(std::string_view word) {
  if (is_groups(word, {2, 2, 2, 2, 2, 2}, ":-") || is_groups(word, {4, 4, 4}, ".")) return "(mac)";
  if (is_groups(word, {8, 4, 4, 4, 12}, "-") || is_groups(word, {32}, "")) return "(id)";
  if (is_ip(word)) return "(address)";
  return is_token(word) ? "(secret)" : "";
}

/// Folders that every system has, and the members of our own documents, which pointers name.
bool is_common_path(std::string_view path) {
  for (const std::string_view private_one :
       {"/usr/home", "/usr/local", "/dev/disk", "/proc/self/cwd", "/.."}) {
    if (path.find(private_one) != std::string_view::npos) return false;
  }
  for (const std::string_view start :
       {"/usr/", "/lib", "/bin/", "/sbin/", "/etc/", "/proc/", "/sys/", "/dev/", "/derived/", "/plans/",
        "/launches/", "/forecasts/", "/machine/", "/suite/", "/conditions/", "/failure/", "/imported/",
        "/interruptions/"}) {
    if (path.starts_with(start)) return true;
  }
  return path.size() < 2;
}

/// Where a path begins in a word: at its front, or behind the colon of "file:/a" and "g++:/a"; npos for none.
size_t path_start(std::string_view word) {
  for (size_t at = 0; at < word.size(); ++at) {
    if ((at == 0 || word[at - 1] == ':' || word[at - 1] == '@') && begins_path(word.substr(at))) return at;
  }
  return std::string_view::npos;
}

std::string without_password(std::string_view word, size_t slashes) {
  const size_t host = slashes + 3, end = word.find_first_of("/?#", host);
  const size_t at = word.substr(0, end).rfind('@');
  std::string kept(word.substr(0, host));
  const size_t from = at == std::string_view::npos || at < host ? host : at + 1;
  if (from > host) kept += "(user)@";
  const std::string_view name = word.substr(from, end == std::string_view::npos ? end : end - from);
  const size_t port = name.starts_with('[') ? std::string_view::npos : name.rfind(':');
  kept += is_ip(name.substr(0, port)) ? "(address)" : std::string(name.substr(0, port));
  if (port != std::string_view::npos) kept += name.substr(port);
  if (end != std::string_view::npos)
    kept += word.substr(end, word.find('?', end) - end);  // a query may hold keys
  return kept;
}

bool is_mail(std::string_view word) {
  const size_t at = word.find('@');
  return at != std::string_view::npos && at > 0 && at + 1 < word.size() && is_alnum(word[at - 1]) &&
         (is_alnum(word[at + 1]) || word[at + 1] == '(');
}

/// How many characters "/64" takes, 0 for anything else.
size_t prefix_length(std::string_view rest) {
  if (!rest.starts_with('/')) return 0;
  size_t digits = 0;
  while (digits + 1 < rest.size() && std::isdigit(static_cast<unsigned char>(rest[digits + 1])) != 0)
    ++digits;
  return digits == 0 || digits > 3 ? 0 : digits + 1;
}

/// Replaces parts between characters that no address or id holds, such as the 1.2.3.4 of "eth0/1.2.3.4!".
std::string by_parts(std::string_view word) {
  std::string kept;
  for (size_t at = 0; at < word.size();) {
    if (!is_alnum(word[at]) && word[at] != ':') {
      kept += word[at++];
      continue;
    }
    size_t end = at;
    while (end < word.size() &&
           (is_alnum(word[end]) || std::string_view(":.-_%").find(word[end]) != std::string_view::npos))
      ++end;
    size_t stop = end;  // a full stop or a colon behind it is not its own, but "::" may be
    while (stop > at && std::string_view(".-_%").find(word[stop - 1]) != std::string_view::npos) --stop;
    std::string_view part = word.substr(at, stop - at);
    std::string_view by = whole_word(part);
    if (by.empty() && part.ends_with(':')) by = whole_word(part = part.substr(0, part.size() - 1));
    if (by.empty()) {  // an address with its port
      const size_t port = part.rfind(':');
      if (port != std::string_view::npos && is_ip(part.substr(0, port)))
        by = whole_word(part = part.substr(0, port));
    }
    kept += by.empty() ? part : by;
    at += part.size();
    if (by == "(address)") at += prefix_length(word.substr(at));
    if (part.empty()) kept += word[at++];
  }
  return kept;
}

}  // namespace

bool begins_path(std::string_view text) {
  if (text.starts_with("\\\\")) return text.size() > 2;
  if (text.size() > 2 && std::isalpha(static_cast<unsigned char>(text[0])) != 0 && text[1] == ':')
    return text[2] == '\\' || (text[2] == '/' && text.substr(2, 2) != "//");
  if (text.starts_with('~')) return text.find('/') != std::string_view::npos;
  return text.size() > 1 && text[0] == '/' && (is_alnum(text[1]) || text[1] == '.' || text[1] == '_');
}

std::string without_private_parts(std::string_view word) {
  const size_t slashes = word.find("://");
  if (slashes != std::string_view::npos && !word.starts_with("file:")) return without_password(word, slashes);
  if (word.starts_with("file://")) return "(path)";
  const size_t path = path_start(word);
  if (path != std::string_view::npos && !is_common_path(word.substr(path)))
    return is_mail(word.substr(0, path)) ? "(address):(path)" : by_parts(word.substr(0, path)) + "(path)";
  if (is_mail(word)) return "(address)";
  return by_parts(word);
}

}  // namespace harness
