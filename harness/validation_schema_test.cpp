// What our schemas may say. valijson ignores keywords it does not know and accepts numbers beyond one bound,
// so each schema keeps to a list that it, the explanations and python3-jsonschema all understand.
#include "harness/validation_schema.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "harness/validation_words.hpp"

namespace harness {
namespace {

using nlohmann::json;

const std::set<std::string> keywords{"$schema",
                                     "$ref",
                                     "title",
                                     "description",
                                     "definitions",
                                     "type",
                                     "enum",
                                     "const",
                                     "properties",
                                     "required",
                                     "additionalProperties",
                                     "patternProperties",
                                     "maxProperties",
                                     "items",
                                     "minItems",
                                     "maxItems",
                                     "minimum",
                                     "maximum",
                                     "minLength",
                                     "maxLength",
                                     "pattern",
                                     "allOf",
                                     "if",
                                     "then",
                                     "else"};
const std::set<std::string> types{"object", "array", "string", "boolean", "integer", "number"};

/// std::regex recurses once per character of an unbounded quantifier: 100 kB overflow the stack.
bool unbounded(const std::string& pattern) {
  const std::string outside_classes = std::regex_replace(pattern, std::regex(R"(\[[^\]]{0,100}\])"), "x");
  return outside_classes.find_first_of("*+") != std::string::npos ||
         outside_classes.find(",}") != std::string::npos;
}

using Visit = std::function<void(const json& schema, bool in_condition, const std::string& where)>;

/// Visits a schema and every schema inside it. `in_condition` is true below an `if`.
void visit(const json& schema, bool in_condition, const std::string& where, const Visit& visitor) {
  visitor(schema, in_condition, where);
  for (const char* key : {"properties", "patternProperties", "definitions"}) {
    if (!schema.contains(key)) continue;
    for (const auto& [name, part] : schema[key].items())
      visit(part, in_condition, fmt::format("{}/{}", where, name), visitor);
  }
  for (const char* key : {"items", "if", "then", "else"}) {
    const bool condition = in_condition || std::string(key) == "if";
    if (schema.contains(key)) visit(schema[key], condition, where + "/" + key, visitor);
  }
  if (!schema.contains("allOf")) return;
  for (const json& part : schema["allOf"]) visit(part, in_condition, where + "/allOf", visitor);
}

/// Returns what is wrong with a schema by our rules, one line each.
std::vector<std::string> faults_of(const json& root) {
  std::vector<std::string> faults;
  visit(root, false, "", [&](const json& schema, bool in_condition, const std::string& where) {
    const auto fault = [&](const std::string& text) { faults.push_back(where + ": " + text); };
    for (const auto& [key, value] : schema.items()) {
      if (!keywords.count(key)) fault("keyword " + key);
    }
    const std::string type = schema.value("type", "");
    if (!type.empty() && !types.count(type)) fault("type " + type);
    if (in_condition) {
      for (const char* key : {"pattern", "minimum", "items", "allOf", "if", "$ref"}) {
        if (schema.contains(key)) fault(std::string("the explanations do not follow a condition on ") + key);
      }
      return;
    }
    if ((type == "integer" || type == "number") &&
        !(schema.contains("minimum") && schema.contains("maximum"))) {
      fault("a number without both bounds");
    }
    for (const char* bound : {"minimum", "maximum"}) {
      if (schema.contains(bound) && std::abs(schema[bound].get<double>()) > 9007199254740992.0)
        fault("a bound beyond 2^53");
    }
    if (type == "string" && !schema.contains("maxLength")) fault("a string without maxLength");
    if (type == "array" && !schema.contains("maxItems")) fault("a list without maxItems");
    if (type == "object" && schema.value("additionalProperties", true))
      fault("an object open to unknown members");
    const std::string pattern = schema.value("pattern", "");
    if (unbounded(pattern)) fault("an unbounded pattern");
    if (!pattern.empty() && (pattern.front() != '^' || pattern.back() != '$'))
      fault("a pattern that is not anchored");
    if (!pattern.empty() && !schema.contains("description")) fault("a pattern without words");
    if (schema.contains("$ref")) {
      const std::string ref = schema["$ref"];
      if (!ref.starts_with("#/definitions/") || !root["definitions"].contains(ref.substr(14)))
        fault("$ref " + ref);
    }
  });
  return faults;
}

/// Whether following $ref from a definition comes back to it: valijson would not end.
bool cyclic(const json& root, const std::string& name, std::set<std::string> above = {}) {
  if (!above.insert(name).second) return true;
  bool found = false;
  visit(root["definitions"][name], false, "", [&](const json& schema, bool, const std::string&) {
    if (schema.contains("$ref"))
      found = found || cyclic(root, schema["$ref"].get<std::string>().substr(14), above);
  });
  return found;
}

TEST(schema, keeps_to_the_allowed_keywords_and_bounds_everything) {
  for (const char* kind : {"submission", "claim", "model", "cpus", "microarchitectures"}) {
    for (const std::string& fault : faults_of(schema_json(kind))) ADD_FAILURE() << kind << fault;
  }
}

TEST(schema, has_no_cyclic_references_and_no_unused_definitions) {
  const json& root = schema_json("submission");
  const std::string text = root.dump();
  for (const auto& [name, part] : root["definitions"].items()) {
    EXPECT_FALSE(cyclic(root, name)) << name;
    EXPECT_NE(text.find("\"#/definitions/" + name + "\""), std::string::npos)
        << name << " is never referred to";
  }
}

TEST(schema, these_rules_find_their_faults) {
  const auto finds = [](const char* text, const char* fault) {
    const auto faults = faults_of(json::parse(text));
    return faults.size() == 1 && faults[0].find(fault) != std::string::npos;
  };
  EXPECT_TRUE(finds(R"({"maxlength":3})", "keyword maxlength"));
  EXPECT_TRUE(finds(R"({"oneOf":[]})", "keyword oneOf"));
  EXPECT_TRUE(finds(R"({"type":"interger"})", "type interger"));
  EXPECT_TRUE(finds(R"({"items":{"type":"integer","maximum":3}})", "both bounds"));
  EXPECT_TRUE(finds(R"({"maximum":1e20})", "beyond 2^53"));
  EXPECT_TRUE(finds(R"({"then":{"type":"string"}})", "without maxLength"));
  EXPECT_TRUE(finds(R"({"type":"array"})", "without maxItems"));
  EXPECT_TRUE(finds(R"({"properties":{"a":{"type":"object"}}})", "unknown members"));
  EXPECT_TRUE(finds(R"({"pattern":"^a*$","description":"as"})", "unbounded"));
  EXPECT_TRUE(finds(R"({"pattern":"^[+*]a{1,}$","description":"as"})", "unbounded"));
  EXPECT_TRUE(finds(R"({"pattern":"a","description":"as"})", "anchored"));
  EXPECT_TRUE(finds(R"({"pattern":"^a$"})", "without words"));
  EXPECT_TRUE(finds(R"({"if":{"pattern":"^a$"}})", "condition on pattern"));
  EXPECT_TRUE(finds(R"({"$ref":"#/definitions/none","definitions":{}})", "$ref"));
  EXPECT_TRUE(cyclic(json::parse(R"({"definitions":{"a":{"items":{"$ref":"#/definitions/a"}}}})"), "a"));
}

TEST(schema, expectations_are_phrases) {
  const json root = json::parse(R"({"definitions":{"count":{"type":"integer","minimum":0,"maximum":9}}})");
  EXPECT_EQ(expectation(root, json::parse(R"({"$ref":"#/definitions/count"})")), "an integer from 0 to 9");
  EXPECT_EQ(expectation(root, json::parse(R"({"enum":["a","b"]})")), "one of: a, b");
  EXPECT_EQ(expectation(root, json::parse(R"({"const":"a"})")), "a");
  EXPECT_EQ(expectation(root, json::parse(R"({"type":"string","maxLength":5})")),
            "a string of 0 to 5 characters");
  EXPECT_EQ(expectation(root, json::parse(R"({"if":{},"then":{"type":"object"},"else":{"type":"boolean"}})")),
            "true or false, or an object");
}

}  // namespace
}  // namespace harness
