#include "harness/import_decimals.hpp"

#include <algorithm>
#include <cctype>

namespace harness {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Whether three digits, and no fourth, stand at an offset: a group of thousands.
bool is_group(std::string_view text, size_t at) {
  const std::string_view group = text.substr(std::min(at, text.size()), 4);
  return group.size() >= 3 && std::all_of(group.begin(), group.begin() + 3, is_digit) &&
         (group.size() == 3 || !is_digit(group[3]));
}

/// Whether every mark parts thousands, as in "1,217,000": behind each stand three digits.
bool parts_groups(std::string_view digits, char mark) {
  const size_t first = digits.find(mark);
  if (first == 0 || first > 3 || digits[0] == '0') return false;
  for (size_t at = first; at != std::string_view::npos; at = digits.find(mark, at + 1)) {
    if (!is_group(digits, at + 1)) return false;
  }
  return true;
}

std::string without(std::string_view text, std::string_view marks) {
  std::string kept;
  for (const char c : text) {
    if (marks.find(c) == std::string_view::npos) kept += c;
  }
  return kept;
}

}  // namespace

std::string_view number_at(std::string_view text) {
  size_t end = 0;
  while (end < text.size()) {
    const char c = text[end];
    const bool thousands = (c == ' ' || c == '\'') && is_group(text, end + 1) &&
                           text.substr(0, end).find_first_of(".,") == std::string_view::npos;
    const bool inside = (c == '.' || c == ',') && end + 1 < text.size() && is_digit(text[end + 1]);
    const bool last = (c == '.') && end > 0;  // "12."
    if (!is_digit(c) && !(end > 0 && (thousands || inside)) && !last) break;
    ++end;
  }
  size_t exponent = end;
  if (end > 0 && end + 1 < text.size() && std::tolower(static_cast<unsigned char>(text[end])) == 'e') {
    exponent = end + 1 + (text[end + 1] == '-' || text[end + 1] == '+' ? 1 : 0);
    const size_t digits = exponent;
    while (exponent < text.size() && is_digit(text[exponent])) ++exponent;
    if (exponent == digits) exponent = end;
  }
  return text.substr(0, exponent);
}

Decimals decimals_of(std::string_view number) {
  const std::string digits = without(number, " '");
  const size_t point = digits.rfind('.'), comma = digits.rfind(',');
  const bool points = point != std::string::npos, commas = comma != std::string::npos;
  if (!points && !commas) return Decimals::unknown;
  if (points && commas) return point > comma ? Decimals::point : Decimals::comma;
  const char mark = points ? '.' : ',';
  const bool groups = parts_groups(digits, mark);
  if (digits.find(mark) == digits.rfind(mark)) {
    if (groups) return Decimals::unknown;
    return points ? Decimals::point : Decimals::comma;
  }
  if (!groups) return Decimals::unknown;  // a date, a version
  return points ? Decimals::comma : Decimals::point;
}

Decimals together(Decimals a, Decimals b) {
  if (a == Decimals::unknown || a == b) return b;
  return b == Decimals::unknown ? a : Decimals::both;
}

std::string plain_number(std::string_view number, Decimals decimals) {
  const Decimals own = decimals_of(number);
  if (own != Decimals::unknown) decimals = own;
  std::string digits = without(number, " '");
  const bool commas = digits.find(',') != std::string::npos;
  if (decimals == Decimals::both || (decimals == Decimals::unknown && commas)) {
    return commas || digits.find('.') != std::string::npos ? digits + "?" : digits;
  }
  const bool comma = decimals == Decimals::comma;
  const size_t decimal = digits.find(comma ? ',' : '.');
  const std::string whole = digits.substr(0, decimal);
  const char thousands = comma ? '.' : ',';
  if (whole.find(thousands) != std::string::npos && !parts_groups(whole, thousands)) return digits + "?";
  std::string plain = without(whole, std::string_view(&thousands, 1));
  if (decimal == std::string::npos) return plain;
  const std::string behind = digits.substr(decimal + 1);
  return behind.find_first_of(".,") == std::string::npos ? plain + "." + behind : digits + "?";
}

void make_plain(const std::vector<std::string*>& cells, bool lone_comma_is_decimal) {
  const auto each_number = [&cells](const auto& take) {
    for (std::string* cell : cells) {
      std::string made;
      for (size_t at = 0; at < cell->size();) {
        const std::string_view number = number_at(std::string_view(*cell).substr(at));
        made += number.empty() ? std::string(1, (*cell)[at]) : take(number);
        at += std::max<size_t>(number.size(), 1);
      }
      *cell = std::move(made);
    }
  };
  Decimals decimals = Decimals::unknown;
  each_number([&](std::string_view number) {
    decimals = together(decimals, decimals_of(number));
    return std::string(number);
  });
  each_number([&](std::string_view number) {
    const bool lone = decimals == Decimals::unknown && lone_comma_is_decimal;
    const bool comma = lone && number.find(',') != std::string_view::npos;
    return plain_number(number, comma ? Decimals::comma : decimals);
  });
}

}  // namespace harness
