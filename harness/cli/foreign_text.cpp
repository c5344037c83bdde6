#include "harness/cli/foreign_text.hpp"

#include <algorithm>

namespace cli {
namespace {

/// Returns the length of what is not shown as itself at an offset, or 0: controls, and what turns the
/// direction of the text around it or takes no room (Unicode 15: the bidirectional controls of UAX #9 and
/// zero widths).
size_t hidden(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  if (byte(0) < 0x20 || byte(0) == 0x7F) return 1;
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) return 2;  // C1, which some terminals obey
  if (byte(0) == 0xD8 && byte(1) == 0x9C) return 2;                    // U+061C
  const unsigned last = byte(2);
  const bool general = byte(0) == 0xE2 && byte(1) == 0x80 &&
                       ((last >= 0x8B && last <= 0x8F) || (last >= 0xA8 && last <= 0xAE));
  const bool isolates = byte(0) == 0xE2 && byte(1) == 0x81 && last >= 0xA0 && last <= 0xAF;
  const bool mark = byte(0) == 0xEF && byte(1) == 0xBB && last == 0xBF;
  return general || isolates || mark ? 3 : 0;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  for (size_t i = 0; i < text.size();) {
    const size_t length = hidden(text, i);
    line += length > 0 ? '?' : text[i];
    i += std::max<size_t>(length, 1);
  }
  return line;
}

}  // namespace cli
