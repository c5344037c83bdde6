#include "harness/disturbed_bits.hpp"

#include <array>
#include <utility>

namespace harness {
namespace {

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr int bits_per_digit = 6;

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> letters{{{"c", "clock_drift"},
                                                                                {"w", "cpu_wall"},
                                                                                {"i", "involuntary_switch"},
                                                                                {"f", "major_fault"},
                                                                                {"m", "minor_fault"},
                                                                                {"s", "steal"}}};

}  // namespace

std::string to_bitmap(const std::vector<int>& indices) {
  std::string text;
  int last = -1;
  for (const int index : indices) {
    if (index <= last || index >= max_bitmap_samples) return "";
    last = index;
    text.resize(static_cast<size_t>(index / bits_per_digit) + 1, '\0');
    text.back() = static_cast<char>(text.back() | 1 << (bits_per_digit - 1 - index % bits_per_digit));
  }
  for (char& digit : text) digit = digits[static_cast<unsigned char>(digit)];
  return text;
}

std::optional<std::vector<int>> from_bitmap(std::string_view bitmap) {
  if (bitmap.empty() || bitmap.back() == digits.front()) return std::nullopt;
  std::vector<int> indices;
  int first = 0;
  for (const char digit : bitmap) {
    const size_t value = digits.find(digit);
    if (value == std::string_view::npos) return std::nullopt;
    for (int bit = 0; bit < bits_per_digit; ++bit)
      if ((value >> (bits_per_digit - 1 - bit) & 1) != 0) indices.push_back(first + bit);
    first += bits_per_digit;
  }
  return indices;
}

std::string_view letter_of_reason(std::string_view reason) {
  for (const auto& [letter, name] : letters)
    if (name == reason) return letter;
  return {};
}

std::string_view reason_of_letter(std::string_view letter) {
  for (const auto& [each, name] : letters)
    if (each == letter) return name;
  return {};
}

}  // namespace harness
