#include "harness/cli/simulated_document.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numeric>

#include "analysis/derive.hpp"
#include "harness/cli/synthetic_document.hpp"
#include "harness/environment.hpp"

namespace cli {
namespace {

// Keeps every speed below the read curves of synthetic documents.
constexpr double slower_than_simulated = 0.4;

/// By how much each level is faster than the simulation's pace of 1.
std::map<std::string, double> level_rates(const Simulation& simulation, size_t sitting) {
  static const std::map<std::string, double> usual{
      {"l1", 4e11}, {"l2", 1.5e11}, {"l3", 9e10}, {"dram", 2.5e10}};
  std::map<std::string, double> rates;
  for (const harness::SittingRoof& roof : simulation.history.roofs) {
    if (roof.sitting == sitting) rates[roof.level] = roof.read_bytes_per_s / usual.at(roof.level);
  }
  return rates;
}

/// The level of a size, as synthetic documents have them.
const char* level_of(int64_t size_bytes) {
  return size_bytes <= 32 << 10    ? "l1"
         : size_bytes <= 768 << 10 ? "l2"
         : size_bytes <= 24 << 20  ? "l3"
                                   : "dram";
}

void stretch(std::vector<int64_t>& samples, int64_t& wall_ns, double by) {
  for (int64_t& ns : samples) {
    const int64_t stretched = std::max<int64_t>(1, std::llround(static_cast<double>(ns) * by));
    wall_ns += stretched - ns;
    ns = stretched;
  }
}

void stretch_probe(harness::Series& series, const std::map<std::string, double>& rates) {
  if (series.probe != "load_bandwidth" && series.probe != "dram_stream") return;
  for (size_t i = 0; i < series.sizes_bytes.size(); ++i) {
    const char* level = series.probe == "dram_stream" ? "dram" : level_of(series.sizes_bytes[i]);
    stretch(series.samples_by_size[i], series.totals.wall_ns, 1 / rates.at(level));
  }
  series.totals.cpu_ns = series.totals.wall_ns - 1000;
}

double speed_of(const Simulation& simulation, size_t sitting, const harness::Series& series,
                const std::string& isa) {
  for (const harness::SittingFigure& figure : simulation.history.figures) {
    if (figure.sitting == sitting && figure.key.model == series.model && figure.key.mode == series.mode &&
        figure.key.isa == isa)
      return slower_than_simulated * figure.tokens_per_s;
  }
  return 0;
}

void stretch_decode(harness::Series& series, double tokens, double tokens_per_s) {
  const auto ns =
      static_cast<double>(std::accumulate(series.samples.begin(), series.samples.end(), int64_t{0}));
  stretch(series.samples, series.totals.wall_ns, 1e9 * tokens / tokens_per_s / ns);
  series.totals.cpu_ns = series.totals.wall_ns - 1000;
}

std::string own_isa(const Simulation& simulation, size_t sitting) {
  for (const harness::SittingFigure& figure : simulation.history.figures) {
    if (figure.sitting == sitting) return figure.key.isa;  // its own comes first
  }
  return "avx2";
}

void dress(harness::Machine& machine, const harness::Sitting& facts) {
  machine.vendor = facts.vendor;
  machine.cpu_model = facts.cpu_model + " " + facts.machine_key.substr(56);
  machine.family = facts.family;
  machine.model = facts.model_number;
  machine.virtualised = true;  // which explains caches that behave otherwise than they are told
  machine.hypervisor = std::string("kvm");
  for (harness::Cache& cache : machine.caches) {
    if (cache.level == 2) cache.bytes = static_cast<uint64_t>(facts.l2_bytes);
    if (cache.level == 3) cache.bytes = static_cast<uint64_t>(facts.l3_bytes);
  }
  machine.machine_key = harness::machine_key(machine);
}

}  // namespace

harness::Submission simulated_submission(const Simulation& simulation, size_t sitting) {
  const harness::Sitting& facts = simulation.history.sittings[sitting];
  static const harness::Submission blank = synthetic_submission(1, true);
  harness::Submission made = blank;
  made.created_utc = facts.created_utc;
  made.nonce = fmt::format("{:032x}", sitting);
  made.suite.version = facts.suite_version;
  made.suite.git_commit = facts.git_commit;
  made.suite.git_dirty = false;
  made.forecasts.clear();
  dress(made.machine, facts);
  const std::string isa = own_isa(simulation, sitting);
  made.suite.isa = made.plans[0].isa = isa;
  const harness::Plan& plan = made.plans[0];
  const double tokens = 2.0 * (plan.position_last - plan.position_first + 1);
  const std::map<std::string, double> rates = level_rates(simulation, sitting);
  for (harness::Launch& launch : made.launches) {
    for (harness::Series& series : launch.series) {
      if (series.probe == "decode")
        stretch_decode(series, tokens, speed_of(simulation, sitting, series, isa));
      else
        stretch_probe(series, rates);
    }
  }
  made.derived = analysis::derive(made);
  return made;
}

}  // namespace cli
