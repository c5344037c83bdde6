#include "probes/handover.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "harness/bound_thread.hpp"

namespace probes {
namespace {

constexpr int batches = 9;
constexpr int64_t trips_per_batch = 200;
/// Where both share one hardware thread after all, who waits must let the other run.
constexpr int spins_before_yield = 20'000;

struct alignas(128) Ball {
  std::atomic<int64_t> hits{0};

  void wait_for(int64_t hit) const {
    for (int spins = 0; hits.load(std::memory_order_acquire) != hit;) {
      if (++spins % spins_before_yield == 0) std::this_thread::yield();
    }
  }
};

constexpr int64_t all_hits = 2 * batches * trips_per_batch;

void return_ball(Ball& ball) {
  for (int64_t hit = 1; hit < all_hits; hit += 2) {
    ball.wait_for(hit);
    ball.hits.store(hit + 1, std::memory_order_release);
  }
}

}  // namespace

int64_t handover_ns(const harness::Topology& topology, int pu, const harness::Clock& clock) {
  Ball ball;
  std::thread other = harness::start_bound_thread(topology, pu, [&ball] { return_ball(ball); });
  std::array<int64_t, batches> batch_ns{};
  int64_t hit = 0;
  for (int64_t& ns : batch_ns) {
    const int64_t start_ns = clock.now_ns();
    for (int64_t trip = 0; trip < trips_per_batch; ++trip) {
      ball.hits.store(++hit, std::memory_order_release);
      ball.wait_for(++hit);
    }
    ns = clock.now_ns() - start_ns;
  }
  other.join();
  std::nth_element(batch_ns.begin(), batch_ns.begin() + batches / 2, batch_ns.end());
  return batch_ns[batches / 2] / (2 * trips_per_batch);
}

}  // namespace probes
