#include "harness/store_origins.hpp"

#include <algorithm>
#include <set>

#include "harness/eviction_evidence.hpp"

namespace harness {
namespace {

using Row = std::vector<SqlValue>;

/// The size of one instance of a level, of the first kind of core that has it; 0 when there is none.
int64_t cache_bytes(const Machine& machine, int level) {
  const auto found = std::find_if(machine.caches.begin(), machine.caches.end(), [&](const Cache& cache) {
    return cache.level == level && cache.type != "instruction" && cache.memory_side.empty();
  });
  return found == machine.caches.end() ? 0 : static_cast<int64_t>(found->bytes);
}

std::vector<Row> machine_rows(const StoredContent& content) {
  if (content.import) return {};
  const Machine& machine = content.submission.machine;
  return {{int64_t{machine.family}, int64_t{machine.model}, int64_t{machine.stepping},
           cache_bytes(machine, 2), cache_bytes(machine, 3), machine.os_name, machine.kernel}};
}

std::vector<Row> suite_rows(const StoredContent& content) {
  if (content.import) return {};
  const Suite& suite = content.submission.suite;
  return {{int64_t{suite.git_dirty}, suite.binary_sha256, suite.compiler, suite.flags}};
}

/// Why the logits or tokens of a series are not the expected ones, "" when they are. What was merely not
/// evicted is not wrong.
std::string wrong_reason(const Launch& launch, const Plan& plan, const Series& series,
                         const std::string& mode) {
  const bool other_logits = launch.golden_got && !plan.golden.empty() && *launch.golden_got != plan.golden;
  const bool failed = series.status == Status::failed && !evicts_weights(mode);
  if (!other_logits && !failed) return "";
  return series.reason.empty() && other_logits
             ? "logits " + launch.golden_got->substr(0, 12) + "…, expected " + plan.golden.substr(0, 12) + "…"
             : series.reason;
}

std::vector<Row> output_rows(const StoredContent& content) {
  const Submission& submission = content.submission;
  std::set<Row> rows;
  for (const Launch& launch : submission.launches) {
    if (launch.purpose != "decode" || !launch.plan) continue;
    const Plan& plan = submission.plans[static_cast<size_t>(*launch.plan)];
    for (const Series& series : launch.series) {
      if (series.probe != "decode") continue;
      const std::string& mode = series.mode.empty() ? series.arm : series.mode;
      rows.insert({plan.model, mode, series.placement.empty() ? "none" : series.placement, plan.isa,
                   plan.arithmetic, plan.weights, std::to_string(plan.weights_seed), plan.routing,
                   int64_t{plan.threads}, plan.page_bytes, plan.kernel_version,
                   launch.golden_got.value_or(""), wrong_reason(launch, plan, series, mode)});
    }
  }
  return {rows.begin(), rows.end()};
}

}  // namespace

std::vector<Projection> projections_of_origins() {
  return {{"machines",
           {"family", "model_number", "stepping", "l2_bytes", "l3_bytes", "os_name", "kernel"},
           &machine_rows},
          {"suites", {"git_dirty", "binary_sha256", "compiler", "flags"}, &suite_rows},
          {"outputs",
           {"model", "mode", "placement", "isa", "arithmetic", "weights", "weights_seed", "routing",
            "threads", "page_bytes", "kernel_version", "golden", "wrong"},
           &output_rows}};
}

}  // namespace harness
