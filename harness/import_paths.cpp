// Paths in what other programs print: their folders may name a person.
#include <algorithm>
#include <array>
#include <cctype>

#include "harness/import_rows.hpp"

namespace harness {
namespace {

bool is_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool is_slash(char c) {
  return c == '/' || c == '\\';
}

/// What a benchmark's name may hold between slashes behind its arguments: "8", "threads:1", "real_time".
bool is_argument(std::string_view part) {
  const size_t colon = part.find(':');
  const std::string_view number = colon == std::string_view::npos ? part : part.substr(colon + 1);
  if (part == "real_time" || part == "process_time" || part == "manual_time") return true;
  return !number.empty() && number.find_first_not_of("0123456789.-") == std::string_view::npos;
}

bool is_weights_file(std::string_view path) {
  static constexpr std::array<std::string_view, 7> endings{".gguf", ".bin",  ".safetensors", ".i8",
                                                           ".pt",   ".onnx", ".ggml"};
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

/// Returns whether a part names a folder in which people keep their files.
bool is_top_folder(std::string_view part) {
  static constexpr std::array<std::string_view, 16> tops{
      "home", "Users",   "root", "mnt",  "media",   "srv",     "opt",       "tmp",
      "var",  "private", "data", "work", "scratch", "Volumes", "workspace", "nfs"};
  return std::find(tops.begin(), tops.end(), part) != tops.end();
}

/// Returns where a path begins in a word, npos where none does.
size_t path_in(std::string_view word) {
  for (size_t at = 0; at < word.size(); ++at) {
    const char before = at == 0 ? '\0' : word[at - 1];
    const std::string_view rest = word.substr(at);
    const bool named = rest.size() > 1 && !is_slash(rest[1]) && rest[1] != ' ';
    if (is_slash(word[at]) && named && !is_alnum(before) && before != '_' && before != ')' && before != '>') {
      return at;
    }
    if (rest.size() > 2 && rest[1] == ':' && is_slash(rest[2]) && std::isalpha(rest[0]) != 0 &&
        !is_alnum(before))
      return at;
    if (is_slash(word[at]) && is_top_folder(rest.substr(1, rest.find_first_of("/\\", 1) - 1)) &&
        rest.find_first_of("/\\", 1) != std::string_view::npos)
      return at;
  }
  return is_weights_file(word) && word.find_first_of("/\\") != std::string_view::npos
             ? 0
             : std::string_view::npos;
}

/// Returns a path's last part that is a name, with the arguments behind it.
std::string_view last_parts(std::string_view path) {
  size_t begin = path.size();
  while (begin > 0) {
    const size_t end = begin;
    const size_t slash = path.find_last_of("/\\", end - 1);
    const size_t from = slash == std::string_view::npos ? 0 : slash + 1;
    if (from < end && !is_argument(path.substr(from, end - from))) return path.substr(from);
    if (slash == std::string_view::npos || slash == 0) return path.substr(from);
    begin = slash;
  }
  return path;
}

std::string without_folders_of_word(std::string_view word) {
  const size_t begin = path_in(word);
  if (begin == std::string_view::npos) return std::string(word);
  std::string kept(word.substr(0, begin));
  while (!kept.empty() && (kept.back() == '~' || kept.back() == '.' || is_slash(kept.back())))
    kept.pop_back();
  if (!kept.empty() && is_alnum(kept.back())) kept += '/';
  return kept + std::string(last_parts(word.substr(begin)));
}

}  // namespace

std::string without_folders(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n\r\"'`");
  if (first == std::string_view::npos) return std::string(text);
  // A text that is a path as a whole may hold blanks.
  const std::string_view all = text.substr(first);
  const size_t home = all[0] == '~' ? std::min(all.find('/'), all.find(' ')) : std::string_view::npos;
  if (path_in(all.substr(0, 4)) == 0 || all.starts_with("./") || all.starts_with("../") ||
      (home != std::string_view::npos && all[home] == '/'))
    return std::string(text.substr(0, first)) + std::string(last_parts(all));
  std::string kept;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(" \t\n\r", at), text.size());
    kept += without_folders_of_word(text.substr(at, end - at));
    if (end < text.size()) kept += text[end];
    at = end + 1;
  }
  return kept;
}

}  // namespace harness
