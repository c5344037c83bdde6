#include "harness/cli/token_counts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cli {
namespace {

using json = nlohmann::ordered_json;
using harness::Error;
using harness::ExitCode;

const char* name_of(models::Touches touches) {
  return touches == models::Touches::weights ? "weights" : touches == models::Touches::kv ? "kv" : "vectors";
}

/// A word or a whole number of an entry. What a stranger's executable prints is looked at before it is taken.
std::string figure(const json& entry, const char* key) {
  constexpr size_t longest = 100;
  const auto found = entry.find(key);
  if (found != entry.end() && found->is_number_integer()) return std::to_string(found->get<int64_t>());
  if (found != entry.end() && found->is_string() && found->get_ref<const std::string&>().size() <= longest)
    return found->get<std::string>();
  throw Error(ExitCode::invalid_input, fmt::format("its counts have no '{}'", key));
}

}  // namespace

PerToken per_token(const TokenCounts& counts) {
  PerToken sum;
  for (const models::KernelCount& count : counts.counted.kernels) {
    double& bytes = count.touches == models::Touches::weights ? sum.weight_bytes
                    : count.touches == models::Touches::kv    ? sum.kv_bytes
                                                              : sum.vector_bytes;
    bytes += static_cast<double>(count.bytes);
    sum.macs += static_cast<double>(count.macs);
    sum.calls += static_cast<double>(count.calls);
  }
  const auto tokens = static_cast<double>(std::max<int64_t>(counts.counted.tokens, 1));
  for (double* each : {&sum.weight_bytes, &sum.kv_bytes, &sum.vector_bytes, &sum.macs, &sum.calls})
    *each /= tokens;
  return sum;
}

json to_json(const TokenCounts& counts) {
  const PerToken each = per_token(counts);
  json kernels = json::array();
  for (const models::KernelCount& count : counts.counted.kernels)
    kernels.push_back({{"kernel", count.kernel},
                       {"cols", count.cols},
                       {"touches", name_of(count.touches)},
                       {"calls", count.calls},
                       {"bytes", count.bytes},
                       {"macs", count.macs}});
  json made = {{"model", counts.model},
               {"isa", counts.isa},
               {"arithmetic", counts.arithmetic},
               {"routing", counts.routing},
               {"kernel_version", counts.kernel_version},
               {"position_first", counts.position_first},
               {"position_last", counts.position_last},
               {"tokens", counts.counted.tokens},
               {"weight_bytes_per_token", counts.weight_bytes_per_token},
               {"packed_weight_bytes", counts.counted.packed_bytes},
               {"logits_sha256", counts.counted.logits_sha256},
               {"per_token",
                {{"weight_bytes", each.weight_bytes},
                 {"kv_bytes", each.kv_bytes},
                 {"vector_bytes", each.vector_bytes},
                 {"macs", each.macs},
                 {"kernel_calls", each.calls}}},
               {"kernels", std::move(kernels)}};
  if (harness::available(counts.instructions)) {
    made["instructions"] = std::get<int64_t>(counts.instructions);
  } else {
    made["instructions"] = {{"unavailable", std::get<harness::Unavailable>(counts.instructions).reason}};
  }
  return made;
}

std::map<std::string, std::string> comparable_counts(const json& entry) {
  if (!entry.is_object()) throw Error(ExitCode::invalid_input, "its counts are no object");
  std::map<std::string, std::string> figures;
  for (const char* key : {"isa", "kernel_version", "position_first", "position_last", "tokens",
                          "weight_bytes_per_token", "packed_weight_bytes", "logits_sha256"})
    figures[key] = figure(entry, key);
  const auto kernels = entry.find("kernels");
  if (kernels == entry.end() || !kernels->is_array())
    throw Error(ExitCode::invalid_input, "its counts have no 'kernels'");
  for (const json& kernel : *kernels) {
    if (!kernel.is_object()) throw Error(ExitCode::invalid_input, "its counts have no 'kernel'");
    const std::string cols = figure(kernel, "cols");
    const std::string name = figure(kernel, "kernel") + (cols == "0" ? "" : " of " + cols + " columns");
    for (const char* key : {"calls", "bytes", "macs"}) figures[name + ": " + key] = figure(kernel, key);
  }
  return figures;
}

std::vector<CountChange> count_changes(const std::map<std::string, std::string>& before,
                                       const std::map<std::string, std::string>& after) {
  const auto value = [](const std::map<std::string, std::string>& figures, const std::string& what) {
    const auto found = figures.find(what);
    return found == figures.end() ? std::string("-") : found->second;
  };
  std::map<std::string, std::string> all = before;
  all.insert(after.begin(), after.end());
  std::vector<CountChange> changes;
  for (const auto& [what, unused] : all) {
    CountChange change{what, value(before, what), value(after, what)};
    if (change.before != change.after) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace cli
