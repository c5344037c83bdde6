#include "harness/validation_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "harness/canonical_json.hpp"
#include "harness/nearest_name.hpp"
#include "harness/validation_parse.hpp"

namespace harness {
namespace {

using nlohmann::json;
using Schemas = std::vector<const json*>;

/// Returns a member of a schema, or null (which iterates as empty): by reference, so that loops over it are
/// safe.
const json& member(const json& schema, const char* key) {
  static const json none;
  const auto at = schema.find(key);
  return at == schema.end() ? none : *at;
}

const json& resolved(const json& root, const json& schema) {
  const json* at = &schema;
  while (at->contains("$ref")) at = &root.at(json::json_pointer(at->at("$ref").get<std::string>().substr(1)));
  return *at;
}

bool has_type(const json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  return value.is_number();
}

bool one_of_values(const json& schema, const json& value) {
  if (schema.contains("const") && schema["const"] != value) return false;
  if (!schema.contains("enum")) return true;
  return std::find(schema["enum"].begin(), schema["enum"].end(), value) != schema["enum"].end();
}

/// Evaluates an `if`: type, required, and properties by const or enum is all that our schemas ask there.
bool meets(const json& condition, const json& value) {
  if (condition.contains("type") && !has_type(value, condition["type"])) return false;
  if (!one_of_values(condition, value)) return false;
  if (!value.is_object()) return true;
  for (const json& key : member(condition, "required")) {
    if (!value.contains(key.get<std::string>())) return false;
  }
  for (const auto& [key, schema] : member(condition, "properties").items()) {
    if (value.contains(key) && !meets(schema, value[key])) return false;
  }
  return true;
}

/// Adds every schema that applies to a value in one place: itself, what it refers to, allOf, the branch
/// taken.
void expand(const json& root, const json& schema, const json& value, Schemas& into) {
  const json& at = resolved(root, schema);
  into.push_back(&at);
  for (const json& part : member(at, "allOf")) expand(root, part, value, into);
  if (!at.contains("if")) return;
  const char* branch = meets(at["if"], value) ? "then" : "else";
  if (at.contains(branch)) expand(root, at[branch], value, into);
}

std::string range_of(const json& schema, const char* low, const char* high) {
  const json from = schema.value(low, json(0));
  return schema.contains(high) ? fmt::format("{} to {}", from.dump(), schema[high].dump())
                               : fmt::format("at least {}", from.dump());
}

std::string listed(const json& values) {
  std::string text;
  for (const json& value : values) {
    text += (text.empty() ? "" : ", ") + (value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

bool matches(const std::string& text, const std::string& pattern) {
  return std::regex_search(text, std::regex(pattern));
}

/// Whether a value without members meets one schema.
bool scalar_meets(const json& schema, const json& value) {
  if (value.is_number()) {
    if (schema.contains("minimum") && value < schema["minimum"]) return false;
    return !schema.contains("maximum") || value <= schema["maximum"];
  }
  if (!value.is_string()) return true;
  const std::string& text = value.get_ref<const std::string&>();
  const auto characters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
  if (characters < schema.value("minLength", int64_t{0})) return false;
  if (characters > schema.value("maxLength", INT64_MAX)) return false;
  return !schema.contains("pattern") || matches(text, schema["pattern"]);
}

/// Walks a document beside the schemas that apply in each place.
struct Walk {
  const json& root;
  std::vector<Violation> violations;
  std::vector<std::string> path;

  void value(const Schemas& schemas, const json& value);
  void members(const Schemas& schemas, const json& object);
  void items(const Schemas& schemas, const json& array);

 private:
  void missing(const Schemas& schemas, const json& object);
  void unknown(const Schemas& schemas, const json& object);
  void note(const json& found, std::string expected) {
    violations.push_back({json_pointer(path), shown_value(found), std::move(expected)});
  }
  void step(const std::string& token, const Schemas& schemas, const json& to) {
    path.push_back(token);
    if (!schemas.empty()) value(schemas, to);
    path.pop_back();
  }
};

/// Finds what a member that is missing should have been.
std::string expectation_of_member(const json& root, const Schemas& schemas, const std::string& key) {
  for (const json* schema : schemas) {
    const json& properties = member(*schema, "properties");
    if (properties.contains(key)) return expectation(root, properties[key]);
  }
  return "a value";
}

void Walk::missing(const Schemas& schemas, const json& object) {
  for (const json* schema : schemas) {
    for (const json& required : member(*schema, "required")) {
      const std::string key = required.get<std::string>();
      if (object.contains(key)) continue;
      path.push_back(key);
      violations.push_back(
          {json_pointer(path), "(missing)", "required: " + expectation_of_member(root, schemas, key)});
      path.pop_back();
    }
  }
}

bool is_known(const json& schema, const std::string& key) {
  if (member(schema, "properties").contains(key)) return true;
  for (const auto& [pattern, part] : member(schema, "patternProperties").items()) {
    if (matches(key, pattern)) return true;
  }
  return false;
}

void Walk::unknown(const Schemas& schemas, const json& object) {
  for (const json* schema : schemas) {
    if (schema->value("additionalProperties", true)) continue;
    std::vector<std::string_view> names;
    const json& properties = member(*schema, "properties");
    for (auto known = properties.begin(); known != properties.end(); ++known) names.emplace_back(known.key());
    for (const auto& [key, found] : object.items()) {
      if (is_known(*schema, key)) continue;
      path.push_back(key);
      note(found, "no member of this name here" + (key.size() <= 100 ? did_you_mean(key, names) : ""));
      path.pop_back();
    }
  }
}

void Walk::members(const Schemas& schemas, const json& object) {
  missing(schemas, object);
  unknown(schemas, object);
  for (const auto& [key, to] : object.items()) {
    Schemas next;
    for (const json* schema : schemas) {
      const json& properties = member(*schema, "properties");
      if (properties.contains(key)) expand(root, properties[key], to, next);
      for (const auto& [pattern, part] : member(*schema, "patternProperties").items()) {
        if (matches(key, pattern)) expand(root, part, to, next);
      }
    }
    step(key, next, to);
  }
}

void Walk::items(const Schemas& schemas, const json& array) {
  for (size_t i = 0; i < array.size(); ++i) {
    Schemas next;
    for (const json* schema : schemas) {
      if (schema->contains("items")) expand(root, (*schema)["items"], array[i], next);
    }
    step(std::to_string(i), next, array[i]);
  }
}

void Walk::value(const Schemas& schemas, const json& value) {
  for (const json* schema : schemas) {
    const bool right_kind = !schema->contains("type") || has_type(value, (*schema)["type"]);
    if (right_kind && one_of_values(*schema, value) && scalar_meets(*schema, value)) continue;
    // The first schema is the whole of what stands here: a reading says "true or false, or {unavailable}",
    // not one branch.
    return note(value, expectation(root, schemas.front()->contains("if") ? *schemas.front() : *schema));
  }
  for (const json* schema : schemas) {
    const auto size = static_cast<int64_t>(value.size());
    if (value.is_array() && size < schema->value("minItems", int64_t{0})) {
      note(value, fmt::format("a list of at least {}", (*schema)["minItems"].dump()));
    } else if (value.is_array() && size > schema->value("maxItems", INT64_MAX)) {
      note(value, fmt::format("a list of at most {}", (*schema)["maxItems"].dump()));
    } else if (value.is_object() && size > schema->value("maxProperties", INT64_MAX)) {
      note(value, fmt::format("at most {} members", (*schema)["maxProperties"].dump()));
    }
  }
  if (value.is_object()) members(schemas, value);
  if (value.is_array()) items(schemas, value);
}

}  // namespace

std::string expectation(const json& root, const json& schema) {
  const json& at = resolved(root, schema);
  if (at.contains("description")) return at["description"];
  if (at.contains("const")) return listed(json::array({at["const"]}));
  if (at.contains("enum")) return "one of: " + listed(at["enum"]);
  if (at.contains("if") && at.contains("then") && at.contains("else")) {
    return expectation(root, at["else"]) + ", or " + expectation(root, at["then"]);
  }
  const std::string type = at.value("type", "value");
  if (type == "boolean") return "true or false";
  if (type == "integer") return "an integer from " + range_of(at, "minimum", "maximum");
  if (type == "number") return "a number from " + range_of(at, "minimum", "maximum");
  if (type == "string") return "a string of " + range_of(at, "minLength", "maxLength") + " characters";
  if (type == "array") return "a list";
  return type == "object" ? "an object" : "a value";
}

std::vector<Violation> explain_violations(const json& schema, const json& document) {
  Schemas schemas;
  expand(schema, schema, document, schemas);
  Walk walk{schema, {}, {}};
  walk.value(schemas, document);
  return std::move(walk.violations);
}

}  // namespace harness
