#include "analysis/claim_draft.hpp"

#include <nlohmann/json.hpp>

#include "models/golden.hpp"
#include "models/shape.hpp"

namespace analysis {

nlohmann::ordered_json claim_draft(const std::string& id, const std::string& due_utc) {
  using json = nlohmann::ordered_json;
  const std::string model = "coreflow_1_9m";
  const json part = {{"name", "gain"},
                     {"quantity", "ratio(tokens_per_s[mode=warm], tokens_per_s[mode=evict_flush])"},
                     {"region", {{"low", 2.0}}},
                     {"support", {{"low", 0.5}, {"high", 20.0}}},
                     {"true_value", 2.2},
                     {"false_value", 1.8},
                     {"spread", 0.04}};
  const json plan = {{"name", "main"}, {"model", model}, {"arms", {"warm", "aa", "evict_flush"}}};
  return {{"schema", "tokroof/claim/1"},
          {"id", id},
          {"hypothesis", "<what is claimed, in one or two sentences>"},
          {"source", "<who says so, and where>"},
          {"published", "<the figures as published>"},
          {"control", "<which control could refute it, and how>"},
          {"support_means", "<what a supported verdict would show, and what not>"},
          {"population", {"l3_bytes >= 4194304"}},
          {"exclusions", {"steal_ratio > 0.05"}},
          {"due_utc", due_utc},
          {"launches", 10},
          {"stop", "fixed_launches"},
          {"plans", {plan}},
          {"golden", {{model, models::expected_golden(models::find_shape(model))}}},
          {"test", "t_interval"},
          {"alpha", 0.05},
          {"parts", {part}},
          {"seed", 1}};
}

}  // namespace analysis
