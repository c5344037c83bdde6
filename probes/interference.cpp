// interference: how much a read stream slows while a thread on another PU idles, spins, or reads its L1, the
// last-level cache or memory.
#include "probes/interference.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "harness/buffer.hpp"
#include "harness/sampler.hpp"
#include "harness/streams/faster_read.hpp"
#include "harness/streams/streams.hpp"
#include "probes/antagonist.hpp"
#include "probes/antagonist_work.hpp"
#include "probes/memory_budget.hpp"
#include "probes/neighbour.hpp"
#include "probes/order.hpp"
#include "probes/probe.hpp"
#include "probes/stream_sweep.hpp"
#include "probes/sweep.hpp"
#include "probes/time_budget.hpp"

namespace probes {
namespace {

constexpr const char* id = "interference";
/// Long against the clock, short against a scheduler's time slice.
constexpr int64_t sample_ns = 2'000'000;
/// Laps that bring the set back after another condition; after the second or third they get no faster.
constexpr int laps_before = 4;
/// Fewer rounds have no interval worth its name.
constexpr int min_rounds = 8;

struct Condition {
  const char* name;
  std::optional<Antagonism> antagonism;
  bool reaches_memory = false;  ///< taken with sets beyond those of the others, too
};

/// `idle_again` is the A/A control; evict_read and evict_write are the walks beside which models decode.
constexpr std::array<Condition, 8> conditions{{
    {"idle", std::nullopt, true},
    {"idle_again", std::nullopt},
    {"spin", Antagonism::spin},
    {"own_l1", Antagonism::own_l1},
    {"stream_llc", Antagonism::stream_llc},
    {"stream_dram", Antagonism::stream_dram},
    {"evict_read", Antagonism::walk_read, true},
    {"evict_write", Antagonism::walk_write, true},
}};

/// The reader that is measured: sets of several sizes, the beginning of one buffer.
struct Victim {
  const ProbeContext& context;
  std::vector<int64_t> sizes_bytes;
  size_t common_sizes;  ///< so many of them are every condition's
  const harness::Buffer memory{static_cast<size_t>(sizes_bytes.back()), harness::Pages::huge, context.seed};
  const harness::Streams& streams = harness::select_streams(context.features);
  std::vector<uint64_t> checksums;       ///< by size, from the plain stream
  std::vector<int64_t> laps;             ///< by size: odd, so that the checksum of a sample is that of a lap
  std::vector<harness::ReadLoop> loops;  ///< by size: the faster one beside an idle thread
  bool right = true;

  Victim(const ProbeContext& given, std::vector<int64_t> sizes, size_t common)
      : context(given), sizes_bytes(std::move(sizes)), common_sizes(common) {
    for (const int64_t size : sizes_bytes) {
      checksums.push_back(
          harness::streams_tables().front().read(memory.data(), static_cast<size_t>(size), 1));
      laps.push_back(1);
      loops.push_back(harness::faster_read(streams, memory.data(), static_cast<size_t>(size)));
    }
    for (size_t i = 0; i < sizes_bytes.size(); ++i) {
      read(i, laps_to_warm(i) + 1);
      const int64_t lap_ns = std::max<int64_t>(1, timed_ns(i));
      laps[i] = (sample_ns / lap_ns) | 1;
    }
  }
  [[nodiscard]] size_t sets_of(const Condition& condition) const {
    return condition.reaches_memory ? sizes_bytes.size() : common_sizes;
  }
  /// What no cache holds is not brought back.
  [[nodiscard]] int64_t laps_to_warm(size_t set) const {
    return sizes_bytes[set] > memory_walk_bytes ? 0 : laps_before;
  }
  void read(size_t set, int64_t count) {
    const uint64_t got = loops[set](memory.data(), static_cast<size_t>(sizes_bytes[set]), count);
    right &= got == (count % 2 == 1 ? checksums[set] : 0);
  }
  int64_t timed_ns(size_t set) {
    const int64_t start_ns = context.clock.now_ns();
    read(set, laps[set]);
    return context.clock.now_ns() - start_ns;
  }
};

harness::Series begin_series(const Victim& victim, const Condition& condition, const Neighbour& neighbour,
                             int rounds) {
  harness::Series series;
  series.probe = id;
  series.placement = neighbour.placement;
  const size_t sets = victim.sets_of(condition);
  series.sizes_bytes.assign(victim.sizes_bytes.begin(),
                            victim.sizes_bytes.begin() + static_cast<ptrdiff_t>(sets));
  series.work_unit = "bytes";
  series.samples_by_size.assign(sets, {});
  for (size_t i = 0; i < sets; ++i) series.work_per_sample.push_back(victim.laps[i] * victim.sizes_bytes[i]);
  series.params["antagonist"] = std::string(condition.name);
  series.params["samples"] = int64_t{rounds};
  series.params["isa"] = std::string(victim.streams.isa);
  std::set<int64_t> ahead_at;
  for (size_t i = 0; i < sets; ++i) {
    if (victim.loops[i] == victim.streams.read_ahead) ahead_at.insert(victim.sizes_bytes[i]);
  }
  record_read_loops(series, ahead_at);
  for (auto& samples : series.samples_by_size) samples.reserve(static_cast<size_t>(rounds));
  series.params["order_seed"] = static_cast<int64_t>(recordable_seed(victim.context.seed));
  return series;
}

/// The antagonists' memory: by kind how much, and buffers by their bytes.
struct Memory {
  std::map<Antagonism, int64_t> bytes;
  std::map<int64_t, harness::Buffer> buffers;
};

/// Returns the running antagonist of a condition, or nullptr when it has none.
std::unique_ptr<Antagonist> start(const ProbeContext& context, const Condition& condition,
                                  const Neighbour& neighbour, const Memory& memory) {
  if (!condition.antagonism) return nullptr;
  const auto buffer = memory.buffers.find(memory.bytes.at(*condition.antagonism));
  return std::make_unique<Antagonist>(context.topology, neighbour.pu, *condition.antagonism,
                                      buffer == memory.buffers.end() ? nullptr : &buffer->second);
}

/// Takes one sample of each set under one condition.
void take_condition(Victim& victim, const Condition& condition, const Neighbour& neighbour,
                    const Memory& memory, int round, int rounds, harness::Series& series, Work& work) {
  const auto antagonist = start(victim.context, condition, neighbour, memory);
  const harness::Clock& clock = victim.context.clock;
  const Toll before = antagonist ? antagonist->toll() : Toll{};
  const int64_t start_ns = clock.now_ns();
  for (size_t i = 0; i < victim.sets_of(condition); ++i) {
    const harness::DisturbanceWatch watch(clock);  // before the laps: its look at the system's files evicts
    victim.read(i, victim.laps_to_warm(i));
    series.samples_by_size[i].push_back(victim.timed_ns(i));
    record_disturbance(series, static_cast<int>(i) * rounds + round, watch.stop());
  }
  if (!antagonist) return;
  add_work(work, before, antagonist->toll(), clock.now_ns() - start_ns);
}

/// Finds what the antagonists at a place need; those that cannot run get their reason.
Memory find_memory(const ProbeContext& context, const Neighbour& neighbour,
                   std::vector<harness::Series>& series) {
  Memory memory;
  for (size_t c = 0; c < conditions.size(); ++c) {
    if (!conditions[c].antagonism) continue;
    const auto bytes =
        antagonist_bytes(*conditions[c].antagonism, context.topology, neighbour.pu, memory_budget_bytes());
    if (!harness::available(bytes)) {
      series[c].status = harness::Status::unavailable;
      series[c].reason = std::get<harness::Unavailable>(bytes).reason;
      continue;
    }
    const int64_t needed = std::get<int64_t>(bytes);
    memory.bytes[*conditions[c].antagonism] = needed;
    try {
      if (needed > 0) memory.buffers.try_emplace(needed, static_cast<size_t>(needed), harness::Pages::huge);
      const auto runs_for_a_moment = start(context, conditions[c], neighbour, memory);
    } catch (const harness::Error& error) {
      if (error.code() != harness::ExitCode::unavailable) throw;
      series[c].status = harness::Status::unavailable;
      series[c].reason = error.what();
    }
  }
  return memory;
}

/// Gives a series its antagonist's work, or leaves nothing but the reason that it could not run.
void finish_series(const Condition& condition, const Memory& memory, const Work& work,
                   harness::Series& series) {
  for (auto& [reason, indices] : series.disturbed) std::sort(indices.begin(), indices.end());
  if (!condition.antagonism) return;
  if (series.status == harness::Status::ok) {
    store_work(series, work);
    const int64_t bytes = memory.bytes.at(*condition.antagonism);
    if (bytes > 0) series.params["antagonist_bytes"] = bytes;
    return;
  }
  harness::Series missing = unavailable_series(id, series.reason);
  missing.placement = series.placement;
  missing.params["antagonist"] = std::string(condition.name);
  series = missing;
}

/// Takes all rounds at one place: every round each condition once, in a seeded order, odd rounds mirrored.
std::vector<harness::Series> take_place(const ProbeContext& context, Victim& victim,
                                        const Neighbour& neighbour,
                                        const std::function<void(double)>& progress) {
  const int rounds = std::max(context.samples, min_rounds);
  std::vector<harness::Series> series;
  series.reserve(conditions.size());
  for (const Condition& condition : conditions)
    series.push_back(begin_series(victim, condition, neighbour, rounds));
  const Memory memory = find_memory(context, neighbour, series);
  std::array<Work, conditions.size()> work{};
  std::vector<size_t> order;
  for (int round = 0; round < rounds; ++round) {
    if (round % 2 == 0) {
      order = shuffled_positions(conditions.size(), context.seed + static_cast<uint64_t>(round));
    } else {
      std::reverse(order.begin(), order.end());
    }
    for (const size_t c : order) {
      if (series[c].status != harness::Status::ok) continue;
      if (is_late(context.clock, context.end_ns)) return {skipped_series(id, context.budget_ns)};
      take_condition(victim, conditions[c], neighbour, memory, round, rounds, series[c], work[c]);
    }
    if (progress) progress(static_cast<double>(round + 1) / rounds);
  }
  for (size_t c = 0; c < conditions.size(); ++c) finish_series(conditions[c], memory, work[c], series[c]);
  return series;
}

std::vector<harness::Series> run_all(const ProbeContext& context) {
  const int pu = sched_getcpu();
  const auto sizes = victim_sizes(context.topology, pu);
  if (!harness::available(sizes))
    return {unavailable_series(id, std::get<harness::Unavailable>(sizes).reason)};
  const auto nearest = nearest_neighbour(context.topology, pu);
  if (!harness::available(nearest))
    return {unavailable_series(id, std::get<harness::Unavailable>(nearest).reason)};
  auto all_sizes = std::get<std::vector<int64_t>>(sizes);
  const size_t common = all_sizes.size();
  const auto further = further_sizes(context.topology, pu, memory_budget_bytes());
  std::copy_if(further.begin(), further.end(), std::back_inserter(all_sizes),
               [&](int64_t size) { return size > all_sizes[common - 1]; });
  Victim victim(context, std::move(all_sizes), common);
  constexpr std::array<const char*, 3> places{"sibling", "same_llc", "other_llc"};
  std::vector<harness::Series> all;
  for (size_t p = 0; p < places.size(); ++p) {
    const auto neighbour = neighbour_at(context.topology, pu, places[p]);
    if (!harness::available(neighbour)) {
      all.push_back(unavailable_series(id, std::get<harness::Unavailable>(neighbour).reason));
      all.back().placement = places[p];
      continue;
    }
    const auto progress = [&](double done) {
      if (context.progress) context.progress((static_cast<double>(p) + done) / places.size());
    };
    for (harness::Series& series : take_place(context, victim, std::get<Neighbour>(neighbour), progress)) {
      if (is_skipped(series)) series.placement = places[p];
      all.push_back(std::move(series));
    }
  }
  if (!victim.right) {
    for (harness::Series& series : all) {
      if (series.status != harness::Status::ok) continue;
      series.status = harness::Status::failed;
      series.reason = "wrong checksum: what was read is not what was written";
    }
  }
  return all;
}

}  // namespace

harness::Reading<std::vector<int64_t>> victim_sizes(const harness::Topology& topology, int pu) {
  const harness::Cache* llc = harness::last_level_cache(topology, pu);
  if (llc == nullptr || llc->bytes == 0)
    return harness::Unavailable{fmt::format("no cache of PU {} is reported", pu)};
  std::vector<int64_t> sizes;
  const auto add = [&](uint64_t bytes) {
    sizes.push_back(static_cast<int64_t>(bytes) / size_quantum_bytes * size_quantum_bytes);
  };
  const harness::Cache* l2 = harness::find_cache(topology, 2, pu);
  if (l2 != nullptr && l2->bytes > 0 && llc->level > 2) add(l2->bytes / 2);
  const harness::Cache* inner = nullptr;
  for (int level = llc->level - 1; level > 0 && inner == nullptr; --level)
    inner = harness::find_cache(topology, level, pu);
  if (inner != nullptr && llc->bytes / 4 > inner->bytes) add(llc->bytes / 4);
  if (!sizes.empty()) return sizes;
  return harness::Unavailable{
      fmt::format("a quarter of the last-level cache, {} bytes, is no more than the cache before it holds",
                  llc->bytes / 4)};
}

std::vector<int64_t> further_sizes(const harness::Topology& topology, int pu, int64_t budget_bytes) {
  const harness::Cache* llc = harness::last_level_cache(topology, pu);
  if (llc == nullptr || llc->bytes == 0) return {};
  std::vector<int64_t> sizes;
  const auto bytes = static_cast<int64_t>(llc->bytes) / size_quantum_bytes * size_quantum_bytes;
  for (const int64_t size : {bytes / 2, bytes, 4 * bytes}) {
    if (size <= budget_bytes) sizes.push_back(size / size_quantum_bytes * size_quantum_bytes);
  }
  return sizes;
}

extern const Probe interference_probe;
const Probe interference_probe{
    .id = id,
    .summary = "how a read from L2 and from the last-level cache slows beside a busy thread",
    .takes_sizes = false,
    .run = [](const ProbeContext& context) { return run_all(context).front(); },
    .run_all = run_all,
};

}  // namespace probes
