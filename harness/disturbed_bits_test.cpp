#include "harness/disturbed_bits.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/disturbance.hpp"
#include "harness/submission_example.hpp"
#include "harness/validation.hpp"

namespace harness {
namespace {

using nlohmann::json;

TEST(disturbed_bits, the_first_sample_is_the_highest_bit_of_the_first_digit) {
  EXPECT_EQ(to_bitmap({0}), "g");
  EXPECT_EQ(to_bitmap({5}), "B");
  EXPECT_EQ(to_bitmap({6, 11}), "Ah");
  // python3 -c "import base64; print(base64.urlsafe_b64encode(bytes([0xff, 0x00, 0x81])))"
  EXPECT_EQ(to_bitmap({0, 1, 2, 3, 4, 5, 6, 7, 16, 23}), "_wCB");
}

TEST(disturbed_bits, indices_come_back) {
  for (const int step : {1, 2, 3, 7, 64}) {
    std::vector<int> indices;
    for (int i = step - 1; i < 700; i += step) indices.push_back(i);
    EXPECT_EQ(from_bitmap(to_bitmap(indices)), indices) << step;
  }
}

TEST(disturbed_bits, what_a_bitmap_cannot_say_has_none) {
  EXPECT_EQ(to_bitmap({}), "");
  EXPECT_EQ(to_bitmap({-1}), "");
  EXPECT_EQ(to_bitmap({2, 2}), "");
  EXPECT_EQ(to_bitmap({3, 2}), "");
  EXPECT_EQ(to_bitmap({max_bitmap_samples}), "");
  EXPECT_EQ(to_bitmap({max_bitmap_samples - 1}).size(), 10'000u) << "the schema's limit";
}

TEST(disturbed_bits, unknown_digits_and_zeros_at_the_end_are_not_read) {
  for (const char* bitmap : {"", "g=", "+", "g g", "A", "gA", "\xC3\xA9"})
    EXPECT_FALSE(from_bitmap(bitmap)) << bitmap;
}

TEST(disturbed_bits, every_reason_of_a_sample_has_a_letter_of_its_own) {
  Disturbance all;
  all.clock_before_hz = 1e9;
  all.clock_after_hz = 2e9;
  all.involuntary_switches = all.major_faults = all.minor_faults = all.steal_ns = all.wall_ns = 1;
  const std::vector<std::string> reasons = disturbance_reasons(all);
  EXPECT_EQ(reasons.size(), 6u);
  for (const std::string& reason : reasons) EXPECT_EQ(reason_of_letter(letter_of_reason(reason)), reason);
  EXPECT_EQ(letter_of_reason("thunder"), "");
  EXPECT_EQ(reason_of_letter("x"), "");
}

/// The example with these marks in its decode series, read back from its text, which must be valid.
json disturbed_text(const Disturbed& disturbed, Disturbed& back) {
  Submission submission = example_submission();
  submission.launches[1].series[0].disturbed = disturbed;
  const std::string text = to_canonical_json(submission);
  for (const Violation& violation : validate_document(text)) ADD_FAILURE() << violation.pointer;
  back = submission_from_json(text).launches[1].series[0].disturbed;
  return json::parse(text)["launches"][1]["series"][0]["disturbed"];
}

TEST(disturbed_bits, a_document_holds_the_shorter_form_of_each_reason) {
  const Disturbed disturbed{{"steal", {0, 1, 2}}, {"cpu_wall", {270}}, {"thunder", {0, 1, 2, 3, 4}}};
  Disturbed back;
  const json text = disturbed_text(disturbed, back);
  EXPECT_EQ(text, json::parse(R"({"cpu_wall":[270],"s":"4","thunder":[0,1,2,3,4]})"));
  EXPECT_EQ(back, disturbed);
}

std::string refusal(const json& disturbed) {
  json document = json::parse(to_canonical_json(example_submission()));
  document["launches"][1]["series"][0]["disturbed"] = disturbed;
  try {
    submission_from_json(document.dump());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(disturbed_bits, a_bitmap_that_cannot_be_read_is_named) {
  const std::string place = "/launches/1/series/0/disturbed/s";
  EXPECT_EQ(refusal({{"s", "gA"}}), place + ": expected base64url digits, of which the last marks a sample");
  EXPECT_EQ(refusal({{"s", "g"}, {"steal", {1}}}),
            place.substr(0, place.size() - 1) + "steal: expected its reason once: a letter says it, too");
  EXPECT_EQ(refusal({{"s", "g"}, {"cpu_wall", {1}}}), "");
}

}  // namespace
}  // namespace harness
