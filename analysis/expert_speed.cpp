#include "analysis/expert_speed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "analysis/expert_residency.hpp"
#include "analysis/kernel_speed.hpp"
#include "analysis/probe_series.hpp"
#include "models/token_work.hpp"

namespace analysis {

using harness::Reading;
using harness::Series;
using harness::Unavailable;

namespace {

std::string text_param(const Series& series, const char* name) {
  const auto found = series.params.find(name);
  const auto* text = found == series.params.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text ? *text : "";
}

bool is_of(const Series& series, const std::string& isa, const models::ExpertWork& work) {
  const auto same = [&](const char* name, int64_t value) { return integer_param(series, name, -1) == value; };
  return series.probe == "kernel_rates" && text_param(series, "kernel") == "experts" &&
         text_param(series, "isa") == isa &&
         text_param(series, "format") == models::kernel_name(work.format) &&
         same("call_bytes", work.expert_bytes) && same("experts", work.count) &&
         same("blocks", work.blocks) && same("top_k", work.top_k) &&
         same("between_bytes", work.between_bytes);
}

Reading<const Series*> find(const harness::Submission& probed, const std::string& isa,
                            const models::ExpertWork& work) {
  for (const auto& launch : probed.launches) {
    if (launch.purpose != "probes") continue;
    for (const Series& series : launch.series) {
      if (is_of(series, isa, work) && series.status == harness::Status::ok) return &series;
    }
  }
  return Unavailable{"kernel_rates has not measured a pool of such experts"};
}

std::optional<double> number_after_colon(const std::string& routing) {
  const size_t colon = routing.find(':');
  double value = 0;
  if (colon == std::string::npos ||
      std::from_chars(routing.data() + colon + 1, routing.data() + routing.size(), value).ec != std::errc{})
    return std::nullopt;
  return value;
}

double drawn_s(const ExpertSpeed& speed, double token_s) {
  const auto &first = speed.drawn.front(), &last = speed.drawn.back();
  if (token_s <= first.token_s || last.token_s <= first.token_s) return first.expert_s;
  const double part = std::min((token_s - first.token_s) / (last.token_s - first.token_s), 1.0);
  return first.expert_s + part * (last.expert_s - first.expert_s);
}

double hits_of(const ExpertSpeed& speed, double seconds) {
  if (speed.dram_s <= speed.near_s) return 1;
  return std::clamp((speed.dram_s - seconds) / (speed.dram_s - speed.near_s), 0.0, 1.0);
}

}  // namespace

Reading<ExpertSpeed> expert_speed(const harness::Submission& probed, const std::string& isa,
                                  const models::Shape& shape) {
  const auto work = models::expert_work(shape);
  if (!work) return Unavailable{shape.name + " has no experts"};
  const auto found = find(probed, isa, *work);
  if (const auto* why = std::get_if<Unavailable>(&found)) return *why;
  const Series& series = *std::get<const Series*>(found);
  ExpertSpeed speed;
  for (const auto& [level, call] : call_times(series)) {
    speed.log_width = std::max(speed.log_width, call.log_width);
    const auto token_ns = static_cast<double>(integer_param(series, level + "_token_ns", 0));
    if (level == "near") speed.near_s = call.seconds;
    if (level == "dram") speed.dram_s = call.seconds;
    if (level == "streamed") speed.streamed_s = call.seconds;
    if (level.starts_with("pool") && token_ns > 0) speed.drawn.push_back({token_ns * 1e-9, call.seconds});
  }
  std::sort(speed.drawn.begin(), speed.drawn.end(),
            [](const auto& a, const auto& b) { return a.token_s < b.token_s; });
  if (speed.near_s > 0 && !speed.drawn.empty()) return speed;
  return Unavailable{"kernel_rates: its series of experts lacks a level"};
}

Reading<ExpertTime> expert_time(const ExpertSpeed& speed, const models::Shape& shape,
                                const std::string& routing, double token_s) {
  if (routing.starts_with("file:")) return Unavailable{"which experts the file's trace repeats is not known"};
  double seconds = drawn_s(speed, token_s);
  if (routing.starts_with("sticky:")) {
    const double rho = std::clamp(number_after_colon(routing).value_or(0), 0.0, 1.0);
    seconds = rho * speed.near_s + (rho < 1 ? (1 - rho) * drawn_s(speed, token_s / (1 - rho)) : 0);
  } else if (routing.starts_with("zipf:")) {
    if (speed.dram_s <= 0) return Unavailable{"kernel_rates has not measured these experts from memory"};
    ExpertPool pool;
    pool.pool_bytes = models::pool_bytes(shape);
    pool.experts = shape.experts.count;
    pool.top_k = shape.experts.top_k;
    const auto hits = expert_hit_ratio(pool, hits_of(speed, seconds) * pool.pool_bytes, routing);
    if (const auto* why = std::get_if<Unavailable>(&hits)) return *why;
    seconds = speed.at_hits(std::get<double>(hits));
  }
  return ExpertTime{seconds, hits_of(speed, seconds)};
}

}  // namespace analysis
