#include "probes/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/error.hpp"
#include "harness/topology.hpp"
#include "probes/order.hpp"
#include "probes/time_budget.hpp"
#include "probes/working_sets.hpp"

namespace probes {
namespace {

/// A sample of a large set costs a lap of it: weighs the sizes for the progress that users see.
double cost_of_size(int64_t size_bytes) {
  constexpr double bytes_worth_a_small_size = 16 << 20;
  return 1 + static_cast<double>(size_bytes) / bytes_worth_a_small_size;
}

/// Finds how often the body must repeat for a sample, which also warms the set up. Takes no sample.
int64_t calibrate(const ProbeContext& context, int64_t size_bytes, const SweepBody& body) {
  harness::SamplerOptions options;
  options.samples = 0;
  options.min_sample_ns = body.min_sample_ns;
  options.max_repeats = int64_t{1} << 40;
  return harness::sample(context.clock, options, [&](int64_t repeats) { body.work(size_bytes, repeats); })
      .repeats;
}

enum class Outcome { taken, wrong, late };

/// Takes the samples of one size. One that lasts beyond the end of the budget is given up and leaves nothing.
Outcome sample_size(const ProbeContext& context, size_t position, int64_t size_bytes, const SweepBody& body,
                    harness::Series& series) {
  body.begin(size_bytes);
  body.refresh(size_bytes);
  // Odd, so that what an XOR over all repeats leaves is that of one: a read of nothing would leave 0.
  const int64_t repeats = calibrate(context, size_bytes, body) | 1;
  series.work_per_sample[position] = repeats * body.units_per_repeat(size_bytes);
  std::vector<int64_t>& durations_ns = series.samples_by_size[position];
  for (int i = 0; i < context.samples; ++i) {
    // The watch begins before the refresh: its look at the system's files would evict what was brought back.
    const harness::DisturbanceWatch watch(context.clock);
    body.refresh(size_bytes);
    const int64_t start_ns = context.clock.now_ns();
    body.work(size_bytes, repeats);
    const int64_t end_ns = context.clock.now_ns();
    record_disturbance(series, static_cast<int>(position) * context.samples + i, watch.stop());
    durations_ns.push_back(end_ns - start_ns);
    if (!body.verify(repeats)) return Outcome::wrong;
    if (i + 1 < context.samples && is_late(context.clock, context.end_ns)) return Outcome::late;
  }
  return Outcome::taken;
}

/// With a budget, the sizes that a coarse curve needs come first.
std::vector<size_t> sweep_order(const ProbeContext& context, size_t sizes) {
  return context.end_ns == 0 ? shuffled_positions(sizes, context.seed)
                             : coarse_first_positions(sizes, context.seed);
}

}  // namespace

void sweep(const ProbeContext& context, const std::vector<int64_t>& sizes_bytes, const SweepBody& body,
           harness::Series& series) {
  series.sizes_bytes = sizes_bytes;
  series.work_per_sample.assign(sizes_bytes.size(), 0);
  series.samples_by_size.assign(sizes_bytes.size(), {});
  series.work_unit = body.work_unit;
  series.params["order_seed"] = static_cast<int64_t>(recordable_seed(context.seed));
  series.params["min_sample_ns"] = body.min_sample_ns;
  series.params["samples"] = int64_t{context.samples};
  double total_cost = 0, done_cost = 0;
  std::vector<double> costs;
  for (const int64_t size : sizes_bytes) total_cost += costs.emplace_back(cost_of_size(size));
  SizeBudget budget(context.clock, context.end_ns, costs);
  for (const size_t position : sweep_order(context, sizes_bytes.size())) {
    if (!budget.allows(position)) continue;
    const Outcome outcome = sample_size(context, position, sizes_bytes[position], body, series);
    if (outcome == Outcome::late) {
      budget.gave_up(position);
      continue;
    }
    if (outcome == Outcome::wrong) {
      series.status = harness::Status::failed;
      series.reason = fmt::format("wrong checksum at {} bytes: what was read is not what was written",
                                  sizes_bytes[position]);
      break;
    }
    budget.took(position);
    done_cost += costs[position];
    if (context.progress) context.progress(done_cost / total_cost);
  }
  for (auto& [reason, indices] : series.disturbed) std::sort(indices.begin(), indices.end());
  drop_sizes(series, budget.skipped(), context.samples, context.budget_ns);
  if (series.sizes_bytes.empty()) {  // not even one ended in time
    const std::string probe = series.probe;
    series = skipped_series(probe, context.budget_ns);
  }
}

harness::Reading<std::vector<int64_t>> sweep_sizes(const ProbeContext& context, int64_t budget_bytes) {
  if (context.sizes_bytes.empty()) {
    const harness::Cache* llc = harness::last_level_cache(context.topology);
    auto sizes =
        working_sets(llc == nullptr ? 0 : static_cast<int64_t>(llc->bytes), context.sizes_per_octave);
    sizes.erase(std::upper_bound(sizes.begin(), sizes.end(), budget_bytes), sizes.end());
    if (sizes.empty()) return harness::Unavailable{"not enough memory available for any working set"};
    return sizes;
  }
  auto sizes = context.sizes_bytes;
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  for (const int64_t size : sizes) {
    if (size <= 0 || size % size_quantum_bytes != 0) {
      throw harness::Error(
          harness::ExitCode::usage,
          fmt::format("size {}: give a positive multiple of {} bytes", size, size_quantum_bytes));
    }
    if (size > budget_bytes) {
      return harness::Unavailable{
          fmt::format("a working set of {} bytes exceeds the {} bytes that a probe may take here "
                      "(a quarter of the available memory, at most 1.25 GiB)",
                      size, budget_bytes)};
    }
  }
  return sizes;
}

harness::Series unavailable_series(const std::string& probe, const std::string& reason) {
  harness::Series series;
  series.probe = probe;
  series.status = harness::Status::unavailable;
  series.reason = reason;
  return series;
}

}  // namespace probes
