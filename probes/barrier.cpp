// barrier: how long the decoder's threads take to wait for each other, and to hand each other a vector.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "harness/buffer.hpp"
#include "harness/error.hpp"
#include "harness/pinning.hpp"
#include "models/thread_team.hpp"
#include "probes/core_team.hpp"
#include "probes/probe.hpp"
#include "probes/sweep.hpp"

namespace probes {
namespace {

constexpr int64_t line_bytes = 64;
constexpr size_t words_per_line = line_bytes / sizeof(uint64_t);

/// What members hand each other, round after round. Two vectors in turns, as in a decoder: nobody writes
/// what another may still read. A team of one writes and reads all of it, too: the control.
struct Exchange {
  models::ThreadTeam& team;
  harness::Buffer vectors;
  size_t lines = 0;  ///< of one vector, as many of each member
  int64_t rounds = 0;
  struct alignas(128) Member {
    uint64_t sum = 0;
  };
  std::vector<Member> members;

  Exchange(models::ThreadTeam& of, size_t most_lines)
      : team(of),
        vectors(2 * most_lines * line_bytes, harness::Pages::small),
        members(static_cast<size_t>(of.size())) {}

  [[nodiscard]] uint64_t* line(int64_t round, size_t index) const {
    auto* words = reinterpret_cast<uint64_t*>(vectors.data());
    return words + (static_cast<size_t>(round % 2) * lines + index) * words_per_line;
  }

  static void run(void* of, int member) {
    auto& exchange = *static_cast<Exchange*>(of);
    const auto at = static_cast<size_t>(member);
    const size_t own = exchange.lines / exchange.members.size();
    uint64_t sum = 0;
    for (int64_t round = 0; round < exchange.rounds; ++round) {
      for (size_t i = at * own; i < (at + 1) * own; ++i)
        *exchange.line(round, i) = static_cast<uint64_t>(round) + i;
      exchange.team.wait(member);
      for (size_t i = 0; i < exchange.lines; ++i) sum += *exchange.line(round, i);
    }
    exchange.members[at].sum = sum;
  }

  /// Whether each member read what all have written.
  [[nodiscard]] bool is_right() const {
    const auto all_rounds = static_cast<uint64_t>(rounds), n = static_cast<uint64_t>(lines);
    // Of both factors of such a product one is even.
    const auto up_to = [](uint64_t count) {
      return count % 2 == 0 ? count / 2 * (count - 1) : (count - 1) / 2 * count;
    };
    const uint64_t expected = n * up_to(all_rounds) + all_rounds * up_to(n);
    return std::all_of(members.begin(), members.end(),
                       [&](const Member& member) { return member.sum == expected; });
  }
};

/// A line and more for each of so many threads; of two 128 bytes to 16 KiB, within which vectors of small
/// models lie.
std::vector<int64_t> vector_sizes(int threads) {
  std::vector<int64_t> sizes;
  for (const int64_t times : {1, 8, 32, 128}) sizes.push_back(times * threads * line_bytes);
  return sizes;
}

int cores_of(const ProbeContext& context) {
  return static_cast<int>(one_pu_per_core(context.topology).size());
}

harness::Series take(const ProbeContext& context, models::ThreadTeam& team,
                     const std::vector<int64_t>& sizes) {
  Exchange exchange(team, static_cast<size_t>(sizes.back() / line_bytes));
  SweepBody body;
  body.work_unit = "barriers";
  body.begin = [&](int64_t size) { exchange.lines = static_cast<size_t>(size / line_bytes); };
  body.work = [&](int64_t, int64_t repeats) {
    exchange.rounds = repeats;
    team.run(Exchange::run, &exchange);
  };
  body.refresh = [&](int64_t size) { body.work(size, 1); };
  body.units_per_repeat = [](int64_t) { return 1; };
  body.verify = [&](int64_t) { return exchange.is_right(); };
  harness::Series series;
  series.probe = "barrier";
  const int64_t yields = team.yields();
  sweep(context, sizes, body, series);
  series.params["yields"] = team.yields() - yields;
  return series;
}

harness::Series run(const ProbeContext& context) {
  const int threads = context.variant.threads, cores = cores_of(context);
  if (cores < 2) return unavailable_series("barrier", "one core may be used: nobody to wait for");
  try {
    // As a decoder's threads are pinned: the first where this one is.
    const std::vector<int> pus =
        harness::choose_team_pus(context.topology, harness::affinity_pus().front(), threads);
    const harness::Pin pin(context.topology, pus.front());
    models::ThreadTeam team(context.topology, pus);
    harness::Series series = take(context, team, vector_sizes(threads == 1 ? cores : threads));
    series.params["threads"] = int64_t{threads};
    return series;
  } catch (const harness::Error& error) {
    if (error.code() != harness::ExitCode::unavailable) throw;
    return unavailable_series("barrier", error.what());
  }
}

/// Of as many threads as there are cores, like other series of several, and the control.
std::vector<Variant> variants(const ProbeContext& context) {
  std::vector<Variant> listed(1);
  if (cores_of(context) > 1) listed.emplace_back().threads = cores_of(context);
  return listed;
}

}  // namespace

extern const Probe barrier_probe;
const Probe barrier_probe{"barrier", "how long threads of a decoder wait for each other (all cores)",
                          false,     run,
                          "threads", variants,
                          0.1,       false,
                          nullptr,   true};

}  // namespace probes
