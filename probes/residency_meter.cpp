#include "probes/residency_meter.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "harness/buffer.hpp"
#include "harness/clock.hpp"

namespace probes {
namespace {

constexpr uintptr_t line_bytes = 64, page_bytes = 4096;
constexpr int lines_per_look = 32;
constexpr int calibration_lines = 128;
constexpr int64_t kib = 1024, mib = 1024 * kib;
/// Where the system tells of no caches, every core of the last fifteen years has this much L2.
constexpr int64_t least_l2_bytes = 256 * kib;
constexpr int64_t largest_llc_set_bytes = 32 * mib;
constexpr int64_t size_quantum_bytes = 4096;

/// Times one load of a line whose translation was just used: a walk of the page tables would add itself, and
/// a cached line would look like memory.
int64_t translated_ticks(const LoadTimer& timer, const std::byte* line) {
  [[maybe_unused]] const std::byte loaded = *const_cast<const volatile std::byte*>(translation_line(line));
  return timer.ticks(line);
}

/// Returns the size of the last-level cache if it is a level beyond L2, else 0.
int64_t llc_beyond_l2_bytes(const harness::Topology& topology) {
  const harness::Cache* llc = harness::last_level_cache(topology);
  return llc != nullptr && llc->level > 2 ? static_cast<int64_t>(llc->bytes) : 0;
}

int64_t l2_bytes(const harness::Topology& topology) {
  const harness::Cache* l2 = harness::find_cache(topology, 2);
  return l2 != nullptr && l2->bytes > 0 ? static_cast<int64_t>(l2->bytes) : least_l2_bytes;
}

int64_t whole_pages(int64_t bytes) {
  return bytes / size_quantum_bytes * size_quantum_bytes;
}

/// A set, how it is brought to a known place, and the lines of it that are timed.
struct KnownSet {
  const harness::Streams& streams;
  Region set, timed;
  uint64_t checksum = 0;
  bool right = true;

  KnownSet(const harness::Streams& used, Region whole, Region looked_at)
      : streams(used),
        set(whole),
        timed(looked_at),
        checksum(harness::streams_tables().front().read(set.data(), set.size(), 1)) {}
  void warm() {
    for (int i = 0; i < 4; ++i) right &= streams.read(set.data(), set.size(), 1) == checksum;
  }
};

/// Brings a set to its place and times lines of it, as one watched batch. Lines are drawn, and memory for the
/// ticks is there, before that.
void add_loads(const LoadTimer& timer, const harness::Clock& clock, LineDraw& from, size_t wanted, int place,
               const std::function<void()>& bring, KnownLoads& loads) {
  std::vector<int64_t>& ticks = place == 0   ? loads.l2_ticks
                                : place == 1 ? loads.llc_ticks
                                             : loads.flushed_ticks;
  ticks.reserve(wanted);
  const size_t first = ticks.size();
  const auto lines = from.draw(static_cast<int>(std::min<size_t>(wanted - first, lines_per_look)));
  const harness::DisturbanceWatch watch(clock);
  bring();
  for (const std::byte* line : lines) ticks.push_back(translated_ticks(timer, line));
  loads.watched.push_back(
      {place, static_cast<int>(first), static_cast<int>(ticks.size() - first), watch.stop()});
}

}  // namespace

LineDraw::LineDraw(const std::vector<Region>& regions, uint64_t seed) : random_(seed) {
  for (const Region region : regions) {
    const auto first = reinterpret_cast<uintptr_t>(region.data());
    const uintptr_t start = (first + page_bytes - 1) / page_bytes * page_bytes;
    for (uintptr_t page = start; page + page_bytes <= first + region.size(); page += page_bytes)
      pages_.push_back(region.data() + (page - first));
  }
}

std::vector<const std::byte*> LineDraw::draw(int lines) {
  std::vector<const std::byte*> drawn;
  // Fisher and Yates, as far as lines are needed.
  for (size_t i = 0; i < pages_.size() && drawn.size() < static_cast<size_t>(lines); ++i) {
    std::swap(pages_[i], pages_[i + random_.below(pages_.size() - i)]);
    const std::byte* line = pages_[i] + random_.below(page_bytes / line_bytes) * line_bytes;
    // A line that was looked at, or loaded for its translation, is warm because of us.
    if (used_.count(line) > 0) continue;
    used_.insert({line, translation_line(line)});
    drawn.push_back(line);
  }
  return drawn;
}

std::vector<const std::byte*> LineDraw::draw_again(int lines) {
  auto drawn = draw(lines);
  if (drawn.size() == static_cast<size_t>(lines)) return drawn;
  used_.clear();
  return draw(lines);
}

const std::byte* translation_line(const std::byte* line) {
  const auto at = reinterpret_cast<uintptr_t>(line);
  const uintptr_t other = at ^ (page_bytes / 2);
  return line + (static_cast<std::ptrdiff_t>(other) - static_cast<std::ptrdiff_t>(at));
}

std::vector<int64_t> KnownLoads::cached_ticks() const {
  return harness::in_turn(l2_ticks, llc_ticks);
}

harness::Reading<KnownLoads> load_known_lines(const LoadTimer& timer, const harness::Topology& topology,
                                              const harness::Streams& streams, const harness::Clock& clock,
                                              int lines, uint64_t seed) {
  KnownLoads loads;
  const int64_t l2 = l2_bytes(topology), llc = llc_beyond_l2_bytes(topology);
  loads.l2_set_bytes = whole_pages(l2 / 2);
  // Four times L2 leaves its older half behind, and so does twice L2 where the last level is not much larger.
  const int64_t far_set_bytes = whole_pages(std::min({4 * l2, llc / 4 * 3, largest_llc_set_bytes}));
  if (far_set_bytes >= 2 * l2) loads.llc_set_bytes = far_set_bytes;
  const harness::Buffer buffer(static_cast<size_t>(loads.l2_set_bytes + std::max(loads.llc_set_bytes, l2)),
                               harness::Pages::small, seed);
  const Region all{buffer.data(), buffer.bytes()};
  const auto near_bytes = static_cast<size_t>(loads.l2_set_bytes);
  const auto far_bytes = static_cast<size_t>(loads.llc_set_bytes);
  KnownSet near_set(streams, all.first(near_bytes), all.first(near_bytes));
  KnownSet far_set(streams, all.subspan(near_bytes, far_bytes), all.subspan(near_bytes, far_bytes / 2));
  const Region flushed = far_bytes > 0 ? far_set.timed : near_set.timed;
  LineDraw near_lines({near_set.timed}, seed), far_lines({far_set.timed}, seed + 1),
      flushed_lines({flushed}, seed + 2);
  const auto wanted = static_cast<size_t>(lines);
  const auto complete = [&] {
    return loads.l2_ticks.size() == wanted && loads.flushed_ticks.size() == wanted &&
           (far_bytes == 0 || loads.llc_ticks.size() == wanted);
  };
  for (int round = 0; !complete(); ++round) {
    if (round * lines_per_look >= 8 * lines)
      return harness::Unavailable{"the caches are too small to look at enough lines of them"};
    add_loads(
        timer, clock, near_lines, wanted, 0, [&] { near_set.warm(); }, loads);
    if (far_bytes > 0)
      add_loads(
          timer, clock, far_lines, wanted, 1, [&] { far_set.warm(); }, loads);
    bool flushes = true;
    add_loads(
        timer, clock, flushed_lines, wanted, 2,
        [&] { flushes = harness::flush_from_caches(flushed.data(), flushed.size()); }, loads);
    if (!flushes) return harness::Unavailable{"this CPU has no user-space cache flush to calibrate with"};
  }
  loads.right = near_set.right && far_set.right;
  return loads;
}

harness::Reading<ResidencyMeter> ResidencyMeter::make(const harness::Reading<LoadTimer>& timer,
                                                      const harness::Topology& topology,
                                                      const harness::Streams& streams, uint64_t seed) {
  if (const auto* why = std::get_if<harness::Unavailable>(&timer)) return *why;
  const auto& own = std::get<LoadTimer>(timer);
  return make(timer,
              load_known_lines(own, topology, streams, harness::steady_clock(), calibration_lines, seed));
}

harness::Reading<ResidencyMeter> ResidencyMeter::make(const harness::Reading<LoadTimer>& timer,
                                                      const harness::Reading<KnownLoads>& loads) {
  if (const auto* why = std::get_if<harness::Unavailable>(&timer)) return *why;
  const auto& own = std::get<LoadTimer>(timer);
  if (const auto* why = std::get_if<harness::Unavailable>(&loads)) return *why;
  const auto& known = std::get<KnownLoads>(loads);
  if (!known.right) return harness::Unavailable{"what was read to calibrate is not what was written"};
  const auto calibration = harness::calibrate_residency(known.cached_ticks(), known.flushed_ticks);
  if (const auto* why = std::get_if<harness::Unavailable>(&calibration)) return *why;
  return ResidencyMeter(own, std::get<harness::ResidencyCalibration>(calibration));
}

harness::LineCount ResidencyMeter::look(std::span<const std::byte* const> lines) const {
  harness::LineCount count;
  for (const std::byte* line : lines) {
    ++count.lines;
    count.resident += translated_ticks(timer_, line) < calibration_.threshold_ticks;
  }
  return count;
}

}  // namespace probes
