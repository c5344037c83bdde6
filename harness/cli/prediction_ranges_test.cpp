// Forecasts for machines that nobody measured against what their own facts allow at all: no figure here was
// measured, each bound follows from channels, clocks, sizes and widths.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "harness/cli/predict_sources.hpp"
#include "harness/cli/prediction.hpp"

namespace cli {
namespace {

using harness::Interval;
using harness::Unavailable;

const std::string folder = "harness/testdata/topologies/";
constexpr const char* models_asked[] = {"coreflow_1_9m", "coreflow_12_6m", "moe_ternary_105m",
                                        "moe_ternary_402m", "dense_44m_q3"};

Question ask(const std::string& model) {
  const models::Shape& shape = models::find_shape(model);
  return {shape, analysis::work_of(shape), {}, "", ""};
}

const Interval* tokens(const analysis::CoreForecast& kind, const std::string& id) {
  const analysis::FactForecast* found = analysis::find_forecast(kind, id);
  return found == nullptr ? nullptr : std::get_if<Interval>(&found->tokens_per_s);
}

double value(const harness::Reading<analysis::Fact>& reading) {
  const auto* fact = std::get_if<analysis::Fact>(&reading);
  return fact == nullptr ? 0 : fact->value;
}

/// What no core can exceed: two 64-byte loads per cycle (no x86 core has more), at the boost clock.
double most_tokens_per_s(const analysis::Work& work, double clock_hz) {
  return 2 * 64 * clock_hz / work.weight_bytes;
}

/// What any core manages that runs tokroof at all: every byte from memory at a tenth of what it reads, and a
/// multiply-add, a step of attention and a value per four cycles, one after the other.
double fewest_tokens_per_s(const analysis::CoreFacts& core, const analysis::Work& work) {
  const double seconds =
      10 * (work.weight_bytes + work.kv_bytes) / value(core.levels.back().read_bytes_per_s) +
      4 * (work.macs + work.attention_macs + work.values) / value(core.clock_hz);
  return 1 / seconds;
}

void expect_within_reason(const analysis::CoreFacts& core, const analysis::CoreForecast& kind,
                          const analysis::Work& work, const std::string& what) {
  const Interval* prior = tokens(kind, "catalogue_prior");
  if (prior == nullptr) return;
  EXPECT_LT(prior->high, most_tokens_per_s(work, value(core.clock_hz))) << what;
  EXPECT_GT(prior->low, fewest_tokens_per_s(core, work)) << what;
  // A model that reads from memory alone is no faster than memory, and never slower than the slowest level.
  if (const Interval* dram = tokens(kind, "dram_roof"); dram != nullptr && work.pool_bytes == 0) {
    const double largest =
        static_cast<double>(core.levels.size() > 1 ? core.levels[core.levels.size() - 2].reported_bytes : 0);
    if (work.weight_bytes > 4 * largest) {
      EXPECT_LT(prior->median, 1.1 * dram->median) << what;
    }
  }
  // Multiplying, K and V come on top of what reading the weights takes alone.
  double reading_s = 0;
  for (size_t i = 0; i < kind.served_by.size(); ++i) {
    if (kind.served_by[i].share > 0)
      reading_s += kind.served_by[i].share * work.weight_bytes / value(core.levels[i].read_bytes_per_s);
  }
  EXPECT_LT(prior->median, 1 / reading_s) << what;
}

TEST(prediction_ranges, of_every_cpu_keep_within_what_its_facts_allow) {
  for (const analysis::Cpu& cpu : analysis::cpu_catalogue()) {
    for (const char* model : models_asked) {
      const Question question = ask(model);
      const Prediction prediction = predict_cpu(cpu.name, question);
      const double peak = 8 * cpu.memory.channels * cpu.memory.fastest_transfers_per_s;
      for (size_t i = 0; i < prediction.kinds.size(); ++i) {
        const std::string what = cpu.name + " " + cpu.kinds[i].kind + " " + model;
        expect_within_reason(prediction.machine.kinds[i], prediction.kinds[i], question.work, what);
        EXPECT_LE(tokens(prediction.kinds[i], "dram_roof")->median * question.work.weight_bytes, peak)
            << what;
        const Interval prior = *tokens(prediction.kinds[i], "catalogue_prior");
        EXPECT_LT(prior.high / prior.low, 5) << what;
      }
    }
  }
}

TEST(prediction_ranges, of_every_recorded_machine_keep_within_what_its_facts_allow) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".xml") continue;
    for (const char* model : models_asked) {
      const Question question = ask(model);
      const Prediction prediction = predict_topology(entry.path().string(), question);
      for (size_t i = 0; i < prediction.kinds.size(); ++i) {
        expect_within_reason(prediction.machine.kinds[i], prediction.kinds[i], question.work,
                             entry.path().filename().string() + " " + model);
      }
    }
  }
}

/// What is asked of each recorded machine: an answer, only the memory's roof, or why not.
struct Recorded {
  const char* file;
  const char* says;  ///< "answer" | "dram_roof" | "nothing"
  const char* why;   ///< a part of the reason, where there is no answer
};
constexpr Recorded recorded[] = {
    {"16amd64-8n2c-cpusets-xml.xml", "nothing", "nobody has told what a core of dual core amd opteron"},
    {"16em64t-4s2c2t-offlines-xml.xml", "nothing", "nobody has told what a core of intel xeon"},
    {"2i386-2t-hugepagesizecount.xml", "nothing", "nobody has told what a core of intel xeon"},
    {"AMD-15h-Piledriver-4xOpteron-6348.xml", "dram_roof", "--what-if clock=3GHz"},
    {"AMD-17h-Zen-2xEpyc-7451.xml", "answer", ""},
    {"AMD-1Ah-Zen5StrixPoint-RyzenAI9HX370.xml", "answer", ""},
    {"AMD-K8-SantaRosa-2xOpteron-2218.xml", "nothing",
     "nobody has told what a core of dual-core amd opteron"},
    {"Hygon-Dhyana-32cores.xml", "dram_roof", "--what-if clock=3GHz"},
    {"Intel-CPUID.1F-Qemu-2p3d3c2t.xml", "nothing", "nobody has told what a core of qemu virtual"},
    {"Intel-Haswell-2xXeon-E5-2680v3.xml", "answer", ""},
    {"Intel-KnightsLanding-XeonPhi-7210.xml", "answer", ""},
    {"Intel-Penryn-4xXeon-X7460.xml", "nothing", "nobody has told what a core of intel xeon x7460"},
    {"Intel-RaptorLake-Corei7-1370P.xml", "answer", ""},
    {"Intel-SapphireRapids-2xXeonMax9460.xml", "answer", ""},
    {"Intel-Skylake-2xXeon6140.xml", "answer", ""},
    {"Zhaoxin-CentaurHauls-ZXD-4600.xml", "nothing", "nobody has told what a core of zxd d4600"},
    {"fakeheterocpunuma.xml", "nothing", "nobody has told what a core of this CPU"},
    {"nvidia-dgx-gb10.xml", "nothing", "nobody has told what a core of this CPU"},
};

TEST(prediction_ranges, each_recorded_machine_gets_its_answer_or_its_reason) {
  for (const Recorded& machine : recorded) {
    const Prediction prediction = predict_topology(folder + machine.file, ask("coreflow_1_9m"));
    const std::string says = machine.says;
    for (const auto& kind : prediction.kinds) {
      EXPECT_EQ(tokens(kind, "catalogue_prior") != nullptr, says == "answer") << machine.file;
      EXPECT_EQ(tokens(kind, "dram_roof") != nullptr, says != "nothing") << machine.file;
      if (says == "answer") continue;
      const auto why =
          std::get<Unavailable>(analysis::find_forecast(kind, "catalogue_prior")->tokens_per_s).reason;
      EXPECT_NE(why.find(machine.why), std::string::npos) << machine.file << ": " << why;
      EXPECT_NE(why.find("--what-if"), std::string::npos) << machine.file << " tells no remedy: " << why;
    }
  }
}

TEST(prediction_ranges, one_socket_of_eight_channels_feeds_more_cores_and_not_one_core_faster) {
  const Question large{std::nullopt, analysis::work_of_bytes(400'000'000, 400'000'000), {}, "", ""};
  const auto one_core = [&](const char* name) {
    const Prediction prediction = predict_cpu(name, large);
    return tokens(prediction.kinds.at(0), "dram_roof")->median * large.work.weight_bytes;
  };
  const auto& server = *analysis::find_cpus("EPYC 7402P").at(0);
  EXPECT_EQ(server.memory.channels, 8);
  EXPECT_LT(one_core("EPYC 7402P"), 0.25 * 8 * 8 * server.memory.fastest_transfers_per_s);
  // The same core with two channels: no server's core reads more than the desktop's of its kind.
  EXPECT_LE(one_core("EPYC 7402P"), 1.01 * one_core("Ryzen 5 3600"));
  const Prediction prediction = predict_cpu("EPYC 7402P", large);
  EXPECT_EQ(std::get<int64_t>(prediction.kinds[0].fit_half_l3_bytes), 8 << 20) << "16 MiB per CCX, not 128";
  EXPECT_NE(std::get<std::string>(prediction.kinds[0].limit).find("dram"), std::string::npos);
}

TEST(prediction_ranges, an_n100_has_one_channel_one_kind_and_six_mebibytes) {
  const Question question = ask("coreflow_12_6m");
  const Prediction prediction = predict_cpu("N100", question);
  ASSERT_EQ(prediction.kinds.size(), 1u);
  EXPECT_EQ(prediction.kinds[0].isa, "avx2_vnni");
  EXPECT_EQ(std::get<int64_t>(prediction.kinds[0].fit_half_l3_bytes), 3 << 20);
  // 12.8 MB lie in no cache of it: at most what its single channel of the fastest memory gives.
  EXPECT_LT(tokens(prediction.kinds[0], "catalogue_prior")->median, 8 * 4.8e9 / question.work.weight_bytes);
  EXPECT_EQ(tokens(prediction.kinds[0], "cache_roof"), nullptr);
  const Prediction larger = predict_cpu("i7-12700K", question);
  EXPECT_LT(tokens(prediction.kinds[0], "catalogue_prior")->median,
            tokens(larger.kinds[1], "catalogue_prior")->median)
      << "the same core with 25 MiB of L3";
}

TEST(prediction_ranges,
     intervals_that_are_compared_with_published_figures_are_narrower_than_a_factor_of_four) {
  for (const char* model : {"coreflow_1_9m", "coreflow_12_6m"}) {
    const Prediction prediction = predict_cpu("Ryzen 5 3400G", ask(model));
    for (const auto& forecast : prediction.kinds.at(0).forecasts) {
      const auto* interval = std::get_if<Interval>(&forecast.tokens_per_s);
      if (interval == nullptr) continue;
      EXPECT_LE(interval->high / interval->low, 4) << model << " " << forecast.id;
      EXPECT_GT(interval->high / interval->low, 1.5) << model << ": hardly anything of it is verified";
    }
  }
}

}  // namespace
}  // namespace cli
