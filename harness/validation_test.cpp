#include "harness/validation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "harness/error.hpp"
#include "harness/import_document.hpp"
#include "harness/submission_example.hpp"

namespace harness {
namespace {

std::map<std::string, std::string> read_examples(const std::string& folder) {
  std::map<std::string, std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator("schemas/examples/" + folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    texts[entry.path().stem()] = std::string((std::istreambuf_iterator<char>(file)), {});
  }
  return texts;
}

/// Each invalid example has one fault; this is the place that must be named.
const std::map<std::string, std::string> invalid_examples{
    {"autogroup_nice_minus_21", "/conditions/autogroup_nice"},
    {"binary_hash_as_list", "/suite/binary_sha256"},
    {"cache_level_as_number", "/machine/caches/0/level"},
    {"cache_of_negative_size", "/machine/caches/2/bytes"},
    {"compiler_name_of_65_characters", "/suite/compiler"},
    {"cores_as_string", "/machine/cores"},
    {"cores_with_fraction", "/machine/cores"},
    {"cores_zero", "/machine/cores"},
    {"counter_name_with_space", "/launches/0/counters/cache misses"},
    {"created_in_month_13", "/created_utc"},
    {"created_with_fraction", "/created_utc"},
    {"created_without_z", "/created_utc"},
    {"curve_with_flat_samples", "/launches/0/series/0/samples/0"},
    {"curve_without_work_unit", "/launches/0/series/0/work_unit"},
    {"decode_launch_without_plan", "/launches/0/plan"},
    {"series_without_arm_or_probe", "/launches/0/series/0/probe"},
    {"estimate_missing", "/derived/caches/0/effective_bytes/estimate"},
    {"exit_code_256", "/failure/exit_code"},
    {"claim_protocol_without_claim", "/claim"},
    {"failure_without_failure", "/failure"},
    {"golden_of_63_digits", "/launches/0/golden_got"},
    {"import_of_level_e", "/imported/rows/0/level"},
    {"import_of_unknown_program", "/imported/from"},
    {"import_row_with_path", "/imported/rows/0/path"},
    {"import_row_without_marks_in_its_list", "/imported/rows/0/marks"},
    {"import_speed_negative", "/imported/rows/0/tokens_per_s"},
    {"import_threads_with_fraction", "/imported/rows/0/threads"},
    {"import_without_imported", "/imported"},
    {"import_without_rows", "/imported/rows"},
    {"interruption_of_unknown_cause", "/interruptions/0/cause"},
    {"interval_without_high", "/derived/roofs/0/read_bytes_per_s/high"},
    {"kind_missing", "/kind"},
    {"kind_unknown", "/kind"},
    {"learnt_from_a_document_of_15_digits", "/forecasts/3/model_error/learnt_from/0/document"},
    {"log_excerpt_not_a_string", "/failure/log_excerpt"},
    {"machine_key_missing", "/machine/machine_key"},
    {"machine_with_host_name", "/machine/host_name"},
    {"misspelt_member", "/conditions/stael_ratio"},
    {"mode_unknown", "/launches/0/series/0/mode"},
    {"nonce_in_upper_case", "/nonce"},
    {"nonce_too_short", "/nonce"},
    {"not_an_object", ""},
    {"param_as_list", "/launches/0/series/0/params/sizes"},
    {"parse_byte_order_mark", ""},
    {"parse_comment", ""},
    {"parse_depth_33", "/conditions/load1/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0"},
    {"parse_duplicate_key", "/protocol"},
    {"parse_duplicate_key_behind_escape", "/protocol"},
    {"parse_empty", ""},
    {"parse_integer_below_minus_2_53", "/derived/flags/0/value"},
    {"parse_integer_beyond_2_53", "/launches/0/order_seed"},
    {"parse_integer_of_64_bits", "/launches/0/order_seed"},
    {"parse_invalid_utf8", ""},
    {"parse_lone_surrogate", ""},
    {"parse_nan", ""},
    {"parse_nul_character", "/machine/os_name"},
    {"parse_number_overflows", ""},
    {"parse_raw_control_character", ""},
    {"parse_real_beyond_2_53", "/conditions/load1"},
    {"parse_string_of_20001_characters", "/machine/os_name"},
    {"parse_text_after_nul", ""},
    {"parse_trailing_comma", ""},
    {"parse_trailing_text", ""},
    {"parse_truncated", ""},
    {"plan_placement_none", "/plans/0/placement"},
    {"plan_with_no_arms", "/plans/0/arms"},
    {"probe_with_no_launch_in_the_list", "/launches"},
    {"probe_without_launches", "/launches"},
    {"protocol_unknown", "/protocol"},
    {"reading_null", "/conditions/turbo"},
    {"reading_with_empty_reason", "/conditions/turbo/unavailable"},
    {"reading_with_value_and_reason", "/conditions/governor/value"},
    {"reproduction_without_forecasts", "/forecasts"},
    {"roof_invalid_for_no_reason", "/derived/roofs/0/invalid"},
    {"roof_of_unknown_level", "/derived/roofs/0/level"},
    {"sample_negative", "/launches/0/series/0/samples/3"},
    {"sample_with_fraction", "/launches/0/series/0/samples/3"},
    {"samples_of_decode_nested", "/launches/0/series/0/samples/0"},
    {"schema_missing", "/schema"},
    {"schema_of_another_program", "/schema"},
    {"schema_of_another_version", "/schema"},
    {"slowdown_word_unknown", "/derived/slowdown/0/eviction/word"},
    {"status_failed_without_reason", "/launches/0/series/0/reason"},
    {"status_ok_without_samples", "/launches/0/series/0/samples"},
    {"steal_ratio_above_one", "/conditions/steal_ratio"},
    {"unknown_top_level_member", "/notes"},
};

TEST(validation, every_valid_example_is_valid) {
  const auto examples = read_examples("valid");
  EXPECT_GE(examples.size(), 4u);
  for (const auto& [name, text] : examples) {
    const auto violations = validate_document(text);
    EXPECT_TRUE(violations.empty()) << name << violations.front().pointer << ": "
                                    << violations.front().expected;
  }
}

TEST(validation, every_invalid_example_is_refused_for_its_one_fault) {
  const auto examples = read_examples("invalid");
  EXPECT_EQ(examples.size(), invalid_examples.size());
  for (const auto& [name, pointer] : invalid_examples) {
    ASSERT_TRUE(examples.count(name)) << name;
    const auto violations = validate_document(examples.at(name));
    ASSERT_EQ(violations.size(), 1u) << name;
    EXPECT_EQ(violations[0].pointer, pointer) << name;
    EXPECT_FALSE(violations[0].expected.empty()) << name;
  }
}

TEST(validation, valid_examples_come_back_the_same_through_the_structs) {
  const auto examples = read_examples("valid");
  for (const char* name : {"reproduction", "paused", "probe", "failure", "everything_unavailable"}) {
    const std::string& text = examples.at(name);
    EXPECT_EQ(to_canonical_json(submission_from_json(text)), canonical_json(text)) << name;
  }
}

TEST(validation, what_may_be_left_out_or_shortened_may_also_be_written_out) {
  const auto examples = read_examples("valid");
  EXPECT_NE(canonical_json(examples.at("long_forms")), canonical_json(examples.at("reproduction")));
  EXPECT_EQ(to_canonical_json(submission_from_json(examples.at("long_forms"))),
            to_canonical_json(submission_from_json(examples.at("reproduction"))));
}

TEST(validation, every_valid_example_can_be_read_into_the_structs) {
  for (const auto& [name, text] : read_examples("valid")) {
    EXPECT_NO_THROW(stored_submission(canonical_json(text))) << name;
  }
}

TEST(validation, what_the_suite_writes_is_valid) {
  const auto violations = validate_document(to_canonical_json(example_submission()));
  EXPECT_TRUE(violations.empty()) << violations.front().pointer << ": " << violations.front().expected;
}

TEST(validation, a_text_is_valid_if_and_only_if_its_canonical_text_is) {
  std::string text = to_canonical_json(example_submission());
  const size_t at = text.find("\"cores\":2");
  text.replace(at, 9, "\"cores\":2.0");
  EXPECT_TRUE(validate_document(text).empty()) << "2.0 is the integer 2, as in JSON Schema draft-07";
  EXPECT_EQ(canonical_json(text), to_canonical_json(example_submission()));
  text.replace(at, 11, "\"cores\":2.5");
  EXPECT_FALSE(validate_document(text).empty());
}

TEST(validation, all_violations_are_listed_with_value_and_expectation) {
  Submission submission = example_submission();
  submission.machine.cores = 0;
  submission.conditions.smt_sibling = "perhaps";
  submission.launches[0].series[0].samples_by_size[1][0] = -5;
  submission.launches[0].counters["a~b/c"] = int64_t{1};
  const auto violations = validate_document(to_canonical_json(submission));
  const auto found = [&violations](const Violation& wanted) {
    return std::count(violations.begin(), violations.end(), wanted);
  };
  EXPECT_EQ(violations.size(), 4u);
  EXPECT_EQ(found({"/machine/cores", "0", "an integer from 1 to 1000000"}), 1);
  EXPECT_EQ(found({"/conditions/smt_sibling", "\"perhaps\"", "one of: none, idle, busy, own"}), 1);
  EXPECT_EQ(found({"/launches/0/series/0/samples/1/0", "-5", "an integer from 0 to 9007199254740992"}), 1);
  EXPECT_EQ(found({"/launches/0/counters/a~0b~1c", "1", "no member of this name here"}), 1);
}

TEST(validation, every_bad_counter_is_listed_not_only_the_first) {
  Submission submission = example_submission();
  submission.launches[0].counters = {{"a", int64_t{-1}}, {"b", int64_t{-2}}, {"c", Unavailable{""}}};
  const auto violations = validate_document(to_canonical_json(submission));
  ASSERT_EQ(violations.size(), 3u);
  EXPECT_EQ(violations[0].expected, "an integer from 0 to 9007199254740992, or {\"unavailable\": reason}");
  EXPECT_EQ(violations[2].pointer, "/launches/0/counters/c/unavailable");
}

TEST(validation, several_parse_faults_are_listed_together) {
  const auto violations = validate_document(R"({"a":1,"a":2,"b":[1,{"c":1e300}],"d":9007199254740993})");
  ASSERT_EQ(violations.size(), 3u);
  EXPECT_EQ(violations[0].pointer, "/a");
  EXPECT_EQ(violations[1].pointer, "/b/1/c");
  EXPECT_EQ(violations[2].pointer, "/d");
}

TEST(validation, a_key_may_return_in_another_object) {
  const auto violations = validate_document(R"({"a":{"x":1},"b":{"x":1},"x":[{"x":1},{"x":1}]})");
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].pointer, "/schema") << "only the schema's name is missing";
}

TEST(validation, syntax_errors_say_line_and_column) {
  const auto violations = validate_document("{\n  \"a\": 1,\n  \"ä\": tru\n}");
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].pointer, "");
  EXPECT_NE(violations[0].expected.find("line 3, column 11"), std::string::npos) << violations[0].expected;
}

TEST(validation, more_than_a_mebibyte_is_refused_before_it_is_read) {
  const std::string big(max_document_bytes + 1, '[');
  const auto violations = validate_document(big);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].value, "1048577 bytes");
  EXPECT_NE(validate_document(std::string(max_document_bytes, ' '))[0].value, "1048576 bytes");
}

TEST(validation, deep_nesting_is_refused_without_descending) {
  const std::string deep = std::string(500'000, '[') + std::string(500'000, ']');
  const auto violations = validate_document(deep);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_NE(violations[0].expected.find("32 levels"), std::string::npos);
  const std::string allowed = std::string(32, '[') + std::string(32, ']');
  EXPECT_EQ(validate_document(allowed)[0].value, "a list of 1 item")
      << "32 levels parse; the list is no submission";
}

TEST(validation, long_strings_against_patterns_do_not_crash) {
  Submission submission = example_submission();
  submission.nonce = std::string(20'000, '0');
  submission.plans[0].routing = std::string(20'000, 'a');
  submission.plans[0].weights = std::string(20'000, 'b');
  submission.derived.ratios[0].name = std::string(10'000, 'a') + "/" + std::string(9'999, 'a');
  submission.launches[0].counters[std::string(20'000, 'x')] = int64_t{1};
  EXPECT_EQ(validate_document(to_canonical_json(submission)).size(), 5u);
  submission.nonce += "0";
  const auto violations = validate_document(to_canonical_json(submission));
  ASSERT_EQ(violations.size(), 1u) << "too long for any string: the schema is not asked";
  EXPECT_EQ(violations[0].value, "20001 characters");
}

TEST(validation, string_lengths_count_characters_not_bytes) {
  Submission submission = example_submission();
  std::string ring;
  for (int i = 0; i < 64; ++i) ring += "\u00f8";
  submission.suite.compiler = ring;
  EXPECT_TRUE(validate_document(to_canonical_json(submission)).empty());
  submission.suite.compiler += "\u00f8";
  EXPECT_EQ(validate_document(to_canonical_json(submission)).size(), 1u);
}

TEST(validation, shown_values_are_short_and_cannot_drive_a_terminal) {
  Submission submission = example_submission();
  submission.suite.isa_chosen_by = "\x1b[31m\u009b" + std::string(200, 'x');
  const auto violations = validate_document(to_canonical_json(submission));
  ASSERT_EQ(violations.size(), 1u);
  const std::string& shown = violations[0].value;
  EXPECT_TRUE(
      std::all_of(shown.begin(), shown.end(), [](unsigned char c) { return c >= 0x20 && c != 0x7F; }));
  EXPECT_EQ(shown.find("\u009b"), std::string::npos);
  EXPECT_LE(shown.size(), 62u) << "60 characters, the last an ellipsis of three bytes";
}

TEST(validation, canonical_json_refuses_what_does_not_parse) {
  EXPECT_EQ(canonical_json(" { \"b\" : 1.0, \"a\" : [ ] } "), R"({"a":[],"b":1})");
  try {
    canonical_json("{\"a\":1,\"a\":1}");
    FAIL() << "a duplicate key got a canonical text";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::invalid_input);
    EXPECT_EQ(std::string(error.what()).rfind("/a: found \"a\", expected each key once", 0), 0u)
        << error.what();
  }
}

}  // namespace
}  // namespace harness
