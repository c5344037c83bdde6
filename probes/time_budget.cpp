#include "probes/time_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "probes/order.hpp"

namespace probes {
namespace {

constexpr double most_reserved_share = 0.6;
/// What is begun on a guess is left this much more time.
constexpr double spare = 1.1;
/// Fewer than so many of its sizes, and a curve says too little for what its memory costs: touching it takes
/// time, whatever is then left out.
constexpr double least_share = 0.25;
constexpr const char* skipped_param = "budget_skipped_sizes";

}  // namespace

TimeBudget::TimeBudget(const harness::Clock& clock, int64_t end_ns, std::vector<TimedStep> steps)
    : clock_(clock), end_ns_(end_ns), steps_(std::move(steps)) {}

double TimeBudget::pace() const {
  return guessed_s_ > 0 ? taken_s_ / guessed_s_ : 1;
}

double TimeBudget::reserved_s(double left_s) const {
  double reserved = 0;
  for (size_t i = next_; i < steps_.size(); ++i) {
    if (steps_[i].thins || (steps_[i].extra && !steps_[next_ - 1].extra)) continue;
    const double more = spare * steps_[i].seconds * pace();
    if (reserved + more <= most_reserved_share * left_s) reserved += more;
  }
  return reserved;
}

std::optional<int64_t> TimeBudget::begin() {
  const TimedStep step = steps_[next_++];
  begun_ns_ = clock_.now_ns();
  if (end_ns_ == 0) return 0;
  const double left_s = static_cast<double>(end_ns_ - begun_ns_) / 1e9;
  if (!step.thins) {
    if (spare * step.seconds * pace() <= left_s) return end_ns_;
    return std::nullopt;
  }
  double thinning_s = step.seconds;
  for (size_t i = next_; i < steps_.size(); ++i) {
    if (steps_[i].thins && steps_[i].extra == step.extra) thinning_s += steps_[i].seconds;
  }
  const double share_s = std::max(left_s - reserved_s(left_s), 0.0) * step.seconds / thinning_s;
  if (share_s <= 0 || (step.extra && share_s < least_share * step.seconds * pace())) return std::nullopt;
  return begun_ns_ + static_cast<int64_t>(share_s * 1e9);
}

void TimeBudget::end(bool thinned) {
  if (thinned) return;
  taken_s_ += static_cast<double>(clock_.now_ns() - begun_ns_) / 1e9;
  guessed_s_ += steps_[next_ - 1].seconds;
}

bool is_late(const harness::Clock& clock, int64_t end_ns) {
  return end_ns != 0 && clock.now_ns() > end_ns;
}

SizeBudget::SizeBudget(const harness::Clock& clock, int64_t end_ns, std::vector<double> costs)
    : clock_(clock), start_ns_(clock.now_ns()), end_ns_(end_ns), costs_(std::move(costs)) {}

bool SizeBudget::allows(size_t position) {
  if (end_ns_ == 0 || done_cost_ <= 0) return true;
  const int64_t now_ns = clock_.now_ns();
  const double ns_per_cost = static_cast<double>(now_ns - start_ns_) / done_cost_;
  if (static_cast<double>(now_ns) + spare * ns_per_cost * costs_[position] <= static_cast<double>(end_ns_))
    return true;
  skipped_.push_back(position);
  return false;
}

std::vector<size_t> SizeBudget::skipped() const {
  std::vector<size_t> sorted = skipped_;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

std::vector<size_t> coarse_first_positions(size_t n, uint64_t seed) {
  std::vector<size_t> order;
  std::vector<bool> taken(n, false);
  const auto take = [&](std::vector<size_t> positions) {
    for (const size_t i : shuffled_positions(positions.size(), seed)) order.push_back(positions[i]);
    for (const size_t position : positions) taken[position] = true;
  };
  for (const size_t stride : {size_t{8}, size_t{4}, size_t{2}, size_t{1}}) {
    std::vector<size_t> fresh;
    for (size_t i = 0; i < n; ++i) {
      if (!taken[i] && (i % stride == 0 || i + 1 == n)) fresh.push_back(i);
    }
    take(fresh);
  }
  return order;
}

void drop_sizes(harness::Series& series, const std::vector<size_t>& positions, int samples,
                int64_t budget_ns) {
  if (positions.empty()) return;
  const size_t sizes = series.sizes_bytes.size();
  std::vector<int> new_position(sizes, -1);
  harness::Series kept;
  for (size_t i = 0; i < sizes; ++i) {
    if (std::binary_search(positions.begin(), positions.end(), i)) continue;
    new_position[i] = static_cast<int>(kept.sizes_bytes.size());
    kept.sizes_bytes.push_back(series.sizes_bytes[i]);
    kept.work_per_sample.push_back(series.work_per_sample[i]);
    kept.samples_by_size.push_back(std::move(series.samples_by_size[i]));
  }
  series.sizes_bytes = std::move(kept.sizes_bytes);
  series.work_per_sample = std::move(kept.work_per_sample);
  series.samples_by_size = std::move(kept.samples_by_size);
  for (auto& [reason, indices] : series.disturbed) {
    // What was given up midway leaves no marks either.
    indices.erase(
        std::remove_if(indices.begin(), indices.end(),
                       [&](int index) { return new_position[static_cast<size_t>(index / samples)] < 0; }),
        indices.end());
    for (int& index : indices)
      index = new_position[static_cast<size_t>(index / samples)] * samples + index % samples;
  }
  std::erase_if(series.disturbed, [](const auto& marks) { return marks.second.empty(); });
  series.params[skipped_param] = static_cast<int64_t>(positions.size());
  series.params["budget_ns"] = budget_ns;
}

harness::Series skipped_series(const std::string& probe, int64_t budget_ns) {
  harness::Series series;
  series.probe = probe;
  series.status = harness::Status::unavailable;
  series.reason = fmt::format("skipped: it does not fit into what is left of the budget of {:g} s",
                              static_cast<double>(budget_ns) / 1e9);
  series.params["budget_ns"] = budget_ns;
  return series;
}

bool is_skipped(const harness::Series& series) {
  return series.status == harness::Status::unavailable && series.params.count("budget_ns") != 0;
}

void tell_variant(harness::Series& series, const Variant& variant) {
  const Variant usual;
  if (variant.operation != usual.operation) series.params["operation"] = variant.operation;
  if (variant.pages != usual.pages) series.params["pages"] = variant.pages;
  if (variant.window_bytes != usual.window_bytes) series.params["window_bytes"] = variant.window_bytes;
  if (variant.pool_bytes != usual.pool_bytes) series.params["pool_bytes"] = variant.pool_bytes;
  if (variant.threads != usual.threads) series.params["threads"] = int64_t{variant.threads};
}

int64_t skipped_sizes(const harness::Series& series) {
  const auto found = series.params.find(skipped_param);
  const auto* count = found == series.params.end() ? nullptr : std::get_if<int64_t>(&found->second);
  return count ? *count : 0;
}

}  // namespace probes
