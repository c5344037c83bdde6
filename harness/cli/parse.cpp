#include "harness/cli/parse.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "harness/error.hpp"

namespace cli {
namespace {

using harness::Error;
using harness::ExitCode;

struct Unit {
  std::string_view name;
  double bytes;
};
constexpr std::array<Unit, 8> units = {{{"", 1},
                                        {"B", 1},
                                        {"KiB", 1024},
                                        {"MiB", 1048576},
                                        {"GiB", 1073741824},
                                        {"kB", 1e3},
                                        {"MB", 1e6},
                                        {"GB", 1e9}}};
constexpr double largest_size_bytes = 1e15;

/// Reads a number and what follows it; nullopt when the text does not begin with a positive finite number.
std::optional<std::pair<double, std::string_view>> number_and_unit(const std::string& text) {
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || !std::isfinite(number) || number <= 0) return std::nullopt;
  std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  return std::make_pair(number, unit);
}

/// Returns the bytes that a unit of size stands for; 0 for an unknown one.
double unit_bytes(std::string_view name) {
  for (const Unit& known : units) {
    if (known.name == name && !name.empty()) return known.bytes;
  }
  return 0;
}

}  // namespace

int64_t parse_bytes(const std::string& text, const std::string& what) {
  const auto read = number_and_unit(text);
  const double bytes = read ? read->first * unit_bytes(read->second) : 0;
  if (bytes < 1 || bytes > largest_size_bytes) {
    throw Error(
        ExitCode::usage,
        fmt::format("{} '{}': want a size with its unit, e.g. 19.8MB, 512KiB (kB is 1000 bytes, KiB 1024)",
                    what, text));
  }
  return std::llround(bytes);
}

double parse_rate(const std::string& text, const std::string& what) {
  const auto read = number_and_unit(text);
  double rate = 0;
  if (read && read->second.ends_with("/s"))
    rate = read->first * unit_bytes(read->second.substr(0, read->second.size() - 2));
  if (rate < 1 || rate > largest_size_bytes)
    throw Error(ExitCode::usage, fmt::format("{} '{}': want a rate with its unit, e.g. 60GB/s", what, text));
  return rate;
}

double parse_frequency(const std::string& text, const std::string& what) {
  const auto read = number_and_unit(text);
  double hz = 0;
  if (read && read->second == "GHz") hz = read->first * 1e9;
  if (read && read->second == "MHz") hz = read->first * 1e6;
  if (hz < 1e7 || hz > 1e11)
    throw Error(ExitCode::usage,
                fmt::format("{} '{}': want a frequency with its unit, e.g. 4.2GHz", what, text));
  return hz;
}

int64_t parse_size(const std::string& text) {
  const std::string advice =
      fmt::format("size '{}': want a number with a unit, e.g. 16KiB, 1.5MiB, 20MB, from 512B up", text);
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc()) throw Error(ExitCode::usage, advice);
  std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const Unit& known : units) {
    if (unit != known.name) continue;
    const double bytes = number * known.bytes;
    if (!(bytes >= 512) || bytes > largest_size_bytes) break;
    return static_cast<int64_t>(bytes) / 512 * 512;
  }
  throw Error(ExitCode::usage, advice);
}

int64_t parse_duration_ns(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, double>, 3> known{
      {{"ms", 1e6}, {"s", 1e9}, {"min", 60e9}}};
  constexpr double least_ns = 1e8, most_ns = 86'400e9;
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  for (const auto& [name, ns] : known) {
    if (failure == std::errc() && unit == name && number * ns >= least_ns && number * ns <= most_ns)
      return static_cast<int64_t>(number * ns);
  }
  throw Error(ExitCode::usage,
              fmt::format("time '{}': want a number with a unit from 100ms up, e.g. 10s, 1.5min", text));
}

double parse_percent(const std::string& text, const std::string& what) {
  constexpr double most = 50;
  const auto read = number_and_unit(text);
  if (!read || read->second != "%" || read->first >= most)
    throw Error(ExitCode::usage,
                fmt::format("{} '{}': want a share above 0% and below 50%, e.g. 3%", what, text));
  return read->first / 100;
}

std::pair<int, int> parse_positions(const std::string& text) {
  const Error wrong(
      ExitCode::usage,
      fmt::format("positions '{}': want FIRST:LAST, both inclusive, 0 <= FIRST <= LAST, e.g. 65:1023", text));
  const char* end = text.data() + text.size();
  int first = 0, last = 0;
  const auto left = std::from_chars(text.data(), end, first);
  if (left.ec != std::errc() || left.ptr == end || *left.ptr != ':') throw wrong;
  const auto right = std::from_chars(left.ptr + 1, end, last);
  if (right.ec != std::errc() || right.ptr != end || first < 0 || last < first) throw wrong;
  return {first, last};
}

}  // namespace cli
