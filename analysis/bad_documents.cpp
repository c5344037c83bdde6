#include "analysis/bad_documents.hpp"

#include <fmt/format.h>

#include <random>

#include "analysis/test_submission.hpp"
#include "harness/submission_example.hpp"

namespace analysis {

using nlohmann::json;

namespace {

using Change = std::function<void(json&)>;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const size_t at = text.find(what);
  return at == std::string::npos ? "" : text.replace(at, what.size(), by);
}

/// Texts that are no JSON as everybody reads it; the parse must refuse them before any other gate.
// NOLINTNEXTLINE(readability-function-size): a list
std::vector<BadDocument> unparsable() {
  const std::string good = good_document();
  const std::string protocol = R"("protocol":"quick")", cores = R"(,"cores":2)",
                    name = R"("os_name":"debian")";
  const auto with = [&](const std::string& what, const std::string& by) { return replaced(good, what, by); };
  const std::string deep(1'000'000, '['), nested = with(R"("load1":0.25)", R"("load1":)" + deep);
  std::string level_32;
  for (int i = 1; i < 31; ++i) level_32 += "/0";
  return {
      {"empty", "", ""},
      {"blanks", "  \n", ""},
      {"nul", std::string(1, '\0'), ""},
      {"nul_behind", good + std::string(1, '\0') + "{}", ""},
      {"two_documents", good + good, ""},
      {"trailing_garbage", good + "x", ""},
      {"trailing_comma", with(protocol, protocol + ",,"), ""},
      {"truncated", good.substr(0, good.size() / 2), ""},
      {"byte_order_mark", "\xEF\xBB\xBF" + good, ""},
      {"utf16", std::string("\xFF\xFE{\0}\0", 6), ""},
      {"comment", "// a comment\n" + good, ""},
      {"single_quotes", "{'schema':1}", ""},
      {"html", "<html><body>404</body></html>", ""},
      {"nan", with(R"("load1":0.25)", R"("load1":NaN)"), ""},
      {"infinity", with(R"("load1":0.25)", R"("load1":-Infinity)"), ""},
      {"1e400", with(R"("load1":0.25)", R"("load1":1e400)"), ""},
      {"huge_exponent", with(R"("load1":0.25)", R"("load1":1e99999999999999999999)"), ""},
      {"leading_zero", with(cores, R"(,"cores":02)"), ""},
      {"plus_sign", with(cores, R"(,"cores":+2)"), ""},
      {"hexadecimal", with(cores, R"(,"cores":0x2)"), ""},
      {"raw_newline", with("debian", "deb\nian"), ""},
      {"invalid_utf8", with("debian", "deb\xFFian"), ""},
      {"overlong_utf8", with("debian", "deb\xC0\xAFian"), ""},
      {"cut_utf8", with("debian", "deb\xE2\x82"), ""},
      {"surrogate_in_utf8", with("debian", "deb\xED\xA0\x80ian"), ""},
      {"lone_high_surrogate", with("debian", R"(deb\ud800ian)"), ""},
      {"lone_low_surrogate", with("debian", R"(deb\udc00ian)"), ""},
      {"bad_escape", with("debian", R"(deb\xian)"), ""},
      {"u0000", with("debian", R"(deb\u0000ian)"), "/machine/os_name"},
      {"duplicate_key", with(protocol, protocol + R"(,"protocol":"full")"), "/protocol"},
      {"duplicate_key_by_escape", with(protocol, protocol + R"(,"proto\u0063ol":"full")"), "/protocol"},
      {"duplicate_key_below", with(cores, cores + R"(,"cores":64)"), "/machine/cores"},
      {"duplicate_key_by_escape_below", with(cores, cores + R"(,"\u0063ores":64)"), "/machine/cores"},
      {"million_levels", nested, "/conditions/load1" + level_32},
      {"million_levels_alone", deep, level_32 + "/0/0"},
      {"million_objects",
       [] {
         std::string text;
         for (int i = 0; i < 1'000'000 / 5; ++i) text += R"({"a":)";
         return text;
       }(),
       std::string() +
           [] {
             std::string at;
             for (int i = 0; i < 32; ++i) at += "/a";
             return at;
           }()},
      {"string_of_100_kb", with("debian", std::string(100'000, 'a')), "/machine/os_name"},
      {"hash_of_100_kb", with(harness::example_hash, std::string(100'000, 'a')), "/machine/machine_key"},
      {"2_53_and_one", with(cores, R"(,"cores":9007199254740993)"), "/machine/cores"},
      {"2_63", with(cores, R"(,"cores":9223372036854775808)"), "/machine/cores"},
      {"2_64", with(cores, R"(,"cores":18446744073709551616)"), "/machine/cores"},
      {"minus_2_63", with(cores, R"(,"cores":-9223372036854775808)"), "/machine/cores"},
      {"real_beyond_2_53", with(R"("load1":0.25)", R"("load1":1e16)"), "/conditions/load1"},
      {"longer_than_a_mebibyte", good + std::string(1 << 20, ' '), ""},
  };
}

struct Altered {
  const char* name;
  const char* expected;
  Change change;
};

json& series(json& d, size_t launch, size_t index) {
  return d["launches"][launch]["series"][index];
}

/// One member is not what the schema allows.
// NOLINTNEXTLINE(readability-function-size): a list
const std::vector<Altered>& against_schema() {
  static const std::vector<Altered> all{
      {"schema_of_version_2", "/schema", [](json& d) { d["schema"] = "tokroof/submission/2"; }},
      {"schema_of_a_model", "/schema", [](json& d) { d["schema"] = "tokroof/model/1"; }},
      {"schema_missing", "/schema", [](json& d) { d.erase("schema"); }},
      {"kind_unknown", "/kind", [](json& d) { d["kind"] = "rumour"; }},
      {"kind_failure_without_failure", "/failure", [](json& d) { d["kind"] = "failure"; }},
      {"created_local_time", "/created_utc", [](json& d) { d["created_utc"] = "2026-01-31T12:00:30+01:00"; }},
      {"created_as_number", "/created_utc", [](json& d) { d["created_utc"] = 1769860830; }},
      {"created_in_month_13", "/created_utc", [](json& d) { d["created_utc"] = "2026-13-31T12:00:30Z"; }},
      {"nonce_short", "/nonce", [](json& d) { d["nonce"] = "00"; }},
      {"nonce_upper_case", "/nonce", [](json& d) { d["nonce"] = std::string(32, 'A'); }},
      {"host_name", "/machine/host_name", [](json& d) { d["machine"]["host_name"] = "alice-laptop"; }},
      {"mac_address", "/machine/mac", [](json& d) { d["machine"]["mac"] = "02:42:ac:11:00:02"; }},
      {"serial", "/machine/serial_number", [](json& d) { d["machine"]["serial_number"] = "PF3ABCDE"; }},
      {"user_name", "/conditions/user", [](json& d) { d["conditions"]["user"] = "alice"; }},
      {"path", "/suite/executable", [](json& d) { d["suite"]["executable"] = "/home/alice/tokroof"; }},
      {"cores_as_string", "/machine/cores", [](json& d) { d["machine"]["cores"] = "2"; }},
      {"cores_half", "/machine/cores", [](json& d) { d["machine"]["cores"] = 2.5; }},
      {"cores_minus_zero_and_a_bit", "/machine/cores", [](json& d) { d["machine"]["cores"] = -1e-300; }},
      {"cores_negative", "/machine/cores", [](json& d) { d["machine"]["cores"] = -2; }},
      {"cores_null", "/machine/cores", [](json& d) { d["machine"]["cores"] = nullptr; }},
      {"smt_as_number", "/machine/smt", [](json& d) { d["machine"]["smt"] = 1; }},
      {"smt_as_word", "/machine/smt", [](json& d) { d["machine"]["smt"] = "yes"; }},
      {"cache_level_as_number", "/machine/caches/0/level",
       [](json& d) { d["machine"]["caches"][0]["level"] = 1; }},
      {"cache_negative", "/machine/caches/1/bytes", [](json& d) { d["machine"]["caches"][1]["bytes"] = -1; }},
      {"cache_in_kib", "/machine/caches/0/kib", [](json& d) { d["machine"]["caches"][0]["kib"] = 48; }},
      {"caches_overlong", "/machine/caches",
       [](json& d) {
         for (int i = 0; i < 2000; ++i) d["machine"]["caches"].push_back(d["machine"]["caches"][0]);
       }},
      {"key_of_63_digits", "/machine/machine_key",
       [](json& d) { d["machine"]["machine_key"] = std::string(63, 'a'); }},
      {"steal_in_percent", "/conditions/steal_ratio", [](json& d) { d["conditions"]["steal_ratio"] = 12; }},
      {"steal_negative", "/conditions/steal_ratio", [](json& d) { d["conditions"]["steal_ratio"] = -0.1; }},
      {"reading_null", "/conditions/turbo", [](json& d) { d["conditions"]["turbo"] = nullptr; }},
      {"reading_of_both", "/conditions/governor/value",
       [](json& d) {
         d["conditions"]["governor"] = {{"unavailable", "x"}, {"value", "y"}};
       }},
      {"reading_without_reason", "/conditions/governor/unavailable",
       [](json& d) {
         d["conditions"]["governor"] = {{"unavailable", ""}};
       }},
      {"member_misspelt", "/conditions/stael_ratio", [](json& d) { d["conditions"]["stael_ratio"] = 0.1; }},
      {"threads_zero", "/plans/0/threads", [](json& d) { d["plans"][0]["threads"] = 0; }},
      {"plan_without_arms", "/plans/0/arms", [](json& d) { d["plans"][0]["arms"] = json::array(); }},
      {"arithmetic_unknown", "/plans/0/arithmetic", [](json& d) { d["plans"][0]["arithmetic"] = "int4"; }},
      {"golden_not_hex", "/plans/0/golden", [](json& d) { d["plans"][0]["golden"] = std::string(64, 'g'); }},
      {"launch_without_plan", "/launches/1/plan", [](json& d) { d["launches"][1].erase("plan"); }},
      {"purpose_unknown", "/launches/0/purpose", [](json& d) { d["launches"][0]["purpose"] = "fun"; }},
      {"wall_in_seconds", "/launches/1/wall_s", [](json& d) { d["launches"][1]["wall_s"] = 5; }},
      {"wall_negative", "/launches/1/wall_ns", [](json& d) { d["launches"][1]["wall_ns"] = -5; }},
      {"sample_negative", "/launches/1/series/0/samples/3",
       [](json& d) { series(d, 1, 0)["samples"][3] = -1; }},
      {"sample_in_ms", "/launches/1/series/0/samples/3",
       [](json& d) { series(d, 1, 0)["samples"][3] = 1.92; }},
      {"sample_as_string", "/launches/1/series/0/samples/3",
       [](json& d) { series(d, 1, 0)["samples"][3] = "1920000"; }},
      {"samples_empty", "/launches/1/series/0/samples",
       [](json& d) { series(d, 1, 0)["samples"] = json::array(); }},
      {"samples_nested", "/launches/1/series/0/samples/0",
       [](json& d) {
         series(d, 1, 0)["samples"] = {{1, 2}};
       }},
      {"curve_flat", "/launches/0/series/0/samples/0", [](json& d) { series(d, 0, 0)["samples"] = {1}; }},
      {"status_failed_without_reason", "/launches/1/series/0/reason",
       [](json& d) { series(d, 1, 0)["status"] = "failed"; }},
      {"status_unknown", "/launches/1/series/0/status; /launches/1/series/0/reason",
       [](json& d) { series(d, 1, 0)["status"] = "great"; }},
      {"mode_unknown", "/launches/1/series/0/mode", [](json& d) { series(d, 1, 0)["mode"] = "hot"; }},
      {"param_as_list", "/launches/1/series/0/params/x",
       [](json& d) { series(d, 1, 0)["params"]["x"] = {1}; }},
      {"mark_of_a_list_as_text", "/launches/1/series/0/disturbed/steal",
       [](json& d) { series(d, 1, 0)["disturbed"]["steal"] = "g"; }},
      {"mark_of_a_bitmap_as_list", "/launches/1/series/0/disturbed/s",
       [](json& d) { series(d, 1, 0)["disturbed"]["s"] = {0}; }},
      {"mark_of_an_unknown_letter", "/launches/1/series/0/disturbed/q",
       [](json& d) { series(d, 1, 0)["disturbed"]["q"] = "g"; }},
      {"mark_negative", "/launches/1/series/0/disturbed/steal/0",
       [](json& d) { series(d, 1, 0)["disturbed"]["steal"] = {-1}; }},
      {"counter_with_space", "/launches/1/counters/cache misses",
       [](json& d) { d["launches"][1]["counters"]["cache misses"] = 1; }},
      {"counter_as_text", "/launches/1/counters/tokens",
       [](json& d) { d["launches"][1]["counters"]["tokens"] = "many"; }},
      {"golden_as_number", "/launches/1/golden_got", [](json& d) { d["launches"][1]["golden_got"] = 7; }},
      {"interval_without_high", "/derived/decode/0/tokens_per_s/high",
       [](json& d) { d["derived"]["decode"][0]["tokens_per_s"].erase("high"); }},
      {"roof_of_l4", "/derived/roofs/0/level", [](json& d) { d["derived"]["roofs"][0]["level"] = "l4"; }},
      {"derived_note", "/derived/note", [](json& d) { d["derived"]["note"] = "trust me"; }},
      {"forecast_with_model_alone", "/forecasts/1/mode",
       [](json& d) { d["forecasts"][1]["model"] = "coreflow_1_9m"; }},
      {"verdict_unknown", "/verdicts/0/verdict",
       [](json& d) {
         d["verdicts"] = {{{"claim", "c"}, {"seal", harness::example_hash}, {"verdict", "proved"}}};
       }},
      {"launches_missing", "/launches", [](json& d) { d.erase("launches"); }},
      {"top_level_list", "", [](json& d) { d = json::array({d}); }},
      {"top_level_text", "", [](json& d) { d = "tokroof/submission/1"; }},
  };
  return all;
}

void each_sample(json& d, const std::function<int64_t(int64_t)>& change) {
  for (json& launch : d["launches"])
    for (json& one : launch["series"])
      if (one.contains("arm"))
        for (json& sample : one["samples"]) sample = change(sample.get<int64_t>());
}

/// What short forms must hold and no schema can say.
const std::vector<Altered>& against_short_forms() {
  static const std::vector<Altered> all{
      {"bitmap_of_nothing", "/launches/1/series/0/disturbed/s",
       [](json& d) { series(d, 1, 0)["disturbed"]["s"] = "A"; }},
      {"bitmap_of_other_digits", "/launches/1/series/0/disturbed/s",
       [](json& d) { series(d, 1, 0)["disturbed"]["s"] = "g+/="; }},
      {"marked_twice", "/launches/1/series/0/disturbed/steal",
       [](json& d) {
         series(d, 1, 0)["disturbed"] = {{"s", "g"}, {"steal", {0}}};
       }},
      {"first_decode_without_isa", "/derived/decode/0/isa",
       [](json& d) { d["derived"]["decode"][0].erase("isa"); }},
      {"first_launch_without_seed", "/launches/0/order_seed",
       [](json& d) { d["launches"][0].erase("order_seed"); }},
  };
  return all;
}

/// The schema lets these pass; a rule does not.
const std::vector<Altered>& against_rules() {
  static const std::vector<Altered> all{
      {"golden_of_another", "R01 /launches/2/golden_got",
       [](json& d) { d["launches"][2]["golden_got"] = std::string(64, 'b'); }},
      {"golden_not_told", "R01 /launches/2/golden_got",
       [](json& d) { d["launches"][2].erase("golden_got"); }},
      {"derived_faster", "R02 /derived/decode/0/tokens_per_s/median",
       [](json& d) { d["derived"]["decode"][0]["tokens_per_s"]["median"] = 20000; }},
      {"derived_without_flag", "R02 /derived/roofs/0/size_bytes",
       [](json& d) { d["derived"]["roofs"][0]["size_bytes"] = 4096; }},
      {"ratio_forged", "R02 /derived/ratios/1/speed_ratio/low",
       [](json& d) { d["derived"]["ratios"][1]["speed_ratio"]["low"] = 0.1; }},
      {"sample_left_out", "R03 /launches/1/series/0/samples; R02",
       [](json& d) { series(d, 1, 0)["samples"].erase(0); }},
      {"mark_beyond_the_samples", "R03 /launches/1/series/0/disturbed",
       [](json& d) { series(d, 1, 0)["disturbed"]["steal"] = {60}; }},
      {"bitmap_beyond_the_samples", "R03 /launches/1/series/0/disturbed",
       [](json& d) { series(d, 1, 0)["disturbed"]["s"] = "AAAAAAAAAAg"; }},
      {"launch_left_out", "R03 /plans/0/launches", [](json& d) { d["plans"][0]["launches"] = 6; }},
      {"tomorrow", "R04 /created_utc", [](json& d) { d["created_utc"] = "2026-02-01T12:00:31Z"; }},
      {"year_9999", "R04 /created_utc", [](json& d) { d["created_utc"] = "9999-12-31T23:59:59Z"; }},
      {"launch_shorter_than_its_samples", "R05 /launches/1/wall_ns",
       [](json& d) { d["launches"][1]["wall_ns"] = 1000; }},
      {"bytes_per_token_in_kib", "R07 /plans/0/weight_bytes_per_token; R02",
       [](json& d) { d["plans"][0]["weight_bytes_per_token"] = 1888; }},
      {"forecast_forged", "R08 /forecasts/0; R02",
       [](json& d) { d["forecasts"][0]["tokens_per_s"]["point"] = 5500; }},
      {"forecast_after_the_decode", "R09 /forecasts/0/made_ns",
       [](json& d) { d["forecasts"][0]["made_ns"] = 11'000'000'000; }},
      {"pause_before_no_launch", "R10 /interruptions/0; R02",
       [](json& d) {
         d["interruptions"] = {
             {{"before_launch", 99}, {"cause", "resumed"}, {"paused_ns", 1}, {"resumed_ns", 2}}};
       }},
      {"cache_of_56_bytes", "P06 /machine/caches/0; R08; R02",
       [](json& d) { d["machine"]["caches"][0]["bytes"] = 56; }},
      {"lines_of_56_bytes", "P06 /machine/caches/1",
       [](json& d) { d["machine"]["caches"][1]["line_bytes"] = 56; }},
      {"more_pus_than_there_are", "P06 /machine/caches/2",
       [](json& d) { d["machine"]["caches"][2]["shared_by_pus"] = 64; }},
      {"times_in_us", "R02; P01; P02", [](json& d) { each_sample(d, [](int64_t ns) { return ns / 1000; }); }},
      {"times_in_ps", "R05; R02", [](json& d) { each_sample(d, [](int64_t ns) { return ns * 1000; }); }},
      {"all_samples_the_same", "P09 /launches/1/series/3/samples; R02",
       [](json& d) {
         for (json& sample : series(d, 1, 3)["samples"]) sample = 1'952'000;
       }},
      {"samples_copied_and_rescaled", "R02",
       [](json& d) { each_sample(d, [](int64_t ns) { return ns * 937 / 1000; }); }},
      {"warm_and_evicted_swapped", "R02",
       [](json& d) {
         for (json& launch : d["launches"])
           for (json& one : launch["series"])
             if (one.contains("arm") && (one["arm"] == "warm" || one["arm"] == "evict_flush"))
               one["arm"] = one["mode"] = one["arm"] == "warm" ? "evict_flush" : "warm";
       }},
  };
  return all;
}

void add(const std::vector<Altered>& list, std::vector<BadDocument>& all) {
  const json good = json::parse(good_document());
  for (const Altered& each : list) {
    json changed = good;
    each.change(changed);
    all.push_back({each.name, changed.dump(), each.expected});
  }
}

/// Puts a member that nobody knows into seeded objects.
void add_strangers(std::vector<BadDocument>& all) {
  const json good = json::parse(good_document());
  const json flat = good.flatten();
  std::vector<std::string> pointers;
  for (const auto& [pointer, value] : flat.items()) {
    const std::string above = pointer.substr(0, pointer.rfind('/'));
    if (good.at(json::json_pointer(above)).is_object() && above.find("/params") == std::string::npos &&
        above.find("/counters") == std::string::npos && above.find("/disturbed") == std::string::npos &&
        above.find("unavailable") == std::string::npos &&
        !good.at(json::json_pointer(above)).contains("unavailable"))
      pointers.push_back(above);
  }
  std::mt19937 random(20260131);
  for (int i = 0; i < 20; ++i) {
    json changed = good;
    const std::string above = pointers[random() % pointers.size()];
    changed[json::json_pointer(above)]["zzz"] = i;
    all.push_back({fmt::format("stranger_{}", i), changed.dump(), above + "/zzz"});
  }
}

}  // namespace

std::string good_document() {
  harness::Submission made = test_submission();
  const std::vector<harness::Cache> caches = made.machine.caches;
  made.created_utc = good_utc;
  made.nonce = std::string(32, '0');
  made.protocol = "quick";
  made.suite = {"0.1.0", "unknown", true, harness::example_hash, "GNU 12.2.0", "-O2", "avx2", "auto"};
  made.machine = harness::example_machine();
  made.machine.caches = caches;
  for (harness::Cache& cache : made.machine.caches) cache.source = "hwloc";
  made.conditions = harness::example_conditions();
  made.launches[0].series[3].sizes_bytes = {4};  // the words of the clock's chain
  for (size_t i = 0; i < made.launches.size(); ++i) made.launches[i].counters = {{"tokens", int64_t{7672}}};
  for (harness::Forecast& forecast : made.forecasts) {
    for (const auto& own : make_forecasts(made, models::find_shape(forecast.key.model), forecast.key))
      if (own.id == forecast.id) forecast = own;
    forecast.made_utc = good_utc;
  }
  made.derived = derive(made);
  return harness::to_canonical_json(made);
}

std::vector<BadDocument> bad_documents() {
  std::vector<BadDocument> all = unparsable();
  add(against_schema(), all);
  add(against_rules(), all);
  add(against_short_forms(), all);
  add_strangers(all);
  return all;
}

}  // namespace analysis
