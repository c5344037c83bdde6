#include "harness/schema_plan.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "harness/bounded_pattern.hpp"
#include "harness/error.hpp"
#include "harness/statistics.hpp"
#include "harness/validation_schema.hpp"

namespace harness {
namespace {

using nlohmann::json;
using Adapter = valijson::adapters::NlohmannJsonAdapter;

bool meets(const char* schema, const char* document) {
  return SchemaPlan(json::parse(schema)).meets(json::parse(document));
}

TEST(SchemaPlan, checks_each_keyword) {
  EXPECT_TRUE(meets(R"({"type":"integer"})", "3"));
  EXPECT_FALSE(meets(R"({"type":"integer"})", "3.0"));
  EXPECT_FALSE(meets(R"({"type":"number"})", "null"));
  EXPECT_TRUE(meets(R"({"enum":["a",1]})", "1"));
  EXPECT_FALSE(meets(R"({"const":"a"})", "\"b\""));
  EXPECT_TRUE(meets(R"({"minLength":2,"maxLength":2})", "\"\u00e4\u00e4\""));
  EXPECT_FALSE(meets(R"({"maxLength":1})", "\"ab\""));
  EXPECT_FALSE(meets(R"({"minItems":1})", "[]"));
  EXPECT_FALSE(meets(R"({"items":{"type":"string"},"maxItems":2})", R"(["a",2])"));
  EXPECT_FALSE(meets(R"({"maxItems":1})", "[1,2]"));
  EXPECT_FALSE(meets(R"({"required":["b"],"properties":{"a":{},"c":{}}})", R"({"a":1,"c":2})"));
  EXPECT_FALSE(meets(R"({"required":["z"]})", R"({"a":1})"));
  EXPECT_TRUE(meets(R"({"required":["z"]})", R"({"a":1,"z":null})"));
  EXPECT_FALSE(meets(R"({"properties":{"a":{"type":"string"}}})", R"({"a":1})"));
  EXPECT_TRUE(meets(R"({"properties":{"b":{}}})", R"({"a":1,"c":2})")) << "open unless it says otherwise";
  EXPECT_FALSE(meets(R"({"properties":{"b":{}},"additionalProperties":false})", R"({"b":1,"c":2})"));
  const char* by_pattern =
      R"({"patternProperties":{"^x{1,2}$":{"type":"string"}},"additionalProperties":false})";
  EXPECT_TRUE(meets(by_pattern, R"({"x":"","xx":""})"));
  EXPECT_FALSE(meets(by_pattern, R"({"xx":1})"));
  EXPECT_FALSE(meets(by_pattern, R"({"xxx":""})"));
  EXPECT_FALSE(meets(R"({"maxProperties":1})", R"({"a":1,"b":2})"));
  EXPECT_FALSE(meets(R"({"allOf":[{"type":"string"},{"maxLength":1}]})", "\"ab\""));
  const char* branch = R"({"if":{"type":"object"},"then":{"required":["a"]},"else":{"type":"boolean"}})";
  EXPECT_TRUE(meets(branch, R"({"a":1})"));
  EXPECT_FALSE(meets(branch, "{}"));
  EXPECT_TRUE(meets(branch, "true"));
  EXPECT_FALSE(meets(branch, "1"));
  const char* referring = R"({"$ref":"#/definitions/d","maxLength":1,"definitions":{"d":{"type":"string"}}})";
  EXPECT_TRUE(meets(referring, "\"ab\"")) << "what stands beside a $ref is no part of it";
  EXPECT_FALSE(meets(referring, "1"));
}

TEST(SchemaPlan, compares_bounds_exactly) {
  const char* up_to = R"({"minimum":-9007199254740992,"maximum":9007199254740992})";
  EXPECT_TRUE(meets(up_to, "9007199254740992"));
  EXPECT_FALSE(meets(up_to, "9007199254740993")) << "which a double does not tell from the bound";
  EXPECT_FALSE(meets(up_to, "18446744073709551615")) << "which another validator takes for -1";
  EXPECT_FALSE(meets(up_to, "-9007199254740993"));
  EXPECT_FALSE(meets(R"({"maximum":1})", "1.0000000000000002"));
}

TEST(SchemaPlan, refuses_a_schema_that_it_does_not_understand) {
  for (const char* schema :
       {R"({"maxlength":3})", R"({"oneOf":[]})", R"({"type":"null"})", R"({"items":[{}]})",
        R"({"additionalProperties":{}})", R"({"pattern":"^a*$"})", R"({"pattern":"a"})", "true",
        R"({"$ref":"#/definitions/a","definitions":{"a":{"items":{"$ref":"#/definitions/a"}}}})"}) {
    EXPECT_ANY_THROW(SchemaPlan(json::parse(schema))) << schema;
  }
}

TEST(BoundedPattern, matches_what_the_same_regular_expression_matches) {
  const std::vector<std::string> patterns{
      "^([0-9a-f]{3}|un|)$", "^[a-z][a-z0-9_:.]{0,4}$", "^([0-9]{1,2}\\.[0-9]{1,2}|ab)$",
      "^a{1,3}[ab]{1,2}b$",  "^(a|ab)(b|)c{2}$",        "^[0-9A-Za-z][0-9A-Za-z.+-]{0,3}$"};
  SplitMix64 random(7);
  const std::string alphabet = "abcun09.:_-+f\n";
  int matched = 0;
  for (const std::string& pattern : patterns) {
    const BoundedPattern ours(pattern);
    const std::regex theirs(pattern);
    for (int i = 0; i < 4000; ++i) {
      std::string text;
      for (size_t length = random.below(7); text.size() < length;)
        text += alphabet[random.below(alphabet.size())];
      ASSERT_EQ(ours.matches(text), std::regex_search(text, theirs)) << pattern << ": " << text;
      matched += ours.matches(text);
    }
  }
  EXPECT_GT(matched, 1000);
  EXPECT_FALSE(BoundedPattern("^a{0,60}$").matches(std::string(100'000, 'a')));
  EXPECT_FALSE(BoundedPattern("^[a-f]{1,2}$").matches("\xc3\xa4"));
}

TEST(BoundedPattern, refuses_what_it_does_not_read) {
  for (const char* pattern : {"a", "^a", "^a*$", "^a+$", "^.$", "^a{2,}$", "^[^a]$", "^[a$", "^(a$", "^a)$",
                              "^a{3,2}$", "^\\d$", "^[\\d]$", "^[b-a]$", "^a?$", ""})
    EXPECT_THROW(BoundedPattern{pattern}, Error) << pattern;
}

json read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return json::parse(file);
}

/// Replaces or removes one member somewhere below a value.
void mutate(json& value, SplitMix64& random) {
  static const std::vector<json> odd{
      nullptr,       true, -1, 0, 0.5, 1.0, "", "x", std::string(400, 'A'), json::array(), json::array({"x"}),
      json::object()};
  if (!value.is_structured() || value.empty() || random.below(8) == 0) {
    value = odd[random.below(odd.size())];
    return;
  }
  auto member = std::next(value.begin(), static_cast<std::ptrdiff_t>(random.below(value.size())));
  if (random.below(20) == 0) {
    value.erase(member);
  } else if (value.is_object() && random.below(20) == 0) {
    value["another"] = 1;
  } else {
    mutate(*member, random);
  }
}

TEST(SchemaPlan, agrees_with_valijson_on_examples_and_mutations) {
  const json& text = schema_json("submission");
  const SchemaPlan plan(text);
  valijson::Schema schema;
  valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
  parser.populateSchema(Adapter(text), schema);
  valijson::Validator validator;
  const std::filesystem::path folder = "schemas/examples/valid";
  SplitMix64 random(1);
  int refused = 0, accepted = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const json document = read(entry.path());
    ASSERT_TRUE(plan.meets(document)) << entry.path();
    for (int i = 0; i < 40; ++i) {
      json other = document;
      mutate(other, random);
      const bool meets = plan.meets(other);
      ASSERT_EQ(meets, validator.validate(schema, Adapter(other), nullptr)) << entry.path() << ' ' << i;
      ++(meets ? accepted : refused);
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(accepted, 10);
}

}  // namespace
}  // namespace harness
