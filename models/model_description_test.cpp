#include "models/model_description.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/error.hpp"

namespace models {
namespace {

using nlohmann::json;

std::map<std::string, std::string> read_examples(const std::string& folder) {
  std::map<std::string, std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator("schemas/examples/models/" + folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    texts[entry.path().stem()] = std::string((std::istreambuf_iterator<char>(file)), {});
  }
  return texts;
}

/// Each invalid example breaks the schema in one place; this is the place that must be named.
const std::map<std::string, std::string> invalid_examples{
    {"block_unknown", "/blocks/1"},
    {"blocks_as_text", "/blocks"},
    {"blocks_empty", "/blocks"},
    {"body_format_unknown", "/body_format"},
    {"context_beyond_limit", "/context"},
    {"d_as_text", "/d"},
    {"d_missing", "/d"},
    {"embedding_in_ternary", "/embedding_format"},
    {"experts_misspelt", "/experts/share"},
    {"experts_without_top_k", "/experts/top_k"},
    {"experts_zero", "/experts/count"},
    {"ff_with_fraction", "/ff"},
    {"head_dim_of_258", "/head_dim"},
    {"heads_zero", "/heads"},
    {"inner_norms_as_number", "/inner_norms"},
    {"misspelt_member", "/vocabulary"},
    {"name_in_upper_case", "/name"},
    {"name_of_65_characters", "/name"},
    {"name_with_path", "/name"},
    {"negative_vocab", "/vocab"},
    {"parse_duplicate_key", "/d"},
    {"parse_truncated", ""},
    {"position_negative", "/position_first"},
    {"repeat_zero", "/repeat"},
    {"schema_of_a_submission", "/schema"},
    {"schema_of_another_version", "/schema"},
    {"softcap_null", "/softcap"},
    {"three_conv_taps", "/conv_taps"},
};

TEST(model_description, every_valid_example_describes_a_model) {
  const auto examples = read_examples("valid");
  EXPECT_GE(examples.size(), 5u);
  for (const auto& [name, text] : examples) {
    EXPECT_TRUE(check_model(text, name).empty()) << name;
    EXPECT_EQ(parse_model(text, "some/where/" + name + ".json").name, name);
  }
}

TEST(model_description, every_invalid_example_is_refused_for_its_one_fault) {
  const auto examples = read_examples("invalid");
  EXPECT_EQ(examples.size(), invalid_examples.size());
  for (const auto& [name, pointer] : invalid_examples) {
    ASSERT_TRUE(examples.count(name)) << name;
    const auto violations = check_model(examples.at(name), "x");
    ASSERT_EQ(violations.size(), 1u) << name;
    EXPECT_EQ(violations[0].pointer, pointer) << name;
    EXPECT_FALSE(violations[0].expected.empty()) << name;
  }
}

/// A right description, to be spoilt in one place.
json good() {
  return json::parse(read_examples("valid").at("every_member"));
}

void expect_refused(const json& description, const std::string& pointer, const std::string& expected) {
  const auto violations = check_model(description.dump(), "every_member");
  ASSERT_EQ(violations.size(), 1u) << description.dump();
  EXPECT_EQ(violations[0].pointer, pointer);
  EXPECT_NE(violations[0].expected.find(expected), std::string::npos) << violations[0].expected;
}

json with(json description, const json& changes) {
  description.update(changes);
  return description;
}

TEST(model_description, members_that_do_not_fit_each_other_are_refused_each_for_its_reason) {
  expect_refused(with(good(), {{"name", "another"}}), "/name", "every_member, as its file is called");
  expect_refused(with(good(), {{"head_dim", 20}}), "/head_dim", "8 times head_dim to be 144");
  expect_refused(with(good(), {{"heads", 16}, {"head_dim", 9}}), "/head_dim", "even");
  expect_refused(with(good(), {{"kv_heads", 3}}), "/kv_heads", "a divisor of heads, which is 8");
  expect_refused(with(good(), {{"kv_heads", 16}}), "/kv_heads", "a divisor of heads");
  expect_refused(with(good(), {{"position_last", 1024}}), "/position_last", "at most 1023");
  expect_refused(with(good(), {{"position_first", 500}, {"position_last", 499}}), "/position_first",
                 "at most the last position, 499");
  expect_refused(with(good(), {{"softcap", 0.5}}), "/softcap", "at least 1");
  expect_refused(with(good(), {{"repeat", 342}}), "/repeat", "at most 1024 blocks");
  EXPECT_TRUE(check_model(with(good(), {{"repeat", 341}}).dump(), "every_member").empty());
}

TEST(model_description, experts_and_formats_that_cannot_be_are_refused_each_for_its_reason) {
  const auto experts = [](int count, int top_k, int shared = 0) {
    return json{{"draft_ff", 0}, {"experts", {{"count", count}, {"top_k", top_k}, {"shared", shared}}}};
  };
  expect_refused(with(good(), experts(8, 9)), "/experts/top_k", "at most the count of experts, 8");
  EXPECT_TRUE(check_model(with(good(), experts(8, 8)).dump(), "every_member").empty());
  expect_refused(with(good(), experts(65536, 1)), "/experts/count", "at most 262144 experts");
  json groups{{"draft_ff", 0}, {"body_format", "group3"}, {"d", 160}, {"head_dim", 20}, {"ff", 396}};
  expect_refused(with(good(), groups), "/ff", "a multiple of 32");
  groups["ff"] = 384;
  EXPECT_TRUE(check_model(with(good(), groups).dump(), "every_member").empty());
  expect_refused(with(good(), {{"draft_ff", 0}, {"embedding_format", "group4"}}), "/d", "a multiple of 32");
  expect_refused(with(good(), {{"draft_ff", 0}, {"body_format", "ternary"}, {"ff", 32769}}), "/ff",
                 "at most 32768");
  EXPECT_TRUE(check_model(with(good(), {{"draft_ff", 0}, {"body_format", "ternary"}, {"ff", 32768}}).dump(),
                          "every_member")
                  .empty());
  expect_refused(with(good(), {{"body_format", "ternary"}, {"draft_ff", 64}}), "/draft_ff",
                 "only a model that an .i8");
}

TEST(model_description, what_no_weights_file_could_hold_is_refused) {
  const json wide{{"d", 65536}, {"heads", 256}, {"kv_heads", 1}, {"head_dim", 256}};
  expect_refused(with(good(), wide), "", "at most 2147483648 bytes");
  const json long_memory{{"kv_heads", 8}, {"context", 131072}, {"repeat", 300}, {"blocks", {"attention"}}};
  expect_refused(with(good(), long_memory), "/context", "at most 2147483648 bytes");
}

TEST(model_description, names_that_mean_something_else_are_refused) {
  for (const char* name : {"i8_file", "coreflow_x512kib", "coreflow_x1kib"}) {
    const auto violations = check_model(with(good(), {{"name", name}}).dump(), name);
    ASSERT_EQ(violations.size(), 1u) << name;
    EXPECT_EQ(violations[0].pointer, "/name");
  }
}

TEST(model_description, reads_every_member) {
  const json description = with(good(), {{"blocks", {"attention", "conv"}},
                                         {"repeat", 2},
                                         {"softcap", 12.5},
                                         {"draft_ff", 7},
                                         {"position_first", 3},
                                         {"position_last", 9},
                                         {"vocab", 100},
                                         {"ff", 50},
                                         {"kv_heads", 4},
                                         {"context", 77}});
  const Shape shape = parse_model(description.dump(), "every_member.json");
  Shape expected;
  expected.name = "every_member";
  expected.vocab = 100;
  expected.d = 144;
  expected.ff = 50;
  expected.blocks = {Block::attention, Block::conv, Block::attention, Block::conv};
  expected.heads = 8;
  expected.kv_heads = 4;
  expected.head_dim = 18;
  expected.context = 77;
  expected.softcap = 12.5f;
  expected.draft_ff = 7;
  expected.default_position_first = 3;
  expected.default_position_last = 9;
  EXPECT_EQ(shape, expected);
}

TEST(model_description, reads_formats_and_experts) {
  const json mixture = json::parse(read_examples("valid").at("mixture_of_experts"));
  const Shape shape = parse_model(mixture.dump(), "mixture_of_experts.json");
  EXPECT_EQ(shape.body_format, Format::ternary);
  EXPECT_EQ(shape.embedding_format, Format::int8);
  EXPECT_EQ(shape.experts, (Experts{12, 3, 2}));
  EXPECT_TRUE(shape.inner_norms);
  const Shape groups = parse_model(read_examples("valid").at("groups"), "groups.json");
  EXPECT_EQ(groups.body_format, Format::group3);
  EXPECT_EQ(groups.embedding_format, Format::group4);
  EXPECT_EQ(groups.experts, Experts{});
  EXPECT_FALSE(groups.inner_norms);
}

TEST(model_description, an_error_is_one_line_with_file_pointer_and_the_number_of_other_faults) {
  try {
    parse_model(with(good(), {{"kv_heads", 3}, {"position_last", 5000}}).dump(), "a/every_member.json");
    ADD_FAILURE() << "accepted";
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::invalid_input);
    EXPECT_STREQ(error.what(),
                 "a/every_member.json: /kv_heads: 3, expected a divisor of heads, which is 8 (and 1 more)");
  }
}

}  // namespace
}  // namespace models
