#include "harness/nearest_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace harness {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same(char a, char b) {
  return lower(a) == lower(b);
}

size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows i-2, i-1 and i of the usual table; the oldest is needed for swaps only.
  std::vector<size_t> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t substitute = previous[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({substitute, previous[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, previous);
    std::swap(previous, row);
  }
  return previous[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view wanted, std::span<const std::string_view> names) {
  // A user's word may be a pasted megabyte; the table is quadratic.
  constexpr size_t longest_word = 100;
  std::string_view nearest;
  if (wanted.empty() || wanted.size() > longest_word) return "";
  size_t nearest_distance = wanted.size() + longest_word;
  for (std::string_view name : names) {
    size_t distance = edit_distance(wanted, name);
    if (2 * distance < std::max(wanted.size(), name.size()) && distance < nearest_distance) {
      nearest = name;
      nearest_distance = distance;
    }
  }
  return std::string(nearest);
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string_view> names) {
  std::string nearest = nearest_name(wanted, names);
  return nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest);
}

}  // namespace harness
