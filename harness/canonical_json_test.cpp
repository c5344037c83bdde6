#include "harness/canonical_json.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/error.hpp"

namespace harness {
namespace {

using nlohmann::json;

struct NumberSample {
  uint64_t bits;
  const char* text;
};

// RFC 8785, appendix B: IEEE 754 bit patterns and the text each must give.
constexpr NumberSample rfc_numbers[] = {
    {0x0000000000000000, "0"},
    {0x8000000000000000, "0"},
    {0x0000000000000001, "5e-324"},
    {0x8000000000000001, "-5e-324"},
    {0x7fefffffffffffff, "1.7976931348623157e+308"},
    {0xffefffffffffffff, "-1.7976931348623157e+308"},
    {0x4340000000000000, "9007199254740992"},
    {0xc340000000000000, "-9007199254740992"},
    {0x4430000000000000, "295147905179352830000"},
    {0x44b52d02c7e14af5, "9.999999999999997e+22"},
    {0x44b52d02c7e14af6, "1e+23"},
    {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
    {0x444b1ae4d6e2ef4e, "999999999999999700000"},
    {0x444b1ae4d6e2ef4f, "999999999999999900000"},
    {0x444b1ae4d6e2ef50, "1e+21"},
    {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
    {0x3eb0c6f7a0b5ed8d, "0.000001"},
    {0x41b3de4355555553, "333333333.3333332"},
    {0x41b3de4355555554, "333333333.33333325"},
    {0x41b3de4355555555, "333333333.3333333"},
    {0x41b3de4355555556, "333333333.3333334"},
    {0x41b3de4355555557, "333333333.33333343"},
    {0xbecbf647612f3696, "-0.0000033333333333333333"},
    {0x43143ff3c1cb0959, "1424953923781206.2"},
};

TEST(canonical_json, numbers_are_written_as_the_rfc_tabulates_them) {
  for (const NumberSample& sample : rfc_numbers) {
    EXPECT_EQ(ecmascript_number(std::bit_cast<double>(sample.bits)), sample.text) << std::hex << sample.bits;
  }
}

TEST(canonical_json, numbers_that_are_not_finite_are_refused) {
  EXPECT_THROW(canonical_text(json{{"x", std::numeric_limits<double>::infinity()}}), Error);
  EXPECT_THROW(canonical_text(json(std::nan(""))), Error);
}

TEST(canonical_json, the_rfc_sample_of_section_3_2_2_gives_its_bytes) {
  const json sample = json::parse(R"({
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  })");
  EXPECT_EQ(canonical_text(sample),
            "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
            "\"string\":\"\xe2\x82\xac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
}

TEST(canonical_json, members_are_ordered_as_in_the_rfc_sample_of_section_3_2_3) {
  const json sample = json::parse(R"({
    "\u20ac": "Euro Sign",
    "\r": "Carriage Return",
    "\ufb33": "Hebrew Letter Dalet With Dagesh",
    "1": "One",
    "\ud83d\ude00": "Emoji: Grinning Face",
    "\u0080": "Control",
    "\u00f6": "Latin Small Letter O With Diaeresis"
  })");
  const std::string text = canonical_text(sample);
  size_t last = 0;
  for (const char* value : {"Carriage", "One", "Control", "Latin", "Euro", "Emoji", "Hebrew"}) {
    const size_t at = text.find(value);
    ASSERT_NE(at, std::string::npos) << value;
    EXPECT_LT(last, at) << value << " stands too early";
    last = at;
  }
}

TEST(canonical_json, utf16_order_is_a_strict_order) {
  EXPECT_TRUE(utf16_less("", "a"));
  EXPECT_FALSE(utf16_less("a", ""));
  EXPECT_FALSE(utf16_less("a", "a"));
  EXPECT_TRUE(utf16_less("a", "ab"));
  EXPECT_FALSE(utf16_less("ab", "a"));
  EXPECT_TRUE(utf16_less("\xf0\x9f\x98\x80", "\xef\xac\xb3")) << "a surrogate stands before U+FB33";
  EXPECT_FALSE(utf16_less("\xef\xac\xb3", "\xf0\x9f\x98\x80"));
  EXPECT_TRUE(utf16_less("\xed\x9f\xbf", "\xf0\x9f\x98\x80")) << "U+D7FF stands before a surrogate";
}

TEST(canonical_json, nested_and_empty_values_have_no_white_space) {
  EXPECT_EQ(canonical_text(json::parse(R"( { "b" : [ ] , "a" : { } } )")), R"({"a":{},"b":[]})");
}

TEST(canonical_json, control_characters_take_the_short_escapes_where_there_are_any) {
  EXPECT_EQ(canonical_text(json("\b\t\n\f\r\x01\x1f\x7f")), "\"\\b\\t\\n\\f\\r\\u0001\\u001f\x7f\"");
}

}  // namespace
}  // namespace harness
