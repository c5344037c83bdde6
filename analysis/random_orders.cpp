#include "analysis/random_orders.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace analysis {

std::vector<size_t> in_order(size_t count) {
  std::vector<size_t> made(count);
  std::iota(made.begin(), made.end(), size_t{0});
  return made;
}

RandomOrders::RandomOrders(std::span<const double> values, double correlation, uint64_t seed)
    : random_(seed), correlation_(correlation), order_(in_order(values.size())) {
  if (correlation_ <= 0) return;
  by_value_ = order_;
  std::sort(by_value_.begin(), by_value_.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  place_ = order_;
  drawn_.resize(values.size());
}

const std::vector<size_t>& RandomOrders::next() {
  if (correlation_ <= 0) {
    for (size_t i = order_.size() - 1; i > 0; --i) std::swap(order_[i], order_[random_.below(i + 1)]);
    return order_;
  }
  const double fresh = std::sqrt(1 - correlation_ * correlation_);
  drawn_[0] = normal();
  for (size_t i = 1; i < drawn_.size(); ++i) drawn_[i] = correlation_ * drawn_[i - 1] + fresh * normal();
  std::sort(place_.begin(), place_.end(), [&](size_t a, size_t b) { return drawn_[a] < drawn_[b]; });
  for (size_t rank = 0; rank < place_.size(); ++rank) order_[place_[rank]] = by_value_[rank];
  return order_;
}

/// Near enough to normal for ranks, and the same with every library: the sum of twelve uniform numbers.
double RandomOrders::normal() {
  uint64_t sum = 0;
  for (int i = 0; i < 3; ++i) {
    const uint64_t bits = random_.next();
    sum += (bits & 0xffff) + ((bits >> 16) & 0xffff) + ((bits >> 32) & 0xffff) + (bits >> 48);
  }
  return static_cast<double>(sum) / 65536.0 - 6;
}

}  // namespace analysis
