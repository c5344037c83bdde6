#include "probes/kernel_rates_streamed.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "probes/evidence.hpp"
#include "probes/order.hpp"
#include "probes/stream_eviction.hpp"

namespace probes {
namespace {

constexpr int64_t run_bytes = int64_t{2} << 20, page_bytes = 4096, line_bytes = 64;
constexpr int clock_pairs = 1000;
constexpr std::array<Extent, 3> extents{Extent::brief, Extent::whole, Extent::far};

/// Far ones are long: fewer tell as much.
int calls_apart(Extent extent) {
  return extent == Extent::far ? 4 : 8;
}

std::string level_name(const char* base, Extent extent) {
  return std::string(base) + (extent == Extent::brief ? "_short" : extent == Extent::far ? "_far" : "");
}

struct Call {
  Extent extent;
  int64_t offset_bytes;
};

/// Calls of one body over memory: a run at the beginning, and calls apart behind it.
struct ColdCalls {
  const ProbeContext& context;
  const KernelBody& body;
  const harness::Buffer& memory;
  harness::Buffer other{static_cast<size_t>(std::max(body.of(Extent::brief).memory_bytes, page_bytes)),
                        harness::Pages::small};
  int64_t pair_ns = clock_pair_ns(context.clock);
  int64_t run_calls = std::max<int64_t>(run_bytes / body.of(Extent::whole).memory_bytes, 1);
  std::vector<Call> apart = {};
  bool right = true;
  harness::Totals totals = {};

  void place_apart() {
    int count = 0;
    for (const Extent extent : extents) count += body.of(extent).bytes > 0 ? calls_apart(extent) : 0;
    const int64_t begin = (run_calls * body.of(Extent::whole).memory_bytes / page_bytes + 1) * page_bytes;
    const int64_t slot =
        (static_cast<int64_t>(memory.bytes()) - begin) / std::max(count, 1) / page_bytes * page_bytes;
    for (const Extent extent : extents) {
      if (body.of(extent).bytes == 0) continue;
      for (int i = 0; i < calls_apart(extent); ++i) {
        // Anywhere in their first page, as a decoder's matrices begin.
        const auto at = static_cast<int64_t>(apart.size());
        apart.push_back({extent, begin + at * slot + at * 7 % (page_bytes / line_bytes) * line_bytes});
      }
    }
  }
  [[nodiscard]] bool fits() const {
    return std::all_of(apart.begin(), apart.end(), [&](const Call& call) {
      return call.offset_bytes + body.of(call.extent).memory_bytes <= static_cast<int64_t>(memory.bytes());
    });
  }
  void fill() const {
    const int64_t stride = body.of(Extent::whole).memory_bytes;
    for (int64_t i = 0; i < run_calls; ++i) body.fill(memory.data() + i * stride, Extent::whole);
    for (const Call& call : apart) body.fill(memory.data() + call.offset_bytes, call.extent);
    body.fill(other.data(), Extent::brief);
  }
  int64_t run_ns() {
    const int64_t stride = body.of(Extent::whole).memory_bytes, start_ns = context.clock.now_ns();
    for (int64_t i = 0; i < run_calls; ++i) body.call(memory.data() + i * stride, Extent::whole);
    const int64_t end_ns = context.clock.now_ns();
    right &= body.right(Extent::whole);
    return end_ns - start_ns;
  }
  /// By extent, all calls of one together.
  std::map<Extent, int64_t> apart_ns(uint64_t order) {
    std::map<Extent, int64_t> sums;
    for (const Extent extent : extents) sums[extent] = 0;
    for (const size_t at : shuffled_positions(apart.size(), order)) {
      const Call& call = apart[at];
      const int64_t start_ns = context.clock.now_ns();
      body.call(memory.data() + call.offset_bytes, call.extent);
      sums[call.extent] += std::max<int64_t>(context.clock.now_ns() - start_ns - pair_ns, 1);
    }
    for (const Call& call : apart) right &= body.right(call.extent);
    return sums;
  }
};

/// Samples of a level, until all of them are there.
struct Taken {
  std::string level;
  Extent extent;
  int64_t calls;
  std::vector<int64_t> samples = {};
  std::vector<harness::Disturbance> disturbances = {};
};

void keep(std::vector<Taken>& taken, const std::string& level, Extent extent, int64_t calls, int64_t ns,
          const harness::Disturbance& during) {
  auto at = std::find_if(taken.begin(), taken.end(), [&](const Taken& one) { return one.level == level; });
  if (at == taken.end()) at = taken.insert(taken.end(), {level, extent, calls});
  at->samples.push_back(ns);
  at->disturbances.push_back(during);
}

void keep_apart(std::vector<Taken>& taken, const char* base, const ColdCalls& calls,
                const std::map<Extent, int64_t>& sums, const harness::Disturbance& during) {
  for (const auto& [extent, ns] : sums) {
    if (calls.body.of(extent).bytes > 0)
      keep(taken, level_name(base, extent), extent, calls_apart(extent), ns, during);
  }
}

void take_streamed(ColdCalls& calls, bool matrix, const WholeStream& stream, uint64_t order,
                   std::vector<Taken>& taken) {
  const harness::DisturbanceWatch watch(calls.context.clock);
  calls.right &= stream.evict();
  calls.body.call(calls.other.data(), Extent::brief);
  const int64_t run_ns = matrix ? calls.run_ns() : 0;
  const auto apart = calls.apart_ns(order);
  const harness::Disturbance during = watch.stop();
  add_totals(calls.totals, during);
  if (matrix) keep(taken, "streamed_run", Extent::whole, calls.run_calls, run_ns, during);
  if (!calls.apart.empty()) keep_apart(taken, "streamed", calls, apart, during);
}

void take_flushed(ColdCalls& calls, uint64_t order, std::vector<Taken>& taken) {
  const harness::DisturbanceWatch watch(calls.context.clock);
  harness::flush_from_caches(calls.memory.data(), calls.memory.bytes());
  const auto apart = calls.apart_ns(order);
  const harness::Disturbance during = watch.stop();
  add_totals(calls.totals, during);
  keep_apart(taken, "apart", calls, apart, during);
}

/// Puts the samples behind those that the series has.
void append(const std::vector<Taken>& taken, const KernelBody& body, int samples, harness::Series& series) {
  for (const Taken& level : taken) {
    const auto list = static_cast<int>(series.samples_by_size.size());
    const KernelBody::Size& one = body.of(level.extent);
    series.sizes_bytes.push_back(level.calls * one.memory_bytes);
    series.work_per_sample.push_back(level.calls * one.bytes);
    series.samples_by_size.push_back(level.samples);
    for (size_t i = 0; i < level.disturbances.size(); ++i)
      mark_disturbance(series, list * samples + static_cast<int>(i), level.disturbances[i]);
  }
  for (auto& [reason, indices] : series.disturbed) std::sort(indices.begin(), indices.end());
}

/// Where tokens jump from one run of a model's weights to another: what a matrix costs that lies apart.
bool begins_runs(const models::KernelUse& use, const std::vector<std::string>& models) {
  for (const std::string& name : models) {
    for (const models::WeightRun& run : models::weight_runs(models::find_shape(name)))
      if (run.kernel == use.kernel && run.cols == use.cols) return true;
  }
  return false;
}

}  // namespace

std::string take_cold_levels(const ProbeContext& context, const models::KernelUse& use,
                             const std::vector<std::string>& models, const KernelBody& body,
                             const harness::Buffer& memory, harness::Series& series) {
  if (context.end_ns != 0) return "";
  const auto stream = whole_stream(context);
  const bool matrix = use.reads == models::Reads::dense, begins = matrix && begins_runs(use, models);
  ColdCalls calls{context, body, memory};
  if (begins || !matrix) calls.place_apart();
  if (!calls.fits()) return "";
  calls.fill();
  std::vector<Taken> taken;
  for (int sample = 0; sample < context.samples; ++sample) {
    const uint64_t order = context.seed + static_cast<uint64_t>(sample);
    if (const auto* whole = std::get_if<WholeStream>(&stream))
      take_streamed(calls, matrix, *whole, order, taken);
    if (begins) take_flushed(calls, order + 1, taken);
  }
  append(taken, body, context.samples, series);
  add_totals(series.totals, calls.totals);
  std::string names;
  for (const Taken& level : taken) names += " " + level.level;
  if (!calls.right) {
    series.status = harness::Status::failed;
    series.reason = "a call or the stream gave something else than it must";
  }
  return names;
}

int64_t clock_pair_ns(const harness::Clock& clock) {
  const int64_t start_ns = clock.now_ns();
  for (int i = 0; i < 2 * clock_pairs - 1; ++i) static_cast<void>(clock.now_ns());
  return (clock.now_ns() - start_ns) / clock_pairs / 2;
}

}  // namespace probes
