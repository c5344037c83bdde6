#include "harness/environment_files.hpp"

#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace harness {

std::optional<std::string> read_text_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  if (!file || !(text << file.rdbuf())) return std::nullopt;  // an empty file counts as none
  return text.str();
}

std::optional<std::string> read_first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) line.pop_back();
  if (line.empty()) return std::nullopt;
  return line;
}

std::optional<double> number_after(const std::string& text, const std::string& key) {
  for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
    if (at > 0 && std::isspace(static_cast<unsigned char>(text[at - 1])) == 0) continue;
    const char* start = text.c_str() + at + key.size();
    char* end = nullptr;
    const double value = std::strtod(start, &end);
    if (end != start) return value;
  }
  return std::nullopt;
}

bool path_exists(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

}  // namespace harness
