#include "harness/cli/parse.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
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

}  // namespace

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
