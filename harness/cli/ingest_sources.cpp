#include "harness/cli/ingest_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/cli/foreign_text.hpp"
#include "harness/error.hpp"
#include "harness/scrub.hpp"
#include "harness/store.hpp"
#include "harness/user_file.hpp"

namespace cli {

namespace fs = std::filesystem;
using harness::Error;
using harness::ExitCode;

namespace {

constexpr size_t max_origin_bytes = 4096;

/// Adds the .json files of a folder and the folders in it. What cannot be listed stands among the files: it
/// is refused there by name, and keeps nothing else out.
void list_folder(const std::string& folder, std::vector<std::string>& files,
                 std::vector<std::string>& folders) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    std::error_code unknown;
    const std::string path = entries->path().string();
    if (!entries->is_symlink(unknown) && entries->is_directory(unknown)) {
      folders.push_back(path);
    } else if (entries->path().extension() == ".json" && (entries->is_regular_file(unknown) || unknown)) {
      files.push_back(path);
    }
  }
  if (error) files.push_back(folder);
}

}  // namespace

std::string shown(const std::string& text) {
  return one_line(harness::printable(text));
}

std::string author_of(const Source& source) {
  if (!source.author.empty() || source.is_issue) return source.author;
  const std::string path = fs::path(source.path).replace_extension(".origin").string();
  if (path == source.path) return "";
  const auto text = harness::read_user_file_if_there(path, max_origin_bytes);
  if (!text) return "";
  const auto origin = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  const bool told = origin.is_object() && origin.contains("author") && origin["author"].is_string();
  const bool numbered = told && origin.contains("id");
  if (!told || (numbered && !origin["id"].is_number_unsigned()))
    throw Error(ExitCode::invalid_input,
                shown(path) + ": does not tell the \"author\" (and \"id\"); put it right or remove it");
  try {
    const auto login = origin["author"].get<std::string>();
    return harness::attested_name(
        numbered ? fmt::format("{}#{}", login, origin["id"].get<uint64_t>()) : login, shown(path));
  } catch (const Error& error) {
    throw Error(ExitCode::invalid_input, error.what());
  }
}

std::vector<std::string> files_of(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    std::error_code unknown;  // reading it will say why
    if (!fs::is_directory(name, unknown)) {
      files.push_back(name);
      continue;
    }
    std::vector<std::string> below, folders{name};
    while (!folders.empty()) {
      const std::string folder = std::move(folders.back());
      folders.pop_back();
      list_folder(folder, below, folders);
    }
    if (below.empty())
      throw Error(ExitCode::invalid_input, shown(name) + ": holds no .json file; name another folder");
    std::sort(below.begin(), below.end());
    files.insert(files.end(), below.begin(), below.end());
  }
  return files;
}

}  // namespace cli
