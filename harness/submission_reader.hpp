// Reads structs back from JSON objects: the other direction of submission_writer.hpp.
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "harness/error.hpp"

namespace harness {

/// Reads members of one JSON object. Throws Error(invalid_input) that names the path of what is missing or
/// wrong.
class JsonReader {
 public:
  static constexpr bool writing = false;
  JsonReader(const nlohmann::json& object, std::string path) : object_(object), path_(std::move(path)) {
    if (!object.is_object()) refuse(path_, "an object");
  }
  template <class T>
  void operator()(const char* key, T& value) const {
    const auto member = object_.find(key);
    if (member == object_.end()) refuse(path_ + "/" + key, "a value");
    from_json(path_ + "/" + key, *member, value);
  }
  template <class T>
  void optional(const char* key, T& value) const {
    if (object_.contains(key)) (*this)(key, value);
  }
  /// Reads a member that may be left out: the value then stays as it is.
  template <class T>
  void defaulted(const char* key, T& value) const {
    optional(key, value);
  }
  /// Reads a text that is left out when it is the usual one.
  void unless(const char* key, std::string& value, const char* usual) const {
    value = usual;
    optional(key, value);
  }
  /// Reads a count that is left out when it is the usual one.
  void unless(const char* key, int& value, int usual) const {
    value = usual;
    optional(key, value);
  }
  /// Reads a count that is left out when it is 0.
  void unless_zero(const char* key, int64_t& value) const {
    value = 0;
    optional(key, value);
  }
  [[nodiscard]] bool has(const char* key) const { return object_.contains(key); }
  /// Returns a member that is there.
  [[nodiscard]] const nlohmann::json& json(const char* key) const { return object_.at(key); }
  /// Returns a reader of the object at a place of a list, which is there.
  [[nodiscard]] JsonReader at(const char* list, size_t item) const {
    return {object_.at(list).at(item), fmt::format("{}/{}/{}", path_, list, item)};
  }
  [[nodiscard]] std::string place(const char* key) const { return path_ + "/" + key; }

  template <class T>
  static void from_json(const std::string& path, const nlohmann::json& json, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      if (!json.is_boolean()) refuse(path, "true or false");
      value = json.get<bool>();
    } else if constexpr (std::is_integral_v<T>) {
      // 2.0 is the integer 2 (JSON Schema draft-07).
      const bool whole = json.is_number_float() && std::floor(json.get<double>()) == json.get<double>() &&
                         std::abs(json.get<double>()) <= 0x1p53;
      if (!json.is_number_integer() && !whole) refuse(path, "an integer");
      if (!std::in_range<T>(json.get<int64_t>())) refuse(path, "an integer of fewer digits");
      value = static_cast<T>(json.get<int64_t>());
    } else if constexpr (std::is_floating_point_v<T>) {
      if (!json.is_number()) refuse(path, "a number");
      value = json.get<T>();
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!json.is_string()) refuse(path, "a string");
      value = json.get<std::string>();
    } else {
      compound(path, json, value);
    }
  }
  [[noreturn]] static void refuse(const std::string& path, const char* expected) {
    throw Error(ExitCode::invalid_input, fmt::format("{}: expected {}", path.empty() ? "/" : path, expected));
  }

 private:
  /// Appends an integer that is one, without the name of its place, which costs more than the rest.
  template <class T>
  static bool plainly(const nlohmann::json& json, std::vector<T>& items) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      if (!json.is_number_integer() || !std::in_range<T>(json.get<int64_t>())) return false;
      items.push_back(static_cast<T>(json.get<int64_t>()));
      return true;
    }
    return false;
  }
  template <class T>
  static void compound(const std::string& path, const nlohmann::json& json, std::optional<T>& value) {
    from_json(path, json, value.emplace());
  }
  template <class T>
  static void compound(const std::string& path, const nlohmann::json& json, std::vector<T>& items) {
    if (!json.is_array()) refuse(path, "a list");
    items.clear();
    items.reserve(json.size());
    for (const auto& element : json) {
      if (plainly(element, items)) continue;
      const std::string place = fmt::format("{}/{}", path, items.size());
      from_json(place, element, items.emplace_back());
    }
  }
  template <class T>
  static void compound(const std::string& path, const nlohmann::json& json, std::map<std::string, T>& items) {
    if (!json.is_object()) refuse(path, "an object");
    items.clear();
    for (const auto& [name, element] : json.items()) {
      from_json(fmt::format("{}/{}", path, name), element, items[name]);
    }
  }
  template <class T>
  static void compound(const std::string& path, const nlohmann::json& json,
                       std::variant<T, Unavailable>& reading) {
    if (json.is_object() && json.contains("unavailable")) {
      from_json(path, json, reading.template emplace<Unavailable>());
    } else {
      from_json(path, json, reading.template emplace<T>());
    }
  }
  /// A parameter. Canonical text does not tell 2.0 from 2: a whole number comes back as an integer.
  static void compound(const std::string& path, const nlohmann::json& json,
                       std::variant<int64_t, double, std::string>& value) {
    if (json.is_string()) return from_json(path, json, value.emplace<std::string>());
    if (json.is_number_integer()) return from_json(path, json, value.emplace<int64_t>());
    from_json(path, json, value.emplace<double>());
  }
  template <class T>
  static void compound(const std::string& path, const nlohmann::json& json, T& value) {
    JsonReader io(json, path);
    fields(io, value);
  }

  const nlohmann::json& object_;
  std::string path_;
};

}  // namespace harness
