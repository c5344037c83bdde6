#include "harness/scrub.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "harness/private_words.hpp"

namespace harness {
namespace {

bool is_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Replaces a name where no letter or digit stands beside it, in any case: "ada" of "ada_work", not of
/// "canada". A home is no part of a longer name.
std::string without(const std::string& text, const std::string& name, std::string_view by) {
  std::string kept;
  for (size_t at = 0; at < text.size();) {
    const auto found = std::search(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), name.begin(),
                                   name.end(), same_letter);
    const auto begin = static_cast<size_t>(found - text.begin()), end = begin + name.size();
    kept.append(text, at, begin - at);
    if (found == text.end()) break;
    const bool in_name =
        end < text.size() &&
        (is_alnum(text[end]) || (by == "~" && (text[end] == '_' || text[end] == '-' || text[end] == '.')));
    const bool whole = (begin == 0 || !is_alnum(text[begin - 1]) || !is_alnum(name.front())) &&
                       (!in_name || !is_alnum(name.back())) &&
                       (begin == 0 || replaced_word(std::string_view(text).substr(begin - 1)) == 0);
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

/// Copies a text without what is private in it, from front to back.
class Scrubber {
 public:
  explicit Scrubber(std::string_view text) : text_(text) {}

  std::string scrubbed() {
    while (at_ < text_.size()) step();
    return std::move(kept_);
  }

 private:
  [[nodiscard]] TextPlace place() const {
    const char before = at_ == 0 ? '\0' : at_ == replaced_end_ ? ')' : text_[at_ - 1];
    return {text_, at_, before};
  }

  void replace(const PrivatePiece& piece) {
    kept_ += piece.by;
    at_ += piece.bytes;
    replaced_end_ = at_;
  }

  void copy(size_t bytes) {
    kept_ += text_.substr(at_, bytes);
    at_ += bytes;
  }

  void step() {
    if (at_ == query_) {  // of an address: it may hold keys
      at_ = url_end_;
      query_ = std::string_view::npos;
      if (at_ == text_.size()) return;
    }
    const std::string_view rest = text_.substr(at_);
    if (const size_t word = replaced_word(rest); word > 0) {
      copy(word);
      replaced_end_ = at_;
      return;
    }
    size_t named = 0;
    if (const PrivatePiece secret = find_named_secret(place(), named); secret.bytes > 0) {
      copy(named);
      return replace(secret);
    }
    if (at_ >= no_path_before_ && at_ != replaced_end_) {
      const PrivatePiece path = find_path(place());
      const size_t common = path.bytes > 0 ? common_path(rest) : 0;
      if (common == 0 && path.bytes > 0) return replace(path);
      if (common > 0) no_path_before_ = at_ + common;
    } else if (at_ == replaced_end_ && at_ > 0 && rest[0] != '/' && at_ >= no_path_before_) {
      if (const PrivatePiece path = find_path(place()); path.bytes > 0) return replace(path);
    }
    if (rest.starts_with("://") && at_ >= url_end_ && ends_with_http()) return begin_url();
    for (const PrivatePiece& piece : {find_mail(place()), find_private_word(place())}) {
      if (piece.bytes > 0) return replace(piece);
    }
    copy(1);
  }

  /// Of other addresses ("smb://host/share") the rest is a path.
  [[nodiscard]] bool ends_with_http() const { return kept_.ends_with("http") || kept_.ends_with("https"); }

  /// Keeps host and path of a public address, not who asks for it.
  void begin_url() {
    url_end_ = no_path_before_ = end_of_url(text_, at_);
    const std::string_view url = text_.substr(0, url_end_);
    query_ = url.find('?', at_);
    const size_t host = at_ + 3, user_end = url.substr(0, url.find_first_of("/?#", host)).rfind('@');
    copy(3);
    if (user_end == std::string_view::npos || user_end <= host) return;
    kept_ += "(user)@";
    at_ = user_end + 1;
  }

  std::string_view text_;
  std::string kept_;
  size_t at_ = 0, replaced_end_ = std::string_view::npos;
  size_t no_path_before_ = 0, url_end_ = 0, query_ = std::string_view::npos;
};

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
  std::string kept = Scrubber(text).scrubbed();
  for (const std::string& host : names.hosts) kept = without(kept, host, "(host)");
  for (const std::string& login : names.logins) kept = without(kept, login, "(user)");
  return kept;
}

}  // namespace harness
