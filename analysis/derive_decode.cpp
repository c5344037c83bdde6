#include <algorithm>
#include <cmath>

#include "analysis/derive.hpp"
#include "analysis/derive_parts.hpp"
#include "analysis/eviction.hpp"

namespace analysis {

using harness::Interval;
using harness::Plan;
using harness::Series;
using harness::Submission;
using harness::Unavailable;

namespace {

// 64 bits: a document may name any first and last position.
int64_t timed_positions(const Plan& plan) {
  if (!plan.positions.empty()) return static_cast<int64_t>(plan.positions.size());
  return std::max<int64_t>(0, int64_t{plan.position_last} - plan.position_first + 1);
}

bool makes_a_speed(const Series& series) {
  return series.probe == "decode" && series.status == harness::Status::ok && !is_not_evicted(series) &&
         !series.samples.empty() &&
         std::all_of(series.samples.begin(), series.samples.end(), [](int64_t ns) { return ns > 0; });
}

const Series* find_arm(const harness::Launch& launch, const std::string& arm) {
  for (const auto& series : launch.series) {
    if (series.arm == arm && makes_a_speed(series)) return &series;
  }
  return nullptr;
}

ArmLaunch read_arm(const Series& series, const Plan& plan, size_t launch) {
  ArmLaunch arm;
  arm.launch = launch;
  const int64_t blocks = blocks_per_pass(plan);
  double tokens = 0, duration_ns = 0;
  for (size_t i = 0; i < series.samples.size(); ++i) {
    const auto in_block = static_cast<double>(tokens_in_block(plan, static_cast<int64_t>(i) % blocks));
    const auto ns = static_cast<double>(series.samples[i]);
    tokens += in_block;
    duration_ns += ns;
    arm.block_ns_per_token.push_back(ns / in_block);
  }
  arm.tokens_per_s = tokens / duration_ns * 1e9;
  arm.block_median_ns = harness::median(arm.block_ns_per_token);
  return arm;
}

// No context is longer; keeps a document from asking for an absurd table.
constexpr int64_t max_correlated_blocks = int64_t{1} << 20;

harness::Reading<double> best_read_roof(const std::vector<harness::Roof>& roofs) {
  double best = 0;
  for (const auto& roof : roofs) {
    if (roof.threads != 1) continue;  // what all cores draw from memory together is no roof of one
    const auto* read = std::get_if<Interval>(&roof.read_bytes_per_s);
    if (read && roof.invalid.empty()) best = std::max(best, read->median);
  }
  if (best <= 0) return Unavailable{"no read roof was measured"};
  return best;
}

const ArmRecord* find_warm(const std::vector<ArmRecord>& arms, size_t plan) {
  for (const auto& arm : arms) {
    if (arm.plan == plan && arm.arm == "warm") return &arm;
  }
  return nullptr;
}

/// Speed ratios of the launches that hold both arms: the difference of their log median block times.
std::vector<double> launch_ratios(const ArmRecord& arm, const ArmRecord& warm) {
  std::vector<double> ratios;
  for (const auto& own : arm.launches) {
    for (const auto& base : warm.launches) {
      if (base.launch == own.launch) ratios.push_back(base.block_median_ns / own.block_median_ns);
    }
  }
  return ratios;
}

}  // namespace

int64_t blocks_per_pass(const Plan& plan) {
  if (plan.block_tokens <= 0) return 0;
  return (timed_positions(plan) + plan.block_tokens - 1) / plan.block_tokens;
}

int64_t tokens_in_block(const Plan& plan, int64_t index) {
  return std::min<int64_t>(plan.block_tokens, timed_positions(plan) - index * plan.block_tokens);
}

std::vector<ArmRecord> collect_arms(const Submission& submission) {
  std::vector<ArmRecord> records;
  for (size_t p = 0; p < submission.plans.size(); ++p) {
    const Plan& plan = submission.plans[p];
    if (blocks_per_pass(plan) == 0) continue;
    for (const auto& arm : plan.arms) {
      ArmRecord record;
      record.plan = p;
      record.arm = arm;
      for (size_t i = 0; i < submission.launches.size(); ++i) {
        const auto& launch = submission.launches[i];
        if (launch.purpose != "decode" || launch.plan != static_cast<int>(p)) continue;
        const Series* series = find_arm(launch, arm);
        if (!series) continue;
        if (record.launches.empty()) {
          record.key = decode_key(plan, submission.machine, series->mode,
                                  series->placement.empty() ? "none" : series->placement);
        }
        record.launches.push_back(read_arm(*series, plan, i));
        record.launches.back().round = launch.round;
      }
      if (!record.launches.empty()) records.push_back(std::move(record));
    }
  }
  return records;
}

std::vector<harness::DecodeResult> derive_decode(const Submission& submission,
                                                 const std::vector<ArmRecord>& arms,
                                                 const std::vector<harness::Roof>& roofs) {
  const auto roof = best_read_roof(roofs);
  std::vector<harness::DecodeResult> results;
  for (const auto& arm : arms) {
    harness::DecodeResult result;
    result.key = arm.key;
    result.arm = arm.arm;
    result.launches = static_cast<int>(arm.launches.size());
    std::vector<double> speeds, blocks;
    for (const auto& launch : arm.launches) {
      speeds.push_back(launch.tokens_per_s);
      blocks.insert(blocks.end(), launch.block_ns_per_token.begin(), launch.block_ns_per_token.end());
    }
    result.tokens_per_s = harness::log_t_interval(speeds, 0.95);
    result.token_ns_p50 = std::llround(harness::quantile(blocks, 0.50));
    result.token_ns_p99 = std::llround(harness::quantile(blocks, 0.99));
    result.weight_bytes_per_token = submission.plans[arm.plan].weight_bytes_per_token;
    result.weight_bytes_per_s =
        static_cast<double>(result.weight_bytes_per_token) * result.tokens_per_s.median;
    if (available(roof)) {
      result.roof_fraction = result.weight_bytes_per_s / std::get<double>(roof);
    } else {
      result.roof_fraction = std::get<Unavailable>(roof);
    }
    result.evicted_verified = eviction_verdict(submission, arm.plan, arm.arm, arm.key.mode);
    result.kernel_version = submission.plans[arm.plan].kernel_version;
    results.push_back(result);
  }
  return results;
}

std::vector<harness::ArmRatio> derive_ratios(const std::vector<ArmRecord>& arms) {
  std::vector<harness::ArmRatio> ratios;
  std::vector<std::vector<double>> values;
  int controls = 0;
  for (const auto& arm : arms) {
    const ArmRecord* warm = find_warm(arms, arm.plan);
    if (!warm || arm.arm == "warm") continue;
    const auto of_launches = launch_ratios(arm, *warm);
    if (of_launches.empty()) continue;
    if (arm.arm == "aa") ++controls;
    ratios.push_back({arm.arm + "/warm", arm.key, static_cast<int>(of_launches.size()), {}});
    values.push_back(of_launches);
  }
  for (size_t i = 0; i < ratios.size(); ++i) {
    // All A/A controls of a run together may fail by chance once in twenty runs (Bonferroni).
    const double confidence = ratios[i].name == "aa/warm" ? 1 - 0.05 / controls : 0.95;
    ratios[i].speed_ratio = harness::log_t_interval(values[i], confidence);
  }
  return ratios;
}

double lag1_correlation(const ArmRecord& arm, int64_t blocks) {
  if (blocks < 3 || blocks > max_correlated_blocks || arm.launches.size() < 2) return 0;
  const size_t period = static_cast<size_t>(blocks);
  std::vector<double> block_sum(period, 0), block_count(period, 0);
  std::vector<std::vector<double>> residuals;
  for (const auto& launch : arm.launches) {
    auto& logs = residuals.emplace_back();
    double mean = 0;
    for (double ns : launch.block_ns_per_token) mean += std::log(ns);
    mean /= static_cast<double>(launch.block_ns_per_token.size());
    for (size_t i = 0; i < launch.block_ns_per_token.size(); ++i) {
      logs.push_back(std::log(launch.block_ns_per_token[i]) - mean);
      block_sum[i % period] += logs.back();
      block_count[i % period] += 1;
    }
  }
  double products = 0, squares = 0, count = 0;
  for (auto& logs : residuals) {
    for (size_t i = 0; i < logs.size(); ++i) logs[i] -= block_sum[i % period] / block_count[i % period];
    for (double log : logs) squares += log * log;
    count += static_cast<double>(logs.size());
    for (size_t i = 1; i < logs.size(); ++i) products += logs[i] * logs[i - 1];
  }
  // Below 1e-6 of a block's time, rounding is all there is to correlate.
  return squares < 1e-12 * count ? 0 : products / squares;
}

}  // namespace analysis
