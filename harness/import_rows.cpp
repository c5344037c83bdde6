#include "harness/import_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace harness {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// Returns the length of the well-formed UTF-8 sequence at the beginning of a text, or 0 (Unicode 15, table
/// 3-7).
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto tail = [&](size_t i) { return byte(i) >= 0x80 && byte(i) <= 0xBF; };
  const unsigned first = byte(0), second = byte(1);
  if (text.empty()) return 0;
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return tail(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool fits = !(first == 0xE0 && second < 0xA0) && !(first == 0xED && second > 0x9F);
    return fits && tail(1) && tail(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool fits = !(first == 0xF0 && second < 0x90) && !(first == 0xF4 && second > 0x8F);
    return fits && tail(1) && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

void append_utf8(std::string& text, uint32_t point) {
  const auto put = [&](uint32_t byte) { text += static_cast<char>(byte); };
  if (point < 0x80) return put(point);
  if (point < 0x800) {
    put(0xC0 | (point >> 6));
  } else if (point < 0x10000) {
    put(0xE0 | (point >> 12));
    put(0x80 | ((point >> 6) & 0x3F));
  } else {
    put(0xF0 | (point >> 18));
    put(0x80 | ((point >> 12) & 0x3F));
    put(0x80 | ((point >> 6) & 0x3F));
  }
  put(0x80 | (point & 0x3F));
}

/// Turns UTF-16 behind its byte order mark into UTF-8; a lone surrogate becomes U+FFFD.
std::string from_utf16(std::string_view bytes, bool big_endian) {
  const auto unit = [&](size_t i) {
    const auto a = static_cast<unsigned char>(bytes[i]), b = static_cast<unsigned char>(bytes[i + 1]);
    return static_cast<uint32_t>(big_endian ? a << 8 | b : b << 8 | a);
  };
  std::string text;
  for (size_t i = 2; i + 1 < bytes.size(); i += 2) {
    uint32_t point = unit(i);
    if (point >= 0xD800 && point <= 0xDBFF && i + 3 < bytes.size() && (unit(i + 2) & 0xFC00) == 0xDC00) {
      point = 0x10000 + ((point - 0xD800) << 10) + (unit(i + 2) - 0xDC00);
      i += 2;
    } else if (point >= 0xD800 && point <= 0xDFFF) {
      point = 0xFFFD;
    }
    append_utf8(text, point);
  }
  return text;
}

/// Returns the minutes that a zone is east of UTC, or nullopt: "Z", "+05:00", "-0730".
std::optional<int> zone_minutes(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  std::string digits;
  for (const char c : text.substr(text.empty() ? 0 : 1)) {
    if (c != ':') digits += c;
  }
  if (text.empty() || (text[0] != '+' && text[0] != '-') || digits.size() != 4 ||
      digits.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  const int minutes = std::stoi(digits.substr(0, 2)) * 60 + std::stoi(digits.substr(2));
  return text[0] == '-' ? -minutes : minutes;
}

/// Whether every comma parts thousands: what "41,26" means depends on who wrote it.
bool parts_thousands(std::string_view digits) {
  const size_t point = std::min(digits.find('.'), digits.size());
  if (digits.find(',', point) != std::string_view::npos) return false;
  for (size_t at = digits.find(','); at != std::string_view::npos; at = digits.find(',', at + 1)) {
    const size_t next = std::min(digits.find(',', at + 1), point);
    if (at == 0 || next - at != 4) return false;
  }
  return true;
}

/// Returns the length of a terminal's control sequence (ECMA-48: ESC [ … final byte) at an offset, or 0.
size_t control_sequence(std::string_view text, size_t at) {
  if (text.substr(at, 2) != "\x1B[") return 0;
  size_t end = at + 2;
  while (end < text.size() && text[end] >= 0x20 && text[end] <= 0x3F) ++end;
  return end < text.size() && text[end] >= 0x40 && text[end] <= 0x7E ? end + 1 - at : 0;
}

/// Returns the length of a blank that is no ASCII at an offset, or 0: spreadsheets and web pages put those
/// that do not break (U+00A0, U+202F) or are narrow (U+2007, U+2009) between digits.
size_t wide_blank(std::string_view text, size_t at) {
  if (text.substr(at, 2) == "\xC2\xA0") return 2;
  for (const char* blank : {"\xE2\x80\x87", "\xE2\x80\x89", "\xE2\x80\xAF"})
    if (text.substr(at, 3) == blank) return 3;
  return 0;
}

/// Returns the length of what quotes a line in a mail or an issue, at its beginning: "> ", "> > ", ">>". No
/// line of any format that is read begins so.
size_t quote_marks(std::string_view text, size_t at) {
  size_t end = at;
  for (size_t i = at; i < text.size() && (text[i] == '>' || text[i] == ' '); ++i) {
    if (text[i] == '>') end = i + 1;
  }
  return end == at ? 0 : end - at;
}

std::string one_line(std::string_view text, size_t characters) {
  std::string label;
  bool space = false;
  for (size_t i = 0; i < text.size() && characters > 0;) {
    const size_t length = utf8_length(text.substr(i));
    const auto first = static_cast<unsigned char>(text[i]);
    if (length == 0 || first < 0x20 || first == 0x7F || is_space(text[i])) {
      space = space || (length == 1 && is_space(text[i]));
      ++i;
      continue;
    }
    if (space && !label.empty()) {
      if (characters == 1) break;  // no room for the character behind it
      label += ' ';
      --characters;
    }
    space = false;
    label += text.substr(i, length);
    i += length;
    --characters;
  }
  return label;
}

}  // namespace

int64_t line_of(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, offset);
  return 1 + std::count(before.begin(), before.end(), '\n');
}

int64_t LineCounter::line_of(size_t offset) {
  if (offset < counted_) return harness::line_of(text_, offset);
  const std::string_view part = text_.substr(counted_, offset - counted_);
  line_ += std::count(part.begin(), part.end(), '\n');
  counted_ = offset;
  return line_;
}

Error import_error(const std::string& name, std::string_view text, size_t offset, const std::string& what) {
  return {ExitCode::invalid_input, fmt::format("{}: line {}, byte {}: {}", one_line(name, 300),
                                               line_of(text, offset), offset + 1, what)};
}

std::string import_label(std::string_view text, size_t characters) {
  return one_line(without_folders(text), characters);
}

std::string import_file_name(std::string_view path) {
  return one_line(path.substr(path.find_last_of("/\\") + 1), 128);
}

std::optional<double> import_number(std::string_view text) {
  std::string digits;
  if (!parts_thousands(trimmed(text))) return std::nullopt;
  for (const char c : trimmed(text)) {
    if (c != ',') digits += c;
  }
  double value = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || fault != std::errc() || end != digits.data() + digits.size() ||
      !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

Reading<std::string> import_time(std::string_view text) {
  const std::string time(trimmed(text.substr(0, 64)));
  std::array<int, 6> field{};
  int used = 0;
  if (std::sscanf(time.c_str(), "%4d%*1[-/]%2d%*1[-/]%2d%*1[-T ]%2d:%2d:%2d%n", &field[0], &field[1],
                  &field[2], &field[3], &field[4], &field[5], &used) != 6 ||
      used == 0) {
    return Unavailable{"no time that can be read"};
  }
  size_t at = static_cast<size_t>(used);
  if (at < time.size() && time[at] == '.')
    at = std::min(time.find_first_not_of("0123456789", at + 1), time.size());
  const std::optional<int> zone = zone_minutes(std::string_view(time).substr(at));
  if (!zone) return Unavailable{"the time has no zone"};
  using namespace std::chrono;
  const year_month_day day{year{field[0]}, month{static_cast<unsigned>(field[1])},
                           std::chrono::day{static_cast<unsigned>(field[2])}};
  if (!day.ok() || field[3] > 23 || field[4] > 59 || field[5] > 59 || field[0] < 1970)
    return Unavailable{"no time that can be read"};
  const sys_seconds when = sys_days{day} + hours{field[3]} + minutes{field[4] - *zone} + seconds{field[5]};
  const year_month_day date{floor<days>(when)};
  if (static_cast<int>(date.year()) > 9999) return Unavailable{"no time that can be read"};
  const hh_mm_ss clock{when - floor<days>(when)};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::string import_text(const std::string& bytes, const std::string& name) {
  if (bytes.size() > max_import_bytes) {
    throw Error(ExitCode::invalid_input, fmt::format("{}: byte {}: longer than {} MiB; split it", name,
                                                     max_import_bytes + 1, max_import_bytes >> 20));
  }
  std::string decoded = bytes;
  if (bytes.starts_with("\xEF\xBB\xBF")) decoded = bytes.substr(3);
  if (bytes.starts_with("\xFF\xFE")) decoded = from_utf16(bytes, false);
  if (bytes.starts_with("\xFE\xFF")) decoded = from_utf16(bytes, true);
  std::string text;
  for (size_t i = 0; i < decoded.size();) {
    if (text.empty() || text.back() == '\n') i += quote_marks(decoded, i);
    if (i == decoded.size()) break;
    const size_t length = utf8_length(std::string_view(decoded).substr(i, 4));
    if (length == 0)
      throw import_error(name, decoded, i, "is not UTF-8; save the file as UTF-8 text, unpacked");
    if (const size_t colour = control_sequence(decoded, i); colour > 0) {
      i += colour;
    } else if (const size_t blank = wide_blank(decoded, i); blank > 0) {
      text += ' ';
      i += blank;
    } else {
      if (decoded[i] != '\r') {
        text.append(decoded, i, length);
      } else if (i + 1 == decoded.size() || decoded[i + 1] != '\n') {
        text += '\n';
      }
      i += length;
    }
  }
  return text;
}

}  // namespace harness
