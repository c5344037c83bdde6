#include "analysis/claim_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/claim_terms.hpp"
#include "analysis/cpu_catalogue.hpp"
#include "analysis/probe_series.hpp"
#include "harness/digest.hpp"
#include "models/shape.hpp"

namespace analysis {

harness::Reading<std::string> model_on(const ClaimPlan& plan, const harness::Machine& machine) {
  if (plan.l3_share <= 0) return plan.model;
  const harness::Cache* cache = level_cache(machine, 3);
  if (cache == nullptr) return harness::Unavailable{"this machine reports no L3"};
  const auto kib = std::llround(plan.l3_share * static_cast<double>(cache->bytes) / 1024);
  const std::string name = fmt::format("{}{}kib", plan.model, kib);
  try {
    if (models::known_shape(name) != nullptr) return name;
  } catch (const harness::Error& error) {
    return harness::Unavailable{error.what()};
  }
  return harness::Unavailable{name + " is no model"};
}

int threads_on(const ClaimPlan& plan, const harness::Machine& machine) {
  if (plan.threads > 0) return plan.threads;
  return std::max(1, std::min(machine.cores, machine.affinity_pus));
}

std::string why_not_all_cores(const ClaimPlan& plan, const harness::Machine& machine) {
  if (plan.threads != 0 || machine.affinity_pus >= machine.threads) return "";
  return fmt::format("it is about all cores, and this process may use {} of {} PUs", machine.affinity_pus,
                     machine.threads);
}

int64_t page_bytes_of(const ClaimPlan& plan) {
  return plan.pages == "huge" ? int64_t{2} << 20 : 4096;
}

std::string golden_key(const ClaimPlan& plan) {
  return plan.arithmetic == "float" ? plan.model + "_float" : plan.model;
}

std::string catalogue_digest() {
  static const std::string digest = harness::sha256_hex(catalogue_text("cpus"));
  return digest;
}

bool has_golden(const Claim& claim, const ClaimPlan& plan, const std::string& digest) {
  const auto stated = claim.golden.find(golden_key(plan));
  return stated == claim.golden.end() || stated->second == digest;
}

std::string difference(const ClaimPlan& claimed, const harness::Plan& plan, const harness::Machine& machine,
                       int launches, bool forced_isa) {
  const auto differs = [](const char* what, const auto& found, const auto& wanted) {
    return fmt::format("{} is {}, the claim's {}", what, found, wanted);
  };
  const auto model = model_on(claimed, machine);
  if (!harness::available(model)) return std::get<harness::Unavailable>(model).reason;
  if (plan.model != std::get<std::string>(model))
    return differs("model", plan.model, std::get<std::string>(model));
  if (claimed.isa == "chosen" ? forced_isa : plan.isa != claimed.isa)
    return differs("isa", plan.isa, claimed.isa);
  if (plan.arithmetic != claimed.arithmetic)
    return differs("arithmetic", plan.arithmetic, claimed.arithmetic);
  if (plan.routing != claimed.routing) return differs("routing", plan.routing, claimed.routing);
  if (plan.placement != claimed.placement) return differs("placement", plan.placement, claimed.placement);
  if (plan.weights != "synthetic") return differs("weights", plan.weights, "synthetic");
  if (std::string why = why_not_all_cores(claimed, machine); !why.empty()) return why;
  if (plan.threads != threads_on(claimed, machine))
    return differs("threads", plan.threads, threads_on(claimed, machine));
  if (plan.page_bytes != page_bytes_of(claimed))
    return differs("page_bytes", plan.page_bytes, page_bytes_of(claimed));
  if (plan.arms != claimed.arms)
    return differs("arms", fmt::format("{}", fmt::join(plan.arms, " ")),
                   fmt::format("{}", fmt::join(claimed.arms, " ")));
  if (plan.launches != launches) return differs("launches", plan.launches, launches);
  const Positions wanted = timed_positions(claimed).value_or(Positions{});
  if (plan.position_first != wanted.first || plan.position_last != wanted.last || !plan.positions.empty())
    return differs("positions", fmt::format("{}:{}", plan.position_first, plan.position_last),
                   fmt::format("{}:{}", wanted.first, wanted.last));
  return "";
}

}  // namespace analysis
