// Absolute paths, wherever in a word they begin.
#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "harness/private_words.hpp"

namespace harness {
namespace {

constexpr std::string_view none_of_a_word = " \t\n\"'`<>";

bool is_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}
bool is_plain(char c) {
  return is_alnum(c) || c == '_' || c == '.' || c == '-';
}
char at_or_end(std::string_view text, size_t at) {
  return at < text.size() ? text[at] : '\0';
}
bool is_letter_of_name(char c) {
  return is_plain(c) || static_cast<unsigned char>(c) >= 0x80;
}

/// Returns whether a name follows the slashes at the beginning of a text. Comments ("// x") have none.
bool named_by_slashes(std::string_view text) {
  size_t slashes = 0;
  while (slashes < 4 && (at_or_end(text, slashes) == '/' || at_or_end(text, slashes) == '\\')) ++slashes;
  const char next = at_or_end(text, slashes);
  return slashes > 0 && slashes < 4 && utf8_quote(text.substr(std::min(slashes, text.size()))) == 0 &&
         (is_letter_of_name(next) ||
          (next != '\0' && std::string_view("%$@+~").find(next) != std::string_view::npos));
}

/// Returns whether the word that ends here is an option with its value glued to it: "-I", "-isystem".
bool behind_option(const TextPlace& place) {
  size_t begin = place.at;
  while (begin > 0 && place.at - begin < 24 && is_alnum(place.text[begin - 1])) --begin;
  if (begin == place.at || begin == 0 || place.text[begin - 1] != '-') return false;
  if (std::isalpha(static_cast<unsigned char>(place.text[begin])) == 0) return false;
  return begin < 2 || std::string_view(" \t\n\"'`=,;(").find(place.text[begin - 2]) != std::string_view::npos;
}

/// "~/x" and "~somebody/x".
bool home_begins(std::string_view text) {
  size_t end = 1;
  while (end < 64 && end < text.size() && is_letter_of_name(text[end])) ++end;
  return text[0] == '~' && at_or_end(text, end) == '/';
}

bool path_begins(const TextPlace& place) {
  const std::string_view text = place.text.substr(place.at);
  const bool behind_word = is_alnum(place.before) || place.before == '_';
  switch (text[0]) {
    case '/':
      return named_by_slashes(text) && place.before != '/' && place.before != '.' &&
             (!behind_word || behind_option(place));
    case '\\':
      return text.size() > 2 && text[1] == '\\' && place.before != '\\' && named_by_slashes(text);
    case '~':
      return home_begins(text);
    case '%':
      return text.size() > 3 && text[1] == '2' && (text[2] == 'F' || text[2] == 'f') && !behind_word;
    default:
      break;
  }
  if (std::isalpha(static_cast<unsigned char>(text[0])) == 0 || text.size() < 4 || text[1] != ':')
    return false;
  if (text[2] == '\\') return none_of_a_word.find(text[3]) == std::string_view::npos;
  return text[2] == '/' && text[3] != '/' && !behind_word && named_by_slashes(text.substr(2));
}

/// A path that begins behind a quote goes to the next one: it may hold blanks.
size_t end_of_quoted(const TextPlace& place) {
  const std::string_view text = place.text;
  if (place.before == '"' || place.before == '\'' || place.before == '`') {
    const std::array<char, 2> stops = {place.before, '\n'};
    const size_t end = text.find_first_of(std::string_view(stops.data(), stops.size()), place.at);
    return end != std::string_view::npos && text[end] != '\n' ? end : 0;
  }
  const bool quoted = (place.at >= 3 && utf8_quote(text.substr(place.at - 3, 3)) == 3) ||
                      (place.at >= 2 && utf8_quote(text.substr(place.at - 2, 2)) == 2);
  if (!quoted) return 0;
  for (size_t end = place.at; end < text.size() && end - place.at < 4096 && text[end] != '\n'; ++end) {
    if (utf8_quote(text.substr(end, 3)) > 0) return end;
  }
  return 0;
}

/// Brackets that open within a path belong to it; a blank behind a backslash and the apostrophe of a name,
/// too.
size_t end_of_path(const TextPlace& place) {
  if (const size_t end = end_of_quoted(place); end > place.at) return end;
  const std::string_view text = place.text;
  size_t open = 0, end = place.at;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (utf8_quote(text.substr(end, 3)) > 0) break;
    if (none_of_a_word.find(c) != std::string_view::npos) {
      const bool escaped = end > place.at && text[end - 1] == '\\';
      const bool apostrophe = c == '\'' && is_alnum(text[end - 1]) && is_alnum(at_or_end(text, end + 1));
      if ((c != ' ' || !escaped) && !apostrophe) break;
    }
    if (c == '(' || c == '[' || c == '{') ++open;
    if ((c == ')' || c == ']' || c == '}') && open-- == 0) break;
  }
  return end;
}

/// Returns the bytes of a pointer such as "/launches", "/launches/0/series/1" and
/// "/derived/roofs/0/size_bytes".
size_t own_pointer(std::string_view text) {
  static constexpr std::string_view lists[] = {"/launches/",
                                               "/forecasts/",
                                               "/interruptions/",
                                               "/plans/",
                                               "/imported/rows/",
                                               "/derived/roofs/",
                                               "/derived/caches/",
                                               "/derived/decode/",
                                               "/derived/ratios/",
                                               "/derived/jumps/",
                                               "/derived/flags/",
                                               "/derived/retention/",
                                               "/derived/slowdown/",
                                               "/derived/interference/",
                                               "/derived/forecast_errors/"};
  for (const std::string_view list : lists) {
    const std::string_view whole = list.substr(0, list.size() - 1);
    if (!text.starts_with(whole)) continue;
    const char next = at_or_end(text, whole.size());
    if (next != '/' && !is_letter_of_name(next)) return whole.size();
    if (next != '/') continue;
    size_t end = list.size();
    while (at_or_end(text, end) >= '0' && at_or_end(text, end) <= '9') ++end;
    if (end == list.size() || end > list.size() + 6) return 0;
    while (end < text.size() && (std::islower(static_cast<unsigned char>(text[end])) != 0 ||
                                 is_plain(text[end]) || text[end] == '/'))
      ++end;
    return end;
  }
  return 0;
}

}  // namespace

size_t common_path(std::string_view text) {
  if (const size_t pointer = own_pointer(text); pointer > 0) return pointer;
  static constexpr std::string_view folders[] = {
      "/usr/bin/",     "/usr/sbin/",  "/usr/lib/", "/usr/lib32/", "/usr/lib64/", "/usr/libexec/",
      "/usr/include/", "/usr/share/", "/lib/",     "/lib32/",     "/lib64/",     "/bin/",
      "/sbin/",        "/etc/",       "/proc/",    "/sys/",       "/dev/"};
  const bool common = std::any_of(std::begin(folders), std::end(folders),
                                  [&](std::string_view folder) { return text.starts_with(folder); });
  size_t end = 0;
  while (end < text.size() && (is_plain(text[end]) || text[end] == '/' || text[end] == '+')) {
    const bool glue = (text[end] == '+' || text[end] == '-') && at_or_end(text, end + 1) == '/';
    if (glue && !(end >= 2 && text.substr(end - 2, 2) == "c+")) break;
    ++end;
  }
  const std::string_view path = text.substr(0, end);
  if (path == "/proc" || path == "/sys" || path == "/dev") return end;
  for (const std::string_view foreign : {"..", "/dev/disk", "/dev/mapper", "/dev/shm", "/cwd", "//"}) {
    if (path.find(foreign) != std::string_view::npos) return 0;
  }
  return common && static_cast<unsigned char>(at_or_end(text, end)) < 0x80 ? end : 0;
}

PrivatePiece find_path(const TextPlace& place) {
  if (!path_begins(place)) return {};
  return {end_of_path(place) - place.at, "(path)"};
}

size_t end_of_url(std::string_view text, size_t at) {
  while (at < text.size() && none_of_a_word.find(text[at]) == std::string_view::npos &&
         utf8_quote(text.substr(at, 3)) == 0)
    ++at;
  return at;
}

}  // namespace harness
