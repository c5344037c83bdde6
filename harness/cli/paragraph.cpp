#include "harness/cli/paragraph.hpp"

#include <algorithm>
#include <sstream>

namespace cli {

std::string paragraph(const Terminal& terminal, const std::string& label, const std::string& text) {
  constexpr size_t label_width = 14, least_width = 20;
  const size_t room = std::max(least_width, static_cast<size_t>(std::max(terminal.columns, 0)) -
                                                std::min<size_t>(label_width, std::max(terminal.columns, 0)));
  std::string made = label;
  if (!label.empty()) made += ' ';
  while (display_width(made) < label_width) made += ' ';
  const size_t indent = display_width(made) > label_width ? label_width : display_width(made);
  size_t used = display_width(made) - indent;
  bool first = true;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const size_t width = display_width(word);
    if (!first && used + 1 + width > room) {
      made += '\n' + std::string(indent, ' ');
      used = 0;
      first = true;
    }
    made += (first ? "" : " ") + word;
    used += width + (first ? 0 : 1);
    first = false;
  }
  return made + "\n";
}

}  // namespace cli
