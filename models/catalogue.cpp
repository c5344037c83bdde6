#include "models/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include "harness/error.hpp"
#include "harness/nearest_name.hpp"
#include "harness/store.hpp"
#include "harness/user_file.hpp"
#include "models/coreflow_family.hpp"
#include "models/model_description.hpp"

namespace models {
namespace {

using harness::Error;
using harness::ExitCode;

/// A name becomes part of a path only when it cannot lead anywhere else.
bool is_plain(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// Returns "" when there is no home: then there are no models of the user's either.
std::string user_folder() {
  try {
    return harness::tokroof_home() + "/models";
  } catch (const Error&) {
    return "";
  }
}

std::optional<Shape> read_user_shape(std::string_view name) {
  const std::string folder = user_folder();
  if (folder.empty() || !is_plain(name)) return std::nullopt;
  const std::string path = fmt::format("{}/{}.json", folder, name);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  return parse_model(harness::read_user_file(path, harness::max_document_bytes), path);
}

/// Keeps what names have made, so that a reference to it stays good.
const Shape& keep(const Shape& shape) {
  static std::mutex mutex;
  static std::map<std::string, Shape, std::less<>> kept;
  const std::lock_guard<std::mutex> lock(mutex);
  // A description that the user changed meanwhile is another shape; references to the old one stay good.
  std::string key = shape.name;
  for (auto found = kept.find(key); found != kept.end() && found->second != shape; found = kept.find(key))
    key += "'";
  return kept.try_emplace(key, shape).first->second;
}

[[noreturn]] void refuse_name(std::string_view name) {
  std::vector<std::string> known;
  for (const Shape& shape : shapes()) known.push_back(shape.name);
  std::error_code error;
  const std::string folder = user_folder();
  if (!folder.empty()) {
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
      known.push_back(model_name_of(entry.path().string()));
  }
  std::vector<std::string_view> names(known.begin(), known.end());
  throw Error(ExitCode::usage, fmt::format("no model '{}'{}; `tokroof models` lists them", name,
                                           harness::did_you_mean(name, names)));
}

}  // namespace

std::span<const Shape> shapes() {
  static const std::vector<Shape> all = [] {
    std::vector<Shape> made;
    for (const std::string_view name : catalogue_names())
      made.push_back(parse_model(catalogue_text(name), fmt::format("models/catalogue/{}.json", name)));
    return made;
  }();
  return all;
}

const Shape* known_shape(std::string_view name) {
  for (const Shape& shape : shapes()) {
    if (shape.name == name) return &shape;
  }
  if (!is_family_name(name)) return nullptr;
  try {
    return &keep(make_family_shape(name).value());
  } catch (const Error&) {
    return nullptr;  // of a size that the family does not have
  }
}

const Shape& find_shape(std::string_view name) {
  for (const Shape& shape : shapes()) {
    if (shape.name == name) return shape;
  }
  if (auto made = make_family_shape(name)) return keep(*made);
  if (auto users = read_user_shape(name)) return keep(*users);
  refuse_name(name);
}

std::vector<Shape> user_shapes() {
  std::vector<Shape> made;
  std::error_code error;
  const std::string folder = user_folder();
  if (folder.empty()) return made;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string path = entry.path().string();
    if (path.ends_with(".json"))
      made.push_back(parse_model(harness::read_user_file(path, harness::max_document_bytes), path));
  }
  std::sort(made.begin(), made.end(), [](const Shape& a, const Shape& b) { return a.name < b.name; });
  return made;
}

Shape read_model_file(const std::string& file) {
  return parse_model(harness::read_user_file(file, harness::max_document_bytes), file);
}

AddedModel add_user_model(const std::string& file) {
  const std::string text = harness::read_user_file(file, harness::max_document_bytes);
  const Shape shape = parse_model(text, file);
  const std::string path = fmt::format("{}/models/{}.json", harness::tokroof_home(), shape.name);
  const Shape* built_in = known_shape(shape.name);
  const std::optional<Shape> users = built_in == nullptr ? read_user_shape(shape.name) : std::nullopt;
  if (built_in == nullptr && !users) {
    harness::write_file_atomically(path, text);
    return {shape.name, path, false};
  }
  if (shape != (built_in != nullptr ? *built_in : *users)) {
    throw Error(ExitCode::invalid_input,
                fmt::format("{}: /name: {} is another model already ({}); give this one another name", file,
                            shape.name, built_in != nullptr ? "built in" : path));
  }
  return {shape.name, built_in != nullptr ? "" : path, true};
}

}  // namespace models
