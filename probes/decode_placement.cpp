#include "probes/decode_placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "harness/cpu_features.hpp"
#include "harness/error.hpp"
#include "harness/pinning.hpp"

namespace probes {
namespace {

constexpr int64_t small_page_bytes = 4096, huge_page_bytes = int64_t{2} << 20;
constexpr int64_t least_read_bytes = 1 << 20;  // of plans that do not tell their weights
constexpr int max_threads = 1024;
constexpr double least_granted_ratio = 0.9;  // the few pages that may be missing must not decide the speed

[[noreturn]] void refuse(const std::string& why) {
  throw harness::Error(harness::ExitCode::usage, why);
}

}  // namespace

void check_team_and_pages(const harness::Plan& plan) {
  if (plan.threads < 1 || plan.threads > max_threads)
    refuse(fmt::format("threads {}: give 1 to {}", plan.threads, max_threads));
  if (plan.page_bytes != small_page_bytes && plan.page_bytes != huge_page_bytes)
    refuse(fmt::format("page_bytes {}: give {} or {}", plan.page_bytes, small_page_bytes, huge_page_bytes));
}

DecodePlacement::DecodePlacement(const harness::Plan& plan, const harness::Topology& topology, int pu,
                                 const harness::Clock& clock)
    : plan_(plan), pus_{pu} {
  if (plan.threads == 1) return;
  pus_ = harness::choose_team_pus(topology, pu, plan.threads);
  siblings_ = harness::sibling_count(topology, pus_);
  control_ = measure_team(topology, pus_, harness::read_cpu_features(), clock,
                          std::max<int64_t>(plan.weight_bytes_per_token, least_read_bytes));
  team_ = std::make_unique<models::ThreadTeam>(topology, pus_);
}

models::DecoderSetup DecodePlacement::setup() const {
  return {models::find_arithmetic(plan_.arithmetic),
          plan_.page_bytes == huge_page_bytes ? harness::Pages::huge : harness::Pages::small, team_.get()};
}

std::string DecodePlacement::look_at_pages(const models::Decoder& decoder) {
  if (plan_.page_bytes != huge_page_bytes) return "";
  huge_weight_bytes_ = static_cast<int64_t>(decoder.huge_weight_bytes());
  const auto weight_bytes = static_cast<int64_t>(decoder.weight_regions().front().size());
  if (static_cast<double>(huge_weight_bytes_) >= least_granted_ratio * static_cast<double>(weight_bytes))
    return "";
  return fmt::format(
      "the kernel gave huge pages to {} of {} bytes of weights: write madvise to "
      "/sys/kernel/mm/transparent_hugepage/enabled, free memory, or decode on small pages",
      huge_weight_bytes_, weight_bytes);
}

std::map<std::string, harness::Param> DecodePlacement::params() const {
  std::map<std::string, harness::Param> params;
  if (plan_.page_bytes == huge_page_bytes) params["huge_weight_bytes"] = huge_weight_bytes_;
  if (pus_.size() > 1) {
    params["thread_pus"] = fmt::format("{}", fmt::join(pus_, ","));
    params["sibling_threads"] = int64_t{siblings_};
    params["together_clock_ratio"] = control_.together_clock_ratio;
    params["together_hz_ratio"] = control_.together_hz_ratio;
    params["team_read_bytes_per_s"] = control_.read_bytes_per_s;
  }
  return params;
}

void DecodePlacement::watch(int64_t now_ns) {
  watched_from_ns_ = now_ns;
  if (!team_) return;
  watched_cpu_ns_ = team_->worker_cpu_ns();
  watched_yields_ = team_->yields();
}

double DecodePlacement::least_cpu_ratio(int64_t now_ns) const {
  double least = 1;
  if (!team_ || now_ns <= watched_from_ns_) return least;
  const std::vector<int64_t> cpu_ns = team_->worker_cpu_ns();
  for (size_t i = 0; i < cpu_ns.size(); ++i) {
    least = std::min(least, static_cast<double>(cpu_ns[i] - watched_cpu_ns_[i]) /
                                static_cast<double>(now_ns - watched_from_ns_));
  }
  return least;
}

int64_t DecodePlacement::yields() const {
  return team_ ? team_->yields() - watched_yields_ : 0;
}

double waiting_ratio(models::Decoder& decoder, const models::Shape& shape) {
  constexpr int most_tokens = 64;
  models::OpTimes times;
  decoder.reset();
  decoder.profile(&times);
  const int tokens = std::min(most_tokens, shape.context);
  for (const uint32_t token : models::seeded_tokens(shape, 1, tokens)) decoder.step(token);
  decoder.profile(nullptr);
  const int64_t all_ns = std::accumulate(times.ns.begin(), times.ns.end(), int64_t{0});
  const int64_t waiting_ns = times.ns[static_cast<size_t>(models::Op::waiting)];
  return all_ns > 0 ? static_cast<double>(waiting_ns) / static_cast<double>(all_ns) : 0;
}

}  // namespace probes
