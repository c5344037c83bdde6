#include "harness/cli/foreign_text.hpp"

namespace cli {

std::string one_line(std::string_view text) {
  std::string line;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // C1 controls are C2 80 … C2 9F in UTF-8.
    const bool second = byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (second) ++i;
    line += second || byte < 0x20 || byte == 0x7F ? '?' : text[i];
  }
  return line;
}

}  // namespace cli
