#include "harness/cli/claim_template.hpp"

#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

#include "models/golden.hpp"
#include "models/shape.hpp"

namespace cli {
namespace {

/// 90 days from now, at midnight.
std::string usual_due_utc() {
  constexpr std::time_t days = 90, seconds_per_day = 86'400;
  const std::time_t due = std::time(nullptr) + days * seconds_per_day;
  std::tm utc{};
  gmtime_r(&due, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT00:00:00Z", &utc);
  return text.data();
}

}  // namespace

std::string claim_template(const std::string& id) {
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
  const json claim = {{"schema", "tokroof/claim/1"},
                      {"id", id},
                      {"hypothesis", "<what is claimed, in one or two sentences>"},
                      {"source", "<who says so, and where>"},
                      {"published", "<the figures as published>"},
                      {"control", "<which control could refute it, and how>"},
                      {"support_means", "<what a supported verdict would show, and what not>"},
                      {"population", {"l3_bytes >= 4194304"}},
                      {"exclusions", {"steal_ratio > 0.05"}},
                      {"due_utc", usual_due_utc()},
                      {"launches", 10},
                      {"stop", "fixed_launches"},
                      {"plans", {plan}},
                      {"golden", {{model, models::expected_golden(models::find_shape(model))}}},
                      {"test", "t_interval"},
                      {"alpha", 0.05},
                      {"parts", {part}},
                      {"seed", 1}};
  return claim.dump(2) + "\n";
}

}  // namespace cli
