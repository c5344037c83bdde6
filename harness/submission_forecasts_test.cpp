// What forecasts have in common stands once in a document, and comes back.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/submission_example.hpp"
#include "harness/validation.hpp"

namespace harness {
namespace {

using nlohmann::json;

const ModelError prior{1.24, 0, "", {}};
const ModelError learnt{1.1, 1, "this", {{"0123456789abcdef", 0.05}}};

Forecast forecast(const char* id, const char* mode, std::optional<ModelError> error = {}) {
  Forecast made{
      id, "1", example_key(mode), example_hash, Interval{1000, 900, 1200}, 5, "2026-01-02T03:04:00Z"};
  made.model_error = std::move(error);
  return made;
}

Submission with(std::vector<Forecast> forecasts) {
  Submission made = example_submission();
  made.forecasts = std::move(forecasts);
  return made;
}

json written(const Submission& submission) {
  return json::parse(to_canonical_json(submission)).at("forecasts");
}

/// Reads a submission back from its text, which must be valid.
Submission read_back(const Submission& submission) {
  const std::string text = to_canonical_json(submission);
  EXPECT_TRUE(validate_document(text).empty());
  return submission_from_json(text);
}

TEST(SubmissionForecasts, a_key_that_repeats_is_written_once_and_comes_back) {
  const auto made = with({forecast("curve", "warm"), forecast("ecm", "warm", prior),
                          forecast("curve", "evict_flush"), forecast("ecm", "evict_flush", prior)});
  const json text = written(made);
  EXPECT_EQ(text[0].at("mode"), "warm");
  EXPECT_FALSE(text[1].contains("model") || text[1].contains("mode") || text[1].contains("isa"));
  EXPECT_EQ(text[2].at("mode"), "evict_flush");
  EXPECT_FALSE(text[3].contains("mode"));
  const auto back = read_back(made);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(back.forecasts[i].key, made.forecasts[i].key) << i;
}

TEST(SubmissionForecasts, inputs_and_time_are_written_where_they_change) {
  auto made = with({forecast("curve", "warm"), forecast("ecm", "warm", prior), forecast("curve", "spin"),
                    forecast("ecm", "spin", prior)});
  made.forecasts[2].inputs_sha256 = made.forecasts[3].inputs_sha256 = std::string(64, 'b');
  made.forecasts[3].made_utc = "2026-01-02T03:04:01Z";
  const json text = written(made);
  EXPECT_TRUE(text[0].contains("inputs_sha256") && text[0].contains("made_utc"));
  EXPECT_FALSE(text[1].contains("inputs_sha256") || text[1].contains("made_utc"));
  EXPECT_TRUE(text[2].contains("inputs_sha256"));
  EXPECT_FALSE(text[2].contains("made_utc") || text[3].contains("inputs_sha256"));
  EXPECT_EQ(text[3].at("made_utc"), "2026-01-02T03:04:01Z");
  const auto back = read_back(made);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(back.forecasts[i].inputs_sha256, made.forecasts[i].inputs_sha256) << i;
    EXPECT_EQ(back.forecasts[i].made_utc, made.forecasts[i].made_utc) << i;
  }
}

TEST(SubmissionForecasts, a_model_error_is_written_where_it_changes_and_belongs_to_ecm_alone) {
  auto unavailable = forecast("ecm", "own_l1");
  unavailable.tokens_per_s = Unavailable{"kernel_rates has not run"};
  const auto made =
      with({forecast("ecm", "warm", learnt), forecast("curve", "spin"), forecast("ecm", "spin", learnt),
            unavailable, forecast("ecm", "evict_flush", prior), forecast("ecm", "evict_read", prior)});
  const json text = written(made);
  EXPECT_EQ(text[0].at("model_error").at("learnt_from").at(0).at("document"), "0123456789abcdef");
  for (const size_t i : {1, 2, 3, 5}) EXPECT_FALSE(text[i].contains("model_error")) << i;
  EXPECT_FALSE(text[4].at("model_error").contains("learnt_from"));
  const auto back = read_back(made);
  for (size_t i = 0; i < made.forecasts.size(); ++i)
    EXPECT_EQ(back.forecasts[i].model_error, made.forecasts[i].model_error) << i;
}

TEST(SubmissionForecasts, what_is_said_of_experts_comes_back) {
  auto made = with({forecast("ecm", "warm", prior)});
  made.forecasts[0].experts = ExpertForecast{55'400'000, 33'554'432, 0.56};
  EXPECT_EQ(read_back(made).forecasts[0].experts, made.forecasts[0].experts);
  EXPECT_EQ(written(made)[0].at("experts").at("constant_from_bytes"), 55'400'000);
}

TEST(SubmissionForecasts, the_first_must_have_a_key) {
  json document =
      json::parse(to_canonical_json(with({forecast("curve", "warm"), forecast("ecm", "warm", prior)})));
  for (const char* name : {"model", "mode", "isa", "page_bytes", "position_first", "position_last"})
    document["forecasts"][0].erase(name);
  try {
    submission_from_json(document.dump());
    ADD_FAILURE() << "was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/forecasts/0/model"), std::string::npos) << error.what();
  }
}

TEST(SubmissionForecasts, a_key_without_its_mode_is_not_taken_for_none) {
  json document =
      json::parse(to_canonical_json(with({forecast("curve", "warm"), forecast("ecm", "warm", prior)})));
  document["forecasts"][1]["isa"] = "avx2";
  try {
    submission_from_json(document.dump());
    ADD_FAILURE() << "was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/forecasts/1/mode"), std::string::npos) << error.what();
  }
}

TEST(SubmissionForecasts, keys_of_forecast_errors_are_shared_in_the_same_way) {
  auto made = example_submission();
  made.derived.forecast_errors = {{"curve", "1", example_key("warm"), 0.6, false},
                                  {"ecm", "1", example_key("warm"), 1.1, true},
                                  {"ecm", "1", example_key("spin"), 1.2, true}};
  const json text = json::parse(to_canonical_json(made)).at("derived").at("forecast_errors");
  EXPECT_FALSE(text[1].contains("mode"));
  EXPECT_EQ(text[2].at("mode"), "spin");
  EXPECT_FALSE(text[2].contains("model")) << "of a key of its own what is the same is left out, too";
  const auto back = read_back(made);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(back.derived.forecast_errors[i].key, made.derived.forecast_errors[i].key) << i;
}

}  // namespace
}  // namespace harness
