#include "harness/store_fingerprints.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace harness {
namespace {

constexpr size_t most_fingerprints = 8;
constexpr size_t least_samples_of_a_series = 8;  // rule P09 looks at no shorter ones
constexpr size_t least_samples = 32;             // the order of fewer may be the same by chance
constexpr int64_t least_spread_ns = 100;         // what varies by less has no order of its own
constexpr uint64_t fnv_offset = 0xcbf29ce484222325, fnv_prime = 0x100000001b3;

bool has_an_order(const Series& series) {
  if (series.probe != "decode" || series.status != Status::ok) return false;
  if (series.samples.size() < least_samples_of_a_series) return false;
  const auto [least, most] = std::minmax_element(series.samples.begin(), series.samples.end());
  return *most - *least > least_spread_ns;
}

/// FNV-1a over the places of the samples, the shortest sample's first.
class OrderHash {
 public:
  void add(const std::vector<int64_t>& samples) {
    ordered_.clear();
    for (size_t place = 0; place < samples.size(); ++place) ordered_.emplace_back(samples[place], place);
    std::sort(ordered_.begin(), ordered_.end());  // equal ones as they came
    for (const auto& [sample, place] : ordered_) {
      hash_ = (hash_ ^ (place & 0xFF)) * fnv_prime;
      hash_ = (hash_ ^ (place >> 8)) * fnv_prime;
    }
    samples_ += samples.size();
  }
  [[nodiscard]] size_t samples() const { return samples_; }
  /// SQLite's integers have a sign; it is left out.
  [[nodiscard]] int64_t value() const { return static_cast<int64_t>(hash_ >> 1); }

 private:
  std::vector<std::pair<int64_t, size_t>> ordered_;
  uint64_t hash_ = fnv_offset;
  size_t samples_ = 0;
};

std::vector<std::vector<SqlValue>> fingerprint_rows(const StoredContent& content) {
  std::vector<std::vector<SqlValue>> rows;
  rows.reserve(content.fingerprints.size());
  for (const int64_t each : content.fingerprints) rows.push_back({each});
  return rows;
}

}  // namespace

std::vector<int64_t> fingerprints(const Submission& submission) {
  std::set<int64_t> all;
  if (submission.kind == "failure") return {};
  for (const Launch& launch : submission.launches) {
    OrderHash together;  // of series that are too short to stand alone
    for (const Series& series : launch.series) {
      if (!has_an_order(series)) continue;
      if (series.samples.size() < least_samples) {
        together.add(series.samples);
        continue;
      }
      OrderHash alone;
      alone.add(series.samples);
      all.insert(alone.value());
    }
    if (together.samples() >= least_samples) all.insert(together.value());
  }
  std::vector<int64_t> lowest(all.begin(), all.end());
  if (lowest.size() > most_fingerprints) lowest.resize(most_fingerprints);
  return lowest;
}

std::vector<Projection> projections_of_fingerprints() {
  return {{"fingerprints", {"fingerprint"}, &fingerprint_rows}};
}

}  // namespace harness
