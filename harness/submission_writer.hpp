// Writes structs to JSON objects, member by member. A struct is described once by `fields(io, value)`, which
// names its keys; JsonWriter and JsonReader (submission_reader.hpp) are the two directions of it.
#pragma once
#include <fmt/format.h>

#include <charconv>
#include <concepts>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "harness/error.hpp"

namespace harness {

/// T is U or const U: what lets one `fields` serve both directions.
template <class T, class U>
concept Like = std::same_as<std::remove_const_t<T>, U>;

inline constexpr int64_t max_json_integer = int64_t{1}
                                            << 53;  ///< beyond it, doubles skip integers (RFC 7493 2.2)

/// Writes members into one JSON object.
class JsonWriter {
 public:
  static constexpr bool writing = true;
  /// Writes a member that is always there.
  template <class T>
  void operator()(const char* key, const T& value) {
    object_[key] = to_json(key, value);
  }
  /// Writes a member unless it is empty (string, list, map, optional): documents stay small.
  template <class T>
  void optional(const char* key, const T& value) {
    if constexpr (requires { value.has_value(); }) {
      if (value.has_value()) (*this)(key, *value);
    } else {
      if (!value.empty()) (*this)(key, value);
    }
  }
  /// Writes a member that other writers may leave out.
  template <class T>
  void defaulted(const char* key, const T& value) {
    (*this)(key, value);
  }
  /// Writes a text unless it is empty or the usual one.
  void unless(const char* key, const std::string& value, const char* usual) {
    if (!value.empty() && value != usual) (*this)(key, value);
  }
  /// Writes a count unless it is the usual one.
  void unless(const char* key, int value, int usual) {
    if (value != usual) (*this)(key, value);
  }
  /// Writes a count unless it is 0.
  void unless_zero(const char* key, int64_t value) {
    if (value != 0) (*this)(key, value);
  }
  /// Writes a member that is JSON already.
  void json(const char* key, nlohmann::json value) { object_[key] = std::move(value); }
  nlohmann::json take() { return std::move(object_); }

  template <class T>
  static nlohmann::json to_json(const char* key, const T& value) {
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>) {
      return value;
    } else if constexpr (std::is_floating_point_v<T>) {
      return rounded(value);
    } else if constexpr (std::is_integral_v<T>) {
      return checked(key, value);
    } else {
      return compound(key, value);
    }
  }

 private:
  /// Nine significant digits: far finer than anything measured, and half the characters.
  static double rounded(double value) {
    const std::string text = fmt::format("{:.9g}", value);
    std::from_chars(text.data(), text.data() + text.size(), value);  // unlike stod: any locale, any magnitude
    return value;
  }
  template <std::integral T>
  static T checked(const char* key, T value) {
    if (std::cmp_less_equal(value, max_json_integer) && std::cmp_greater_equal(value, -max_json_integer))
      return value;
    throw Error(ExitCode::internal,
                fmt::format("{}: {} lies outside ±2^53 and cannot be written", key, value));
  }
  template <class T>
  static nlohmann::json compound(const char* key, const std::vector<T>& items) {
    nlohmann::json array = nlohmann::json::array();
    for (const T& item : items) array.push_back(to_json(key, item));
    return array;
  }
  template <class T>
  static nlohmann::json compound(const char*, const std::map<std::string, T>& items) {
    nlohmann::json object = nlohmann::json::object();
    for (const auto& [name, item] : items) object[name] = to_json(name.c_str(), item);
    return object;
  }
  template <class... T>
  static nlohmann::json compound(const char* key, const std::variant<T...>& alternatives) {
    return std::visit([key](const auto& value) { return to_json(key, value); }, alternatives);
  }
  template <class T>
  static nlohmann::json compound(const char*, const T& value) {
    JsonWriter io;
    fields(io, value);
    return io.take();
  }

  nlohmann::json object_ = nlohmann::json::object();
};

}  // namespace harness
