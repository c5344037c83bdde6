#include "harness/cli/terminal.hpp"

#include <fmt/format.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "harness/clock.hpp"

namespace cli {
namespace {

int read_columns() {
  if (const char* wanted = std::getenv("COLUMNS")) {
    const int columns = std::atoi(wanted);
    if (columns > 20) return columns;
  }
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20) return size.ws_col;
  return 80;
}

std::string pad(const std::string& text, size_t width, bool left) {
  const std::string space(width - std::min(width, display_width(text)), ' ');
  return left ? text + space : space + text;
}

}  // namespace

Terminal read_terminal() {
  std::setlocale(LC_CTYPE, "");
  const char* term = std::getenv("TERM");
  const char* no_colour = std::getenv("NO_COLOR");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  Terminal terminal;
  terminal.colour_out = isatty(STDOUT_FILENO) != 0 && !dumb && (no_colour == nullptr || *no_colour == '\0');
  terminal.progress = isatty(STDERR_FILENO) != 0 && !dumb;
  terminal.utf8 = std::string_view(nl_langinfo(CODESET)) == "UTF-8";
  terminal.columns = read_columns();
  return terminal;
}

std::string paint(const Terminal& terminal, Colour colour, const std::string& text) {
  if (!terminal.colour_out || colour == Colour::plain) return text;
  const char* code = colour == Colour::green    ? "32"
                     : colour == Colour::yellow ? "33"
                     : colour == Colour::red    ? "31"
                     : colour == Colour::bold   ? "1"
                                                : "2";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string mark_good(const Terminal& terminal) {
  return paint(terminal, Colour::green, terminal.utf8 ? "✔" : "ok");
}
std::string mark_warning(const Terminal& terminal) {
  return paint(terminal, Colour::yellow, "!");
}
std::string mark_bad(const Terminal& terminal) {
  return paint(terminal, Colour::red, terminal.utf8 ? "✘" : "x");
}

size_t display_width(const std::string& text) {
  size_t width = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      while (i < text.size() && text[i] != 'm') ++i;
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
      ++width;
    }
  }
  return width;
}

std::string to_text(const Terminal& terminal, const Table& table) {
  std::vector<size_t> widths(table.header.size());
  for (size_t c = 0; c < widths.size(); ++c) {
    widths[c] = display_width(table.header[c]);
    for (const auto& row : table.rows)
      widths[c] = std::max(widths[c], c < row.size() ? display_width(row[c]) : 0);
  }
  const auto line_of = [&](const std::vector<std::string>& cells, Colour colour) {
    std::string line;
    for (size_t c = 0; c < cells.size(); ++c) {
      const bool left =
          std::find(table.left_columns.begin(), table.left_columns.end(), c) != table.left_columns.end();
      line += (c == 0 ? "" : "  ") + paint(terminal, colour, pad(cells[c], widths[c], left));
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line + "\n";
  };
  std::string text = line_of(table.header, Colour::bold);
  for (const auto& row : table.rows) text += line_of(row, Colour::plain);
  return text;
}

std::string bar(const Terminal& terminal, double fraction, int width) {
  const int full = static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * width));
  std::string text;
  for (int i = 0; i < width; ++i)
    text += i < full ? (terminal.utf8 ? "█" : "#") : (terminal.utf8 ? "·" : ".");
  return text;
}

std::string format_bytes(double bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < std::size(units)) {
    bytes /= 1024;
    ++unit;
  }
  if (bytes == std::floor(bytes) && bytes < 1024) return fmt::format("{:.0f} {}", bytes, units[unit]);
  return fmt::format("{:.{}f} {}", bytes, bytes < 10 ? 2 : 1, units[unit]);
}

std::string format_rate(double bytes_per_s) {
  const double gigabytes = bytes_per_s / 1e9;
  return fmt::format("{:.{}f} GB/s", gigabytes, gigabytes < 10 ? 2 : gigabytes < 100 ? 1 : 0);
}

std::string format_count(double count) {
  std::string digits = fmt::format("{:.0f}", std::abs(count));
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3) digits.insert(static_cast<size_t>(i), ",");
  return (count < 0 ? "-" : "") + digits;
}

std::string format_seconds(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  return fmt::format("{:.0f} min {:02.0f} s", std::floor(seconds / 60), std::floor(std::fmod(seconds, 60)));
}

Progress::Progress(const Terminal& terminal, double estimated_seconds)
    : terminal_(terminal),
      estimated_seconds_(estimated_seconds),
      start_ns_(harness::steady_clock().now_ns()) {}

Progress::~Progress() {
  clear();
}

void Progress::show(const std::string& stage, double fraction) {
  if (!terminal_.progress) return;
  const int64_t now = harness::steady_clock().now_ns();
  if (shown_ns_ != 0 && now - shown_ns_ < 100'000'000) return;
  shown_ns_ = now;
  const double elapsed = static_cast<double>(now - start_ns_) * 1e-9;
  const double left = fraction > 0.1 ? elapsed * (1 - fraction) / fraction : estimated_seconds_ - elapsed;
  const std::string line = fmt::format("{} {:3.0f} %  {} left  {}", bar(terminal_, fraction, 20),
                                       fraction * 100, format_seconds(std::max(0.0, left)), stage);
  print_aside("\r\x1b[2K" + line);
}

void Progress::clear() {
  if (shown_ns_ == 0) return;
  print_aside("\r\x1b[2K");
  shown_ns_ = 0;
}

void print_aside(const std::string& text) {
  // fmt::print would throw where stderr is closed or full.
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

void note(const std::string& text) {
  print_aside(fmt::format("tokroof: {}\n", text));
}

}  // namespace cli
