#include "probes/decode_pass.hpp"

#include <string>
#include <utility>

#include "harness/disturbance.hpp"
#include "probes/decode_arms.hpp"
#include "probes/evidence.hpp"

namespace probes {
namespace {

/// Marks the blocks that something disturbed. Looks between blocks, outside the timed parts.
class BlockWatch {
 public:
  explicit BlockWatch(const harness::Clock& clock)
      : clock_(clock), last_block_(harness::read_thread_disturbance(clock)), since_look_(clock) {}

  void after_block(int index, bool last) {
    const harness::Disturbance now = harness::read_thread_disturbance(clock_);
    mark(harness::since(last_block_, now), index, index);
    if (last || now.wall_ns - look_ns_ >= look_interval_ns) {
      const harness::Disturbance during = since_look_.stop();
      harness::Disturbance of_machine;  // the thread's own part was told block by block
      of_machine.steal_ns = during.steal_ns;
      of_machine.clock_before_hz = during.clock_before_hz;
      of_machine.clock_after_hz = during.clock_after_hz;
      mark(of_machine, first_since_look_, index);
      add_totals(totals_, during);
      first_since_look_ = index + 1;
      since_look_ = harness::DisturbanceWatch(clock_);
      look_ns_ = clock_.now_ns();
    }
    last_block_ = harness::read_thread_disturbance(clock_);
  }

  [[nodiscard]] const harness::Disturbed& disturbed() const { return disturbed_; }
  [[nodiscard]] const harness::Totals& totals() const { return totals_; }

 private:
  /// The kernel counts steal in ticks of 10 ms (USER_HZ, proc(5)): looking more often would only cost. A
  /// rise, and a drift of the core's clock, mark all blocks since the last look.
  static constexpr int64_t look_interval_ns = 10'000'000;

  void mark(const harness::Disturbance& during, int first, int last) {
    for (const std::string& reason : harness::disturbance_reasons(during)) {
      for (int i = first; i <= last; ++i) disturbed_[reason].push_back(i);
    }
  }

  harness::Clock clock_;
  harness::Disturbance last_block_;
  harness::DisturbanceWatch since_look_;
  int64_t look_ns_ = clock_.now_ns();
  int first_since_look_ = 0;
  harness::Disturbed disturbed_;
  harness::Totals totals_;
};

/// Decodes from an empty sequence, untimed.
void warm_up(const PassSetup& setup, const std::function<void()>& evict) {
  setup.decoder.reset();
  uint32_t token = setup.prompt.front();
  for (int i = 0; i < setup.plan.warmup_tokens; ++i) {
    if (evict) evict();
    token = models::argmax(setup.decoder.step(token));
  }
}

/// Brings a fresh sequence to position_first, untimed, and returns the token to feed there.
uint32_t prefill(const PassSetup& setup) {
  setup.decoder.reset();
  uint32_t token = setup.prompt.front();
  for (int i = 0; i < setup.plan.position_first; ++i) {
    token = models::argmax(setup.decoder.step(setup.prompt[static_cast<size_t>(i)]));
  }
  return token;
}

/// One step of FNV-1a (Fowler, Noll, Vo), by words.
uint64_t digest_token(uint64_t digest, uint32_t token) {
  return (digest ^ token) * 0x100000001B3ULL;
}

/// Returns whether a position is the next one to time after `done` of them.
bool is_timed(const harness::Plan& plan, int position, int done) {
  return plan.positions.empty() || plan.positions[static_cast<size_t>(done)] == position;
}

}  // namespace

PassResult run_pass(const PassSetup& setup, const std::function<void()>& evict, harness::Counters& counters) {
  PassResult result;
  warm_up(setup, evict);
  uint32_t token = prefill(setup);
  const harness::Plan& plan = setup.plan;
  const int total = timed_positions(plan);
  BlockWatch watch(setup.clock);
  counters.start();
  int done = 0;
  int64_t sum_ns = 0;
  for (int position = plan.position_first; done < total; ++position) {
    if (is_timed(plan, position, done)) {
      if (evict) evict();
      const int64_t start_ns = setup.clock.now_ns();
      token = models::argmax(setup.decoder.step(token));
      sum_ns += setup.clock.now_ns() - start_ns;
      ++done;
      if (done % plan.block_tokens == 0 || done == total) {
        watch.after_block(static_cast<int>(result.block_ns.size()), done == total);
        result.block_ns.push_back(std::exchange(sum_ns, 0));
      }
    } else {
      token = models::argmax(setup.decoder.step(token));
    }
    result.tokens_digest = digest_token(result.tokens_digest, token);
  }
  result.counters = counters.stop();
  result.totals = watch.totals();
  result.disturbed = watch.disturbed();
  return result;
}

}  // namespace probes
