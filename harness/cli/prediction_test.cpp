// What `tokroof predict` answers for every recorded machine and every CPU of the catalogue.
#include "harness/cli/prediction.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "harness/cli/predict_sources.hpp"
#include "harness/error.hpp"

namespace cli {
namespace {

using harness::Interval;
using harness::Unavailable;

const std::string folder = "harness/testdata/topologies/";

Question ask(const std::string& model = "coreflow_1_9m", const analysis::WhatIf& what_if = {},
             const std::string& isa = "") {
  const models::Shape& shape = models::find_shape(model);
  return {shape, analysis::work_of(shape), what_if, isa, ""};
}

Question ask_for_bytes(int64_t bytes) {
  return {std::nullopt, analysis::work_of_bytes(bytes, bytes), {}, "", ""};
}

Prediction on_cpu(const std::string& name, const std::string& model = "coreflow_1_9m",
                  const analysis::WhatIf& what_if = {}) {
  return predict_cpu(name, ask(model, what_if));
}

Prediction on(const std::string& file) {
  return predict_topology(folder + file, ask());
}

/// On a terminal so wide that nothing is broken.
std::string text_of(const Prediction& prediction) {
  Terminal terminal;
  terminal.columns = 10'000;
  return prediction_text(terminal, prediction);
}

const analysis::FactForecast& forecast(const analysis::CoreForecast& kind, const std::string& id) {
  for (const auto& one : kind.forecasts) {
    if (one.id == id) return one;
  }
  throw std::out_of_range(id);
}

Interval tokens(const analysis::CoreForecast& kind, const std::string& id = "catalogue_prior") {
  return std::get<Interval>(forecast(kind, id).tokens_per_s);
}

/// "" when there is a forecast.
std::string reason(const analysis::CoreForecast& kind, const std::string& id = "catalogue_prior") {
  const auto* why = std::get_if<Unavailable>(&forecast(kind, id).tokens_per_s);
  return why == nullptr ? "" : why->reason;
}

/// An answer is a positive interval around its point, or a reason.
void expect_sensible(const analysis::CoreForecast& kind, const std::string& what) {
  for (const auto& one : kind.forecasts) {
    if (const auto* why = std::get_if<Unavailable>(&one.tokens_per_s)) {
      EXPECT_GT(why->reason.size(), 10u) << what;
      continue;
    }
    const Interval interval = std::get<Interval>(one.tokens_per_s);
    EXPECT_GT(interval.low, 10) << what << " " << one.id;
    EXPECT_LT(interval.low, interval.median) << what << " " << one.id;
    EXPECT_LT(interval.median, interval.high) << what << " " << one.id;
    EXPECT_LT(interval.high, 1e6) << what << " " << one.id;
  }
  double served = 0;
  for (const auto& level : kind.served_by) served += level.share;
  if (!kind.served_by.empty()) {
    EXPECT_NEAR(served, 1, 1e-9) << what;
  }
}

TEST(prediction, only_what_is_meant_to_hold_90_percent_says_so) {
  const std::string text = text_of(on_cpu("5800x3d"));
  for (const char* line :
       {R"(\ndram_roof +[^\n]*\] +naive)", R"(\ncache_roof +[^\n]*\] +naive)",
        R"(\ncatalogue_prior +[^\n]*\] +90 %)", R"(\nnaive +the interval is how far the reads scatter)"})
    EXPECT_TRUE(std::regex_search(text, std::regex(line))) << line << "\n" << text;
  EXPECT_EQ(text.find("tok/s [90 %]"), std::string::npos);
}

TEST(prediction, every_recorded_machine_gets_an_answer_or_a_reason) {
  int machines = 0, answered = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".xml") continue;
    ++machines;
    const Prediction prediction = predict_topology(entry.path().string(), ask());
    ASSERT_FALSE(prediction.kinds.empty()) << entry.path();
    for (const auto& kind : prediction.kinds) expect_sensible(kind, entry.path().filename().string());
    answered += says_something(prediction) ? 1 : 0;
    EXPECT_FALSE(prediction_text({}, prediction).empty());
  }
  EXPECT_GE(machines, 18);
  EXPECT_GE(answered, 9);
  EXPECT_LT(answered, machines) << "some of them nobody knows";
}

TEST(prediction, every_cpu_of_the_catalogue_gets_an_answer_for_each_kind) {
  for (const analysis::Cpu& cpu : analysis::cpu_catalogue()) {
    for (const char* model : {"coreflow_1_9m", "coreflow_12_6m", "moe_ternary_105m", "dense_44m_q3"}) {
      const Prediction prediction = on_cpu(cpu.name, model);
      EXPECT_EQ(prediction.kinds.size(), cpu.kinds.size());
      for (const auto& kind : prediction.kinds) {
        expect_sensible(kind, cpu.name + " " + model);
        EXPECT_EQ(reason(kind), "") << cpu.name;
        EXPECT_EQ(reason(kind, "dram_roof"), "") << cpu.name;
        const Interval prior = tokens(kind);
        EXPECT_GT(prior.high / prior.low, 1.4) << cpu.name << ": nothing measured is that certain";
        EXPECT_LT(prior.high / prior.low, 5) << cpu.name;
        EXPECT_FALSE(kind.why.empty());
        EXPECT_FALSE(std::get<std::string>(kind.limit).empty());
      }
    }
  }
}

TEST(prediction, a_larger_model_is_slower_everywhere) {
  for (const analysis::Cpu& cpu : analysis::cpu_catalogue()) {
    const double small = tokens(on_cpu(cpu.name).kinds[0]).median;
    const double large = tokens(on_cpu(cpu.name, "coreflow_12_6m").kinds[0]).median;
    EXPECT_GT(small, 2 * large) << cpu.name;
  }
}

TEST(prediction, efficiency_cores_are_slower_than_performance_cores) {
  for (const char* name :
       {"i7-12700K", "i9-13900K", "i7-1370P", "i9-14900K", "Core Ultra 5 245K", "HX 370"}) {
    const Prediction prediction = on_cpu(name);
    ASSERT_EQ(prediction.kinds.size(), 2u) << name;
    EXPECT_EQ(prediction.kinds[0].core_kind, "performance");
    EXPECT_EQ(prediction.kinds[1].core_kind, "efficiency");
    EXPECT_GT(tokens(prediction.kinds[0]).median, tokens(prediction.kinds[1]).median) << name;
  }
  const Prediction recorded = on("Intel-RaptorLake-Corei7-1370P.xml");
  ASSERT_EQ(recorded.kinds.size(), 2u);
  EXPECT_GT(tokens(recorded.kinds[0]).median, tokens(recorded.kinds[1]).median);
}

TEST(prediction, stacked_cache_serves_what_the_other_die_reads_from_memory) {
  const Prediction prediction = predict_cpu("9950X3D", ask_for_bytes(60'000'000));
  ASSERT_EQ(prediction.kinds.size(), 2u);
  EXPECT_GT(tokens(prediction.kinds[0]).median, 1.3 * tokens(prediction.kinds[1]).median);
  EXPECT_NE(std::get<std::string>(prediction.kinds[0].limit).find("l3"), std::string::npos);
  EXPECT_NE(std::get<std::string>(prediction.kinds[1].limit).find("dram"), std::string::npos);
}

TEST(prediction, cpus_take_the_kernels_that_their_instruction_sets_run) {
  const auto kernels = [](const char* name) { return on_cpu(name).kinds.at(0).isa; };
  EXPECT_EQ(kernels("Ryzen 5 3400G"), "avx2");
  EXPECT_EQ(kernels("i7-12700K"), "avx2_vnni");
  EXPECT_EQ(kernels("Ryzen 9 7950X"), "avx512_vnni");
  EXPECT_EQ(kernels("Xeon Gold 6140"), "avx512");
  EXPECT_EQ(kernels("Xeon Phi 7210"), "avx2") << "it has no AVX-512BW";
  EXPECT_EQ(kernels("J4125"), "scalar");
  EXPECT_EQ(kernels("FX-8350"), "scalar");
  EXPECT_EQ(predict_cpu("Ryzen 9 7950X", ask("coreflow_1_9m", {}, "avx2")).kinds[0].isa, "avx2");
  EXPECT_THROW(predict_cpu("Ryzen 5 3400G", ask("coreflow_1_9m", {}, "avx512")), harness::Error);
}

TEST(prediction, a_cpu_without_an_l3_says_what_that_means) {
  const Prediction phi = on_cpu("Xeon Phi 7210");
  EXPECT_EQ(std::get<Unavailable>(phi.kinds[0].fit_half_l3_bytes).reason, "this core has no L3");
  EXPECT_EQ(reason(phi.kinds[0], "cache_roof"),
            "no cache holds 1933600 bytes of weights; the largest has 1048576");
  EXPECT_NE(text_of(phi).find("by fit_half_l3 cannot say: this core has no L3"), std::string::npos);
}

TEST(prediction, a_server_of_many_channels_is_held_by_what_one_core_asks_for) {
  const Prediction server = predict_cpu("EPYC 7742", ask_for_bytes(100'000'000));
  EXPECT_NEAR(tokens(server.kinds[0], "dram_roof").median, 251, 1);
  EXPECT_EQ(std::get<int64_t>(server.kinds[0].fit_half_l3_bytes), 8 << 20);
}

TEST(prediction, facts_that_are_given_answer_for_a_machine_that_nobody_knows) {
  const std::string penryn = folder + "Intel-Penryn-4xXeon-X7460.xml";
  EXPECT_FALSE(says_something(predict_topology(penryn, ask())));
  analysis::WhatIf what_if;
  what_if.levels = {{"dram", {std::nullopt, 5e9}}, {"l2", {std::nullopt, 10e9}}};
  const Prediction prediction = predict_topology(penryn, ask("coreflow_1_9m", what_if));
  EXPECT_NEAR(tokens(prediction.kinds[0], "cache_roof").median, 10e9 / 1933600, 1);
  EXPECT_EQ(reason(prediction.kinds[0], "dram_roof"), "");
  EXPECT_TRUE(says_something(prediction));
}

TEST(prediction, unknown_names_get_the_nearest_and_shared_ones_a_list) {
  const auto refused = [](const std::string& name) -> std::string {
    try {
      on_cpu(name);
    } catch (const harness::Error& error) {
      EXPECT_EQ(error.code(), harness::ExitCode::usage);
      return error.what();
    }
    return "";
  };
  EXPECT_NE(
      refused("Ryzen 5 3400H").find("no CPU 'Ryzen 5 3400H' in the catalogue; nearest: AMD Ryzen 5 3400G"),
      std::string::npos);
  EXPECT_NE(refused("zzzzzzzzzzzzzzzzzzz").find("--topology"), std::string::npos);
  EXPECT_NE(refused("xeon gold").find("'xeon gold' is 5 CPUs; which one: Intel Xeon Gold 6140, "),
            std::string::npos)
      << refused("xeon gold");
  EXPECT_NE(refused("ryzen").find(" more"), std::string::npos);
}

TEST(prediction, a_half_life_whose_end_nobody_saw_makes_what_fits_a_lower_bound) {
  const auto text = [](bool at_least) {
    analysis::MachineFacts machine = predict_cpu("Ryzen 5 3600", ask()).machine;
    machine.kinds[0].half_life = analysis::HalfLife{"l3", 2e5, at_least};
    return text_of(predict_from(machine, ask().work));
  };
  EXPECT_NE(text(true).find("; at least "), std::string::npos);
  EXPECT_NE(text(true).find("in more than 0.2 ms"), std::string::npos);
  EXPECT_EQ(text(false).find("at least"), std::string::npos);
  EXPECT_NE(text(false).find(" by half-life: l3 loses half of what is left alone in 0.2 ms"),
            std::string::npos);
}

TEST(prediction, says_what_to_run_where_to_know_more) {
  const auto narrow = [](const std::string& origin, const std::string& answer, const Question& question,
                         const std::string& widest = "the formula itself") {
    Prediction prediction = predict_cpu("Ryzen 5 3600", question);
    prediction.machine.origin = origin;
    prediction.kinds[0].answer = answer;
    prediction.kinds[0].forecasts.push_back({"ecm", "1", Interval{2, 1, 3}});
    prediction.kinds[0].why = {{widest, 1, 1.2, false, "", "tokroof run"}};
    const std::string text = text_of(prediction);
    const size_t at = text.find("to narrow it");
    return text.substr(at + 14, text.find('\n', at) - at - 14);
  };
  EXPECT_EQ(narrow("here", "ecm", ask()), "run tokroof run");
  EXPECT_EQ(narrow("here", "catalogue_prior", ask()),
            "add --probe: it takes the rates of these kernels, which ecm needs");
  EXPECT_EQ(narrow("here", "catalogue_prior", ask_for_bytes(5'000'000)),
            "describe the model (tokroof models add --help): ecm needs its shape");
  EXPECT_EQ(narrow("submission", "catalogue_prior", ask()),
            "run TOKROOF_ISA=avx2 tokroof run there and give its document: --machine FILE");
  EXPECT_EQ(narrow("submission", "ecm", ask()),
            "run tokroof run there and give its document: --machine FILE");
  EXPECT_EQ(narrow("catalogue", "catalogue_prior", ask_for_bytes(5'000'000), "read rate of dram"),
            "run tokroof run there and give its document: --machine FILE; or tell it: --what-if dram=40GB/s");
}

TEST(prediction, its_json_has_the_members_that_are_documented) {
  const auto names = [](const nlohmann::ordered_json& object) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.items()) keys.push_back(key);
    return keys;
  };
  using Names = std::vector<std::string>;
  const auto json = prediction_json(on_cpu("Ryzen 5 3400G", "moe_ternary_105m"));
  EXPECT_EQ(names(json), (Names{"machine", "model", "threads", "kinds", "sources"}));
  EXPECT_EQ(names(json.at("machine")), (Names{"name", "origin", "notes"}));
  EXPECT_EQ(names(json.at("model")), (Names{"name", "weight_bytes_per_token", "pool_bytes", "routing",
                                            "mean_position", "compute_counted"}));
  const auto& kind = json.at("kinds").at(0);
  EXPECT_EQ(names(kind),
            (Names{"core_kind", "microarchitecture", "isa", "levels", "core", "forecasts", "answer",
                   "served_by", "limit", "terms_s", "fits", "constant_speed", "why_that_wide"}));
  EXPECT_EQ(names(kind.at("levels").at(0)),
            (Names{"level", "reported_bytes", "size_source", "usable_bytes", "read_bytes_per_s"}));
  EXPECT_EQ(names(kind.at("core")),
            (Names{"clock_hz", "macs_per_s", "attention_macs_per_s", "values_per_s", "formula"}));
  EXPECT_EQ(names(kind.at("core").at("clock_hz")), (Names{"value", "spread", "verified", "source"}));
  EXPECT_EQ(names(kind.at("constant_speed")), (Names{"from_bytes", "level", "holds_bytes", "here"}));
  EXPECT_EQ(names(kind.at("why_that_wide").at(0)),
            (Names{"fact", "share", "spread", "verified", "source", "narrow"}));
  EXPECT_EQ(names(json.at("sources").at("vendor")), (Names{"title", "where"}));
}

TEST(prediction, its_json_tells_facts_terms_and_why) {
  const auto json = prediction_json(on_cpu("Ryzen 5 3400G"));
  EXPECT_EQ(json.at("machine").at("origin"), "catalogue");
  EXPECT_EQ(json.at("model").at("weight_bytes_per_token"), 1933600);
  const auto& kind = json.at("kinds").at(0);
  EXPECT_EQ(kind.at("microarchitecture"), "zen_plus");
  EXPECT_EQ(kind.at("forecasts").size(), 3u);
  EXPECT_EQ(kind.at("fits").at("half_l3_bytes"), 2 << 20);
  EXPECT_TRUE(kind.at("fits").at("half_life_bytes").contains("unavailable"));
  double share = 0;
  for (const auto& part : kind.at("why_that_wide")) share += part.at("share").get<double>();
  EXPECT_NEAR(share, 1, 0.05);
  EXPECT_GT(kind.at("terms_s").at("weights from l3"), 0);
}

}  // namespace
}  // namespace cli
