#include "harness/import_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/error.hpp"

namespace harness {
namespace {

std::string reading(const std::string& text, size_t offset = 0) {
  size_t end = 0;
  try {
    const std::string document = json_document(text, offset, "f", end).dump();
    return document + " " + std::to_string(end);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::invalid_input);
    return error.what();
  }
}

TEST(import_json, reads_one_document_and_says_where_it_ends) {
  EXPECT_EQ(reading(R"(x {"a": [1, "}"]} {"b": 2})", 2), R"({"a":[1,"}"]} 17)");
}

TEST(import_json, numbers_that_are_none_become_empty_texts_outside_strings) {
  EXPECT_EQ(reading(R"({"a": NaN, "b": -inf, "c": Infinity, "d": -nan(ind), "nan": "nan"})").substr(0, 50),
            R"({"a":"","b":"","c":"","d":"","nan":"nan"} 66)");
}

TEST(import_json, a_text_cut_short_says_where_its_document_began) {
  EXPECT_EQ(
      reading("\n[{\"a\": 1},\n{\"b\": ", 1),
      "f: line 3, byte 19: the file ends inside the JSON that begins in line 2: it was cut short; save the "
      "benchmark's whole output again");
  EXPECT_NE(reading("[{\"a\": \"x").find("cut short"), std::string::npos);
}

TEST(import_json, faults_name_the_line_and_byte) {
  EXPECT_TRUE(reading("{\"a\": 1,\n \"b\": }").starts_with("f: line 2, byte 16: is not JSON ("));
  EXPECT_NE(reading("{\"a\": 1e400}").find("number overflow"), std::string::npos)
      << reading("{\"a\": 1e400}");
}

TEST(import_json, a_key_twice_in_one_object_is_refused) {
  EXPECT_NE(reading(R"({"a": {"b": 1}, "c": {"b": 2, "\u0062": 3}})").find("'b' stands twice"),
            std::string::npos);
  EXPECT_EQ(reading(R"([{"b": 1}, {"b": 2}])"), R"([{"b":1},{"b":2}] 20)");
}

TEST(import_json, depth_is_limited_before_anything_descends) {
  const std::string deep(1'000'000, '[');
  EXPECT_NE(reading(deep).find("nested deeper than 64"), std::string::npos);
}

TEST(import_json, prose_in_brackets_is_no_document) {
  for (const char* prose : {"[note]", "{sic}", "[2025-01-01] x", "a"})
    EXPECT_FALSE(json_may_begin(prose, 0)) << prose;
  for (const char* json : {"[{", "{\"a\"", "[ \n {", "{}", "[]", "["})
    EXPECT_TRUE(json_may_begin(json, 0)) << json;
}

}  // namespace
}  // namespace harness
