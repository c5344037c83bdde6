#include "analysis/claim.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/digest.hpp"
#include "harness/error.hpp"
#include "harness/validation.hpp"

namespace analysis {
namespace {

using nlohmann::json;

ClaimPlan plan_of(const json& text) {
  ClaimPlan plan;
  plan.name = text.at("name");
  plan.model = text.at("model");
  plan.l3_share = text.value("l3_share", plan.l3_share);
  plan.isa = text.value("isa", plan.isa);
  plan.arithmetic = text.value("arithmetic", plan.arithmetic);
  plan.routing = text.value("routing", plan.routing);
  plan.pages = text.value("pages", plan.pages);
  plan.placement = text.value("placement", plan.placement);
  plan.positions = text.value("positions", plan.positions);
  plan.threads = text.value("threads", plan.threads);
  plan.arms = text.at("arms");
  return plan;
}

Region region_of(const json& text) {
  Region region;
  region.low = text.value("low", region.low);
  region.high = text.value("high", region.high);
  return region;
}

ClaimPart part_of(const json& text) {
  ClaimPart part;
  part.name = text.at("name");
  part.quantity = text.at("quantity");
  part.region = region_of(text.at("region"));
  part.support = region_of(text.at("support"));
  part.true_value = text.at("true_value");
  part.false_value = text.at("false_value");
  part.spread = text.at("spread");
  part.published_value = text.value("published_value", part.published_value);
  return part;
}

Claim read(const json& text) {
  Claim claim;
  claim.id = text.at("id");
  claim.hypothesis = text.at("hypothesis");
  claim.source = text.at("source");
  claim.published = text.at("published");
  claim.control = text.at("control");
  claim.support_means = text.at("support_means");
  claim.population = text.at("population");
  claim.exclusions = text.at("exclusions");
  claim.due_utc = text.at("due_utc");
  claim.launches = text.at("launches");
  for (const json& plan : text.value("plans", json::array())) claim.plans.push_back(plan_of(plan));
  claim.probes = text.value("probes", claim.probes);
  claim.fidelity = text.value("fidelity", claim.fidelity);
  claim.golden = text.value("golden", claim.golden);
  claim.test = text.at("test");
  claim.alpha = text.at("alpha");
  for (const json& part : text.at("parts")) claim.parts.push_back(part_of(part));
  claim.seed = text.at("seed");
  return claim;
}

}  // namespace

Claim claim_from_json(std::string_view text) {
  const auto violations = harness::validate_document(text, "claim");
  if (!violations.empty()) {
    throw harness::Error(harness::ExitCode::invalid_input,
                         fmt::format("{}: found {}, expected {}",
                                     violations[0].pointer.empty() ? "the claim" : violations[0].pointer,
                                     violations[0].value, violations[0].expected));
  }
  return read(json::parse(text));
}

std::string seal_of(std::string_view text) {
  return harness::sha256_hex(harness::canonical_json(text));
}

}  // namespace analysis
