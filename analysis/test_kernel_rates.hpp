// kernel_rates of an invented machine whose kernels have known speeds. For tests only.
#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "analysis/kernel_speed.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// Five equal samples of a hundred calls at each level; a speed's rates of 0 leave the level out.
inline harness::Series test_kernel_series(const std::string& isa, const models::KernelUse& use,
                                          const KernelSpeed& speed) {
  constexpr int64_t long_bytes = 64'000, short_bytes = 16'000, calls = 100'000;
  const bool vectors = use.reads == models::Reads::nothing;
  harness::Series series;
  series.probe = "kernel_rates";
  series.work_unit = "bytes";
  series.params["isa"] = isa;
  series.params["kernel"] = use.kernel;
  if (use.cols > 0) series.params["cols"] = int64_t{use.cols};
  if (use.heads > 0) series.params["heads"] = int64_t{use.heads};
  series.params["call_bytes"] = long_bytes;
  series.params["short_call_bytes"] = short_bytes;
  std::string levels;
  const auto add = [&](const std::string& level, int64_t bytes, double rate) {
    if (rate <= 0) return;
    levels += (levels.empty() ? "" : " ") + level;
    series.sizes_bytes.push_back(100'000 * (static_cast<int64_t>(series.sizes_bytes.size()) + 1));
    series.work_per_sample.push_back(calls * bytes);
    const double call_s = speed.call_s + static_cast<double>(bytes) / rate;
    series.samples_by_size.emplace_back(5, std::llround(call_s * calls * 1e9));
  };
  add(vectors ? "l1_short" : "l2_short", short_bytes, speed.l2_bytes_per_s);
  add(vectors ? "l1" : "l2", long_bytes, speed.l2_bytes_per_s);
  if (!vectors) {
    add("l3", long_bytes, speed.l3_bytes_per_s);
    add("dram", long_bytes, speed.dram_bytes_per_s);
  }
  // Calls apart: of two lengths.
  const auto add_calls = [&](const std::string& level, const std::vector<ColdCall>& apart) {
    if (apart.size() != 2) return;
    for (const bool whole : {false, true}) {
      const ColdCall& call = apart[whole ? 1 : 0];
      add(level + (whole ? "" : "_short"), whole ? long_bytes : short_bytes,
          call.bytes / std::max(call.seconds - speed.call_s, 1e-12));
    }
  };
  if (speed.streamed_ratio > 0) {
    const double call_s = speed.call_s + long_bytes / speed.dram_bytes_per_s;
    add("streamed_run", long_bytes, long_bytes / (speed.streamed_ratio * call_s - speed.call_s));
  }
  add_calls("apart", speed.apart_calls);
  add_calls("streamed", speed.streamed_calls);
  series.params["levels"] = levels;
  return series;
}

/// Adds a series of one speed for every kernel of a shape to the probes of a submission.
inline void add_test_kernels(harness::Submission& submission, const std::string& isa,
                             const models::Shape& shape, const KernelSpeed& speed) {
  for (const models::KernelUse& use : models::token_work(shape, 0, 0)) {
    if (use.reads != models::Reads::experts)
      submission.launches[0].series.push_back(test_kernel_series(isa, use, speed));
  }
}

/// Times of one expert at each level; tokens of 100 and 200 us.
struct TestExperts {
  int64_t near_ns = 500, pool_ns = 1000, pool_slow_ns = 1500;
  int64_t dram_ns = 2000, streamed_ns = 0;  ///< 0: left out
};

/// kernel_rates of the experts of a shape: five equal samples of a token each.
inline harness::Series test_expert_series(const std::string& isa, const models::Shape& shape,
                                          const TestExperts& experts = {}) {
  const models::ExpertWork work = *models::expert_work(shape);
  const int64_t visits = int64_t{work.top_k} * work.blocks;
  harness::Series series;
  series.probe = "kernel_rates";
  series.work_unit = "bytes";
  std::string levels;
  const auto add = [&](const char* level, int64_t ns) {
    if (ns == 0) return;
    levels += (levels.empty() ? "" : " ") + std::string(level);
    series.sizes_bytes.push_back(work.expert_bytes * work.count * work.blocks);
    series.work_per_sample.push_back(visits * work.expert_bytes);
    series.samples_by_size.emplace_back(5, ns * visits);
  };
  add("near", experts.near_ns);
  add("pool", experts.pool_ns);
  add("pool_slow", experts.pool_slow_ns);
  add("dram", experts.dram_ns);
  add("streamed", experts.streamed_ns);
  series.params = {{"isa", isa},
                   {"kernel", std::string("experts")},
                   {"format", std::string(models::kernel_name(work.format))},
                   {"call_bytes", work.expert_bytes},
                   {"experts", int64_t{work.count}},
                   {"blocks", int64_t{work.blocks}},
                   {"top_k", int64_t{work.top_k}},
                   {"between_bytes", work.between_bytes},
                   {"pool_token_ns", int64_t{100'000}},
                   {"pool_slow_token_ns", int64_t{200'000}},
                   {"levels", levels}};
  return series;
}

}  // namespace analysis
