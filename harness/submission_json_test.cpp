#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/submission_example.hpp"
#include "harness/submission_partial.hpp"
#include "harness/validation.hpp"

namespace harness {
namespace {

using nlohmann::json;

/// Changes one member of a document and returns what reading it then says.
std::string reading_error(const std::function<void(json&)>& change) {
  json document = json::parse(to_canonical_json(example_submission()));
  change(document);
  try {
    submission_from_json(document.dump());
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::invalid_input);
    return error.what();
  }
  return "no error";
}

TEST(submission_json, a_full_submission_comes_back_as_the_same_text) {
  const std::string text = to_canonical_json(example_submission());
  EXPECT_EQ(to_canonical_json(submission_from_json(text)), text);
}

TEST(submission_json, values_come_back_as_they_were) {
  const Submission was = example_submission();
  const Submission is = submission_from_json(to_canonical_json(was));
  EXPECT_EQ(is.plans, was.plans);
  ASSERT_EQ(is.launches.size(), was.launches.size());
  for (size_t i = 0; i < is.launches.size(); ++i) {
    EXPECT_EQ(is.launches[i].series, was.launches[i].series);
    EXPECT_EQ(is.launches[i].counters, was.launches[i].counters);
    EXPECT_EQ(is.launches[i].plan, was.launches[i].plan);
  }
  EXPECT_EQ(is.machine.caches, was.machine.caches);
  EXPECT_EQ(is.conditions.governor, was.conditions.governor);
  EXPECT_EQ(is.conditions.load1, was.conditions.load1);
  EXPECT_EQ(is.derived.caches[0].effective_bytes, was.derived.caches[0].effective_bytes);
  EXPECT_EQ(is.derived.decode[0].key, was.derived.decode[0].key);
  EXPECT_EQ(is.forecasts[0].tokens_per_s, was.forecasts[0].tokens_per_s);
  EXPECT_EQ(is.forecasts[1].tokens_per_s, was.forecasts[1].tokens_per_s);
  ASSERT_TRUE(is.failure);
  EXPECT_EQ(is.failure->exit_code, 10);
}

TEST(submission_json, a_partial_run_comes_back_and_is_no_submission) {
  PartialRun partial;
  partial.interrupted = true;
  partial.reason = "interrupted by a signal";
  partial.measured = example_submission();
  partial.measured.conditions.autogroup_nice = int64_t{-20};
  partial.resume.emplace();
  partial.resume->boot_id = "b";
  partial.resume->run_start_ns = 7;
  partial.resume->models = {"coreflow_1_9m"};
  partial.resume->elapsed.pu_times = {{1, 2}};
  partial.resume->elapsed.psi_some_us = Unavailable{"none"};
  const std::string text = partial_to_json(partial);
  const PartialRun read = partial_from_json(text);
  EXPECT_EQ(partial_to_json(read), text);
  EXPECT_EQ(read.resume->elapsed.pu_times[0].busy_ns, 2);
  EXPECT_EQ(std::get<int64_t>(*read.measured.conditions.autogroup_nice), -20);
  EXPECT_THROW(partial_from_json(to_canonical_json(partial.measured)), Error);
  EXPECT_FALSE(validate_document(text).empty());
}

TEST(submission_json, keys_are_spelled_as_documented) {
  const json document = json::parse(to_canonical_json(example_submission()));
  EXPECT_EQ(document["schema"], "tokroof/submission/1");
  EXPECT_EQ(document["machine"]["caches"][0]["level"], "l1");
  EXPECT_EQ(document["machine"]["caches"][4]["level"], "memory_side");
  EXPECT_EQ(document["conditions"]["turbo"]["unavailable"], "no cpufreq directory");
  EXPECT_EQ(document["derived"]["caches"][0]["effective_bytes"]["estimate"], 900000);
  EXPECT_EQ(document["derived"]["retention"][0]["half_life_ns"]["estimate"], 12e6);
  EXPECT_FALSE(document["derived"]["retention"][0].contains("longer_than_ns"));
  EXPECT_EQ(document["derived"]["retention"][1]["longer_than_ns"], 1e8);
  EXPECT_EQ(document["derived"]["roofs"][0]["read_bytes_per_s"]["median"], 3e11);
  EXPECT_EQ(document["derived"]["decode"][0]["mode"], "warm") << "selectors stand beside the figures";
  EXPECT_EQ(document["forecasts"][0]["tokens_per_s"]["point"], 10900);
  EXPECT_TRUE(document["launches"][0]["series"][0]["samples"][0].is_array()) << "a curve has a list per size";
  EXPECT_TRUE(document["launches"][1]["series"][0]["samples"][0].is_number_integer());
}

/// The example with a second round of its decode launch and a second row of each keyed list.
Submission repeating() {
  Submission made = example_submission();
  Launch again = example_decode();
  again.round = 1;
  again.start_ns = 12'000'000'000;
  made.launches.push_back(again);
  made.derived.decode.push_back(made.derived.decode[0]);
  made.derived.decode[1].key.mode = "evict_read";
  made.derived.decode[1].key.placement = "same_llc";
  made.derived.decode[1].key.position_last = 500;
  made.derived.ratios.push_back(made.derived.ratios[0]);
  made.derived.slowdowns.push_back(made.derived.slowdowns[0]);
  made.derived.slowdowns[1].key.isa = "avx512";
  return made;
}

TEST(submission_json, what_repeats_is_left_out_and_comes_back) {
  const Submission was = repeating();
  const json document = json::parse(to_canonical_json(was));
  EXPECT_TRUE(document["launches"][1].contains("counters"));
  EXPECT_FALSE(document["launches"][2].contains("counters") ||
               document["launches"][2].contains("order_seed"));
  // What tells whether a figure counts, and which decode it is of, stands beside each.
  EXPECT_EQ(document["launches"][2]["golden_got"], document["launches"][1]["golden_got"]);
  for (const json& series : document["launches"][2]["series"]) EXPECT_EQ(series["status"], "ok");
  for (const json& decode : document["derived"]["decode"]) {
    for (const char* name : {"model", "isa", "page_bytes", "position_first", "threads", "routing", "weights"})
      EXPECT_TRUE(decode.contains(name)) << name;
  }
  const Submission is = submission_from_json(document.dump());
  EXPECT_EQ(is.launches[2].counters, was.launches[2].counters);
  EXPECT_EQ(is.launches[2].order_seed, was.launches[2].order_seed);
  EXPECT_EQ(is.launches[2].golden_got, was.launches[2].golden_got);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(is.derived.decode[i].key, was.derived.decode[i].key) << i;
    EXPECT_EQ(is.derived.ratios[i].key, was.derived.ratios[i].key) << i;
    EXPECT_EQ(is.derived.slowdowns[i].key, was.derived.slowdowns[i].key) << i;
  }
}

TEST(submission_json, counters_that_are_empty_or_differ_are_not_left_out) {
  Submission was = repeating();
  was.launches[2].counters.clear();
  EXPECT_TRUE(submission_from_json(to_canonical_json(was)).launches[2].counters.empty());
  was.launches[2].counters = {{"tokens", int64_t{7}}};
  EXPECT_EQ(submission_from_json(to_canonical_json(was)).launches[2].counters, was.launches[2].counters);
}

TEST(submission_json, an_order_of_passes_without_its_mirror_comes_back_whole) {
  const auto back = [](std::vector<std::string> order, size_t written) {
    Launch launch = example_decode();
    launch.arm_order = std::move(order);
    const std::string text = launch_to_json(launch);
    EXPECT_EQ(json::parse(text).value("arm_order", json::array()).size(), written);
    EXPECT_EQ(launch_from_json(text).arm_order, launch.arm_order);
  };
  back({"aa", "warm", "warm", "aa"}, 2);
  back({"warm", "warm"}, 1);
  back({"aa", "warm", "aa", "warm"}, 4);
  back({"aa", "aa", "aa", "aa"}, 4);
  back({}, 0);
}

TEST(submission_json, the_first_of_a_list_leaves_nothing_out) {
  for (const char* key : {"model", "isa", "page_bytes", "position_first", "position_last"})
    EXPECT_EQ(reading_error([&](json& d) { d["derived"]["forecast_errors"][0].erase(key); }),
              std::string("/derived/forecast_errors/0/") + key +
                  ": expected a value: later members may leave out what is the same");
  EXPECT_EQ(reading_error([](json& d) { d["launches"][0].erase("order_seed"); }),
            "/launches/0/order_seed: expected a value");
  EXPECT_EQ(reading_error([](json& d) { d["launches"][1].erase("counters"); }),
            "/launches/1/counters: expected a value");
  EXPECT_EQ(reading_error([](json& d) { d["launches"][0].erase("counters"); }),
            "/launches/0/counters: expected a value");
}

TEST(submission_json, empty_optional_members_are_left_out) {
  const json series = json::parse(to_canonical_json(example_submission()))["launches"][0]["series"][1];
  for (const char* key : {"samples", "sizes_bytes", "disturbed", "params", "model", "arm"}) {
    EXPECT_FALSE(series.contains(key)) << key;
  }
  EXPECT_TRUE(series.contains("reason"));
}

TEST(submission_json, launches_and_plans_travel_alone) {
  const std::string launch = launch_to_json(example_decode());
  EXPECT_EQ(launch_to_json(launch_from_json(launch)), launch);
  EXPECT_EQ(plan_from_json(plan_to_json(example_plan())), example_plan());
}

TEST(submission_json, a_missing_member_is_named_by_its_path) {
  EXPECT_EQ(reading_error([](json& d) { d["launches"][1].erase("wall_ns"); }),
            "/launches/1/wall_ns: expected a value");
  EXPECT_EQ(reading_error([](json& d) { d["machine"]["cores"] = "two"; }),
            "/machine/cores: expected an integer");
  EXPECT_EQ(reading_error([](json& d) { d["machine"]["cores"] = int64_t{1} << 40; }),
            "/machine/cores: expected an integer of fewer digits");
  EXPECT_EQ(reading_error([](json& d) { d["plans"] = 3; }), "/plans: expected a list");
  EXPECT_EQ(reading_error([](json& d) { d["suite"] = 3; }), "/suite: expected an object");
  EXPECT_EQ(reading_error([](json& d) { d["suite"]["git_dirty"] = 3; }),
            "/suite/git_dirty: expected true or false");
  EXPECT_EQ(reading_error([](json& d) { d["launches"][0]["series"][0]["status"] = "good"; }),
            "/launches/0/series/0/status: expected ok, unavailable or failed");
  EXPECT_EQ(reading_error([](json&) {}), "no error");
}

TEST(submission_json, text_that_is_not_json_is_refused) {
  EXPECT_THROW(submission_from_json("{"), Error);
}

TEST(submission_json, integers_that_doubles_cannot_hold_are_not_written) {
  Launch launch = example_decode();
  launch.order_seed = (uint64_t{1} << 53) + 1;
  EXPECT_THROW(launch_to_json(launch), Error);
  launch.order_seed = uint64_t{1} << 53;
  EXPECT_NO_THROW(launch_to_json(launch));
}

TEST(submission_json, reals_are_written_with_nine_digits_whatever_their_size) {
  Submission submission = example_submission();
  submission.derived.flags = {{"a", "", 0.1 + 0.2}, {"b", "", 1234567890123.4}, {"c", "", 1e-310}};
  const auto flags = submission_from_json(to_canonical_json(submission)).derived.flags;
  EXPECT_EQ(flags[0].value, 0.3);
  EXPECT_EQ(flags[1].value, 1234567890000.0);
  EXPECT_EQ(flags[2].value, 1e-310);
}

TEST(submission_json, a_figure_that_is_not_finite_is_named) {
  Submission submission = example_submission();
  submission.derived.decode[0].weight_bytes_per_s = std::numeric_limits<double>::quiet_NaN();
  try {
    to_canonical_json(submission);
    FAIL() << "NaN was written";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::internal);
    EXPECT_NE(std::string(error.what()).find("weight_bytes_per_s"), std::string::npos) << error.what();
  }
}

TEST(submission_json, now_is_written_with_a_z_and_whole_seconds) {
  const std::string now = utc_now();
  ASSERT_EQ(now.size(), 20u);
  EXPECT_EQ(now[10], 'T');
  EXPECT_EQ(now.back(), 'Z');
  EXPECT_GT(now, "2024-01-01T00:00:00Z");
}

}  // namespace
}  // namespace harness
