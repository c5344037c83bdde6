#include "probes/decode_pass.hpp"

#include <sys/resource.h>

#include <string>
#include <utility>

#include "harness/sampler.hpp"
#include "probes/decode_arms.hpp"

namespace probes {
namespace {

int64_t involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

/// Marks the blocks that something disturbed. Looks between blocks, outside the timed parts.
struct BlockWatch {
  /// The kernel counts steal in ticks of 10 ms (USER_HZ, proc(5)): looking more often would only cost. A rise
  /// marks all blocks since the last look.
  static constexpr int64_t steal_interval_ns = 10'000'000;

  explicit BlockWatch(const harness::Clock& used_clock)
      : clock(used_clock),
        last_look(harness::read_disturbance(used_clock)),
        switches(involuntary_switches()) {}

  void after_block(int index, bool last) {
    const int64_t switches_now = involuntary_switches();
    if (switches_now > switches) disturbed["involuntary_switch"].push_back(index);
    switches = switches_now;
    if (!last && clock.now_ns() - last_look.wall_ns < steal_interval_ns) return;
    const harness::Disturbance look = harness::read_disturbance(clock);
    if (look.steal_ns > last_look.steal_ns) {
      for (int i = first_since_look; i <= index; ++i) disturbed["steal"].push_back(i);
    }
    last_look = look;
    first_since_look = index + 1;
  }

  harness::Clock clock;
  harness::Disturbance last_look;
  int64_t switches;
  int first_since_look = 0;
  harness::Disturbed disturbed;
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

harness::Totals as_totals(const harness::Disturbance& during) {
  return {during.wall_ns,      during.cpu_ns,      during.steal_ns, during.involuntary_switches,
          during.minor_faults, during.major_faults};
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
  const harness::Disturbance before = harness::read_disturbance(setup.clock);
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
  result.totals = as_totals(harness::since(before, harness::read_disturbance(setup.clock)));
  result.disturbed = watch.disturbed;
  return result;
}

}  // namespace probes
