#include "analysis/expert_residency.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <list>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/statistics.hpp"

namespace analysis {
namespace {

constexpr int experts = 60, top_k = 4, layers = 8;
constexpr double expert_bytes = 48;  // any unit
constexpr int dense_chunks = 100;    // of an expert's size

ExpertPool pool() {
  return {dense_chunks * expert_bytes, layers * experts * expert_bytes, layers * top_k * expert_bytes,
          experts, top_k};
}

/// Keeps the chunks that were read last.
class Lru {
 public:
  /// `kept`: a chunk that is not read is still there after a token with this probability.
  explicit Lru(size_t capacity, double kept = 1) : capacity_(capacity), kept_(kept) {}
  void next_token() { ++token_; }
  bool read(int chunk) {
    const auto found = where_.find(chunk);
    const bool there = found != where_.end();
    const bool hit = there && static_cast<double>(random_.next() >> 11) * 0x1p-53 <
                                  std::pow(kept_, token_ - last_read_[chunk]);
    last_read_[chunk] = token_;
    if (there) order_.erase(found->second);
    order_.push_front(chunk);
    where_[chunk] = order_.begin();
    if (order_.size() > capacity_) {
      where_.erase(order_.back());
      order_.pop_back();
    }
    return hit;
  }

 private:
  size_t capacity_;
  double kept_;
  int token_ = 0;
  harness::SplitMix64 random_{7};
  std::unordered_map<int, int> last_read_;
  std::list<int> order_;
  std::unordered_map<int, std::list<int>::iterator> where_;
};

/// Draws what tokens visit, as docs/models.md describes the routings.
class Router {
 public:
  Router(double rho, double exponent) : rho_(rho), last_(layers) {
    for (int i = 0; i < experts; ++i) weights_.push_back(std::pow(i + 1, -exponent));
  }
  const std::set<int>& next(int layer) {
    std::set<int> chosen;
    for (const int expert : last_[static_cast<size_t>(layer)]) {
      if (uniform() < rho_) chosen.insert(expert);
    }
    while (chosen.size() < top_k) chosen.insert(draw());
    return last_[static_cast<size_t>(layer)] = chosen;
  }

 private:
  double uniform() { return static_cast<double>(random_.next() >> 11) * 0x1p-53; }
  int draw() {
    double sum = 0;
    for (const double weight : weights_) sum += weight;
    double left = uniform() * sum;
    for (int i = 0; i < experts; ++i) {
      left -= weights_[static_cast<size_t>(i)];
      if (left < 0) return i;
    }
    return experts - 1;
  }
  double rho_;
  std::vector<double> weights_;
  std::vector<std::set<int>> last_;
  harness::SplitMix64 random_{42};
};

double simulated(double rho, double exponent, int capacity_chunks, double kept = 1) {
  Lru cache(static_cast<size_t>(capacity_chunks), kept);
  Router router(rho, exponent);
  int64_t hits = 0, visits = 0;
  constexpr int tokens = 3000, warmup = 1000;
  for (int token = 0; token < tokens; ++token, cache.next_token()) {
    for (int layer = 0; layer < layers; ++layer) {
      for (int i = layer * dense_chunks / layers; i < (layer + 1) * dense_chunks / layers; ++i)
        cache.read(-1 - i);
      for (const int expert : router.next(layer)) {
        const bool hit = cache.read(layer * experts + expert);
        if (token < warmup) continue;
        ++visits;
        hits += hit;
      }
    }
  }
  return static_cast<double>(hits) / static_cast<double>(visits);
}

double closed(const std::string& routing, int capacity_chunks, double kept = 1) {
  return std::get<double>(expert_hit_ratio(pool(), capacity_chunks * expert_bytes, routing, kept));
}

TEST(ExpertResidency, uniform_routing_hits_as_a_simulated_cache_does) {
  for (const int chunks : {200, 300, 400, 500})
    EXPECT_NEAR(closed("uniform", chunks), simulated(0, 0, chunks), 0.06) << chunks;
}

TEST(ExpertResidency, sticky_routing_hits_as_a_simulated_cache_does) {
  for (const int chunks : {200, 300, 400, 500})
    EXPECT_NEAR(closed("sticky:0.45", chunks), simulated(0.45, 0, chunks), 0.06) << chunks;
}

TEST(ExpertResidency, skewed_routing_hits_as_a_simulated_cache_does) {
  for (const int chunks : {200, 300, 400, 500})
    EXPECT_NEAR(closed("zipf:1", chunks), simulated(0, 1, chunks), 0.05) << chunks;
  EXPECT_GT(closed("zipf:1", 300), closed("uniform", 300) + 0.1);
}

TEST(ExpertResidency, what_others_push_out_is_missing_as_in_a_simulated_cache) {
  for (const int chunks : {300, 700}) {  // the last holds all
    for (const double kept : {0.95, 0.6}) {
      EXPECT_NEAR(closed("uniform", chunks, kept), simulated(0, 0, chunks, kept), 0.05)
          << chunks << " " << kept;
      EXPECT_NEAR(closed("sticky:0.45", chunks, kept), simulated(0.45, 0, chunks, kept), 0.05)
          << chunks << " " << kept;
      EXPECT_NEAR(closed("zipf:1", chunks, kept), simulated(0, 1, chunks, kept), 0.05)
          << chunks << " " << kept;
    }
  }
  EXPECT_LT(closed("uniform", 700, 0.9), 0.5) << "although all of it fits";
  EXPECT_NEAR(closed("sticky:1", 700, 0.9), 0.9, 1e-9);
}

TEST(ExpertResidency, is_all_where_everything_fits_and_none_where_a_token_does_not) {
  for (const char* routing : {"none", "uniform", "sticky:0.45", "zipf:1.1"}) {
    EXPECT_EQ(closed(routing, dense_chunks + layers * experts), 1) << routing;
    EXPECT_EQ(closed(routing, dense_chunks + layers * top_k - 1), 0) << routing;
    double last = 0;
    for (int chunks = dense_chunks + layers * top_k; chunks <= dense_chunks + layers * experts;
         chunks += 20) {
      EXPECT_GE(closed(routing, chunks), last) << routing << " " << chunks;
      last = closed(routing, chunks);
    }
  }
}

TEST(ExpertResidency, a_zipf_exponent_of_0_is_uniform) {
  EXPECT_NEAR(closed("zipf:0", 300), closed("uniform", 300), 1e-6);
}

TEST(ExpertResidency, experts_known_by_their_bytes_alone_hit_as_far_as_they_fit) {
  const ExpertPool bytes{2e6, 32e6, 1e6, 0, 0};
  EXPECT_DOUBLE_EQ(std::get<double>(expert_hit_ratio(bytes, 10e6, "none")), 8.0 / 32);
  EXPECT_DOUBLE_EQ(std::get<double>(expert_hit_ratio(bytes, 34e6, "none")), 1);
  EXPECT_LT(std::get<double>(expert_hit_ratio(bytes, 34e6, "none", 0.9)), 1);
}

TEST(ExpertResidency, what_a_file_repeats_is_not_known) {
  EXPECT_FALSE(harness::available(expert_hit_ratio(pool(), 1e9, "file:" + std::string(64, 'a'))));
}

}  // namespace
}  // namespace analysis
