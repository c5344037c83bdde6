// Secrets behind their names, and mail addresses.
#include <algorithm>
#include <cctype>
#include <string>

#include "harness/private_words.hpp"

namespace harness {
namespace {

constexpr std::string_view none_of_a_value = " \t\n\"'`<>";

bool is_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}
char at_or_end(std::string_view text, size_t at) {
  return at < text.size() ? text[at] : '\0';
}
bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == b;
}
bool begins_with(std::string_view text, std::string_view name) {
  return text.size() >= name.size() &&
         std::equal(name.begin(), name.end(), text.begin(), [](char a, char b) { return same_letter(b, a); });
}

/// Returns the name of a secret that stands here, in lower case, or "".
std::string_view secret_name(std::string_view text) {
  static constexpr std::string_view names[] = {
      "token",     "bearer",      "password",    "passwd",      "passphrase", "pwd",           "secret",
      "apikey",    "api_key",     "api-key",     "api key",     "access_key", "access key",    "access-key",
      "accesskey", "private_key", "private-key", "private key", "credential", "authorization", "cookie"};
  for (const std::string_view name : names) {
    if (begins_with(text, name)) return name;
  }
  return "";
}

size_t skip_blanks(std::string_view text, size_t at) {
  while (at_or_end(text, at) == ' ' || at_or_end(text, at) == '\t') ++at;
  return at;
}

size_t end_of_value(std::string_view text, size_t at) {
  const char quote = at > 0 ? text[at - 1] : '\0';
  if (quote == '"' || quote == '\'') {
    const size_t end = std::min(text.find('\n', at), text.size());
    const size_t close = text.substr(0, end).find(quote, at);
    if (close != std::string_view::npos) return close;
  }
  return std::min(text.find_first_of(none_of_a_value, at), text.size());
}

/// A count of tokens is no secret: "token: 3.2", "token=128".
bool is_number(std::string_view value) {
  return value.size() <= 12 && value.find_first_not_of("0123456789.,;%)]}") == std::string_view::npos;
}

/// Behind a blank alone only what looks like a key is taken for one: "a token takes" is a sentence.
bool looks_secret(std::string_view name, std::string_view value) {
  if (name == "token") {
    const bool letters = std::any_of(value.begin(), value.end(),
                                     [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
    const bool digits = std::any_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
    return value.size() >= 8 && letters && digits;
  }
  return true;
}

}  // namespace

PrivatePiece find_named_secret(const TextPlace& place, size_t& named) {
  const std::string_view text = place.text.substr(place.at);
  const std::string_view name = secret_name(text.substr(0, 16));
  if (name.empty()) return {};
  size_t at = name.size();
  if (at_or_end(text, at) == '_' || at_or_end(text, at) == '-') {  // SECRET_ACCESS_KEY
    while (at < 64 &&
           (is_alnum(at_or_end(text, at)) || at_or_end(text, at) == '_' || at_or_end(text, at) == '-'))
      ++at;
  }
  if (at_or_end(text, at) == '\\') ++at;
  if (at_or_end(text, at) == '"' || at_or_end(text, at) == '\'') ++at;
  const size_t blank = skip_blanks(text, at);
  size_t value = blank;
  while (value < blank + 2 &&
         std::string_view(":=>").find(at_or_end(text, value)) != std::string_view::npos &&
         value < text.size())
    ++value;
  const bool separated = value > blank;
  if (!separated && blank == at) return {};
  value = skip_blanks(text, value);
  for (const std::string_view scheme : {"bearer ", "basic ", "token "}) {
    if (begins_with(text.substr(std::min(value, text.size())), scheme))
      value = skip_blanks(text, value + scheme.size());
  }
  if (at_or_end(text, value) == '\\') ++value;
  if (at_or_end(text, value) == '"' || at_or_end(text, value) == '\'') ++value;
  const size_t end = end_of_value(text, std::min(value, text.size()));
  if (end <= value) return {};
  const std::string_view found = text.substr(value, end - value);
  if (replaced_word(found) > 0) return {};
  if ((name == "token" && is_number(found)) || (!separated && !looks_secret(name, found))) return {};
  named = value;
  return {end - value, "(secret)"};
}

PrivatePiece find_mail(const TextPlace& place) {
  const auto is_local = [](char c) {
    return is_alnum(c) || static_cast<unsigned char>(c) >= 0x80 ||
           (c != '\0' && std::string_view("._+%-").find(c) != std::string_view::npos);
  };
  if (is_local(place.before)) return {};
  const std::string_view text = place.text.substr(place.at);
  size_t at = 0;
  while (at < 256 && is_local(at_or_end(text, at))) ++at;  // RFC 5321 allows 64
  if (at == 0 || at_or_end(text, at) != '@' || at_or_end(text, at - 1) == '.') return {};
  const char first = at_or_end(text, ++at);
  if (!is_alnum(first) && first != '[' && static_cast<unsigned char>(first) < 0x80) return {};
  if (first == '[') ++at;
  while (is_alnum(at_or_end(text, at)) || static_cast<unsigned char>(at_or_end(text, at)) >= 0x80 ||
         at_or_end(text, at) == '-' || at_or_end(text, at) == '_' ||
         (first == '[' && at_or_end(text, at) == ':') ||
         (at_or_end(text, at) == '.' && is_alnum(at_or_end(text, at + 1))))
    ++at;
  if (first == '[' && at_or_end(text, at) == ']') ++at;
  // user@host:folder, as scp writes it
  if (at_or_end(text, at) == ':' && is_alnum(at_or_end(text, at + 1)))
    at = std::min(text.find_first_of(none_of_a_value, at), text.size());
  return {at, "(address)"};
}

}  // namespace harness
