#include "probes/kernel_rates_experts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/buffer.hpp"
#include "harness/statistics.hpp"
#include "harness/streams/streams.hpp"
#include "models/routing.hpp"
#include "probes/evidence.hpp"
#include "probes/kernel_rates_body.hpp"
#include "probes/kernel_rates_streamed.hpp"
#include "probes/memory_budget.hpp"
#include "probes/stream_eviction.hpp"
#include "probes/sweep.hpp"
#include "probes/time_budget.hpp"
#include "probes/working_sets.hpp"

namespace probes {
namespace {

/// Long against a scheduler's disturbance of one, short for a budget.
constexpr int tokens_per_sample = 24;
/// So many visits of each expert on average leave one in fifty unvisited (Poisson).
constexpr int visits_to_warm = 4;

enum class Choice { same, drawn };

int64_t median_ns(std::vector<double> values) {
  return values.empty() ? 0 : static_cast<int64_t>(harness::median(values));
}

struct Pool {
  const ProbeContext& context;
  const models::ExpertWork& work;
  std::vector<KernelBody> products;
  int64_t expert_stride;  ///< bytes of memory from one expert to the next
  int64_t part_bytes;     ///< of what is read between, per block
  harness::Buffer experts, between;
  const harness::Streams& streams;
  int64_t pair_ns;
  models::RoutingTrace trace;
  int token = 0;  ///< of the trace
  bool stream_is_right = true;

  [[nodiscard]] int64_t bytes() const { return expert_stride * work.count * work.blocks; }

  void fill() const {
    for (int64_t i = 0; i < int64_t{work.count} * work.blocks; ++i) {
      std::byte* at = experts.data() + i * expert_stride;
      for (const KernelBody& product : products) {
        product.fill(at, Extent::whole);
        at += product.of(Extent::whole).memory_bytes;
      }
    }
  }
  void visit(int block, int expert) const {
    std::byte* at = experts.data() + (int64_t{block} * work.count + expert) * expert_stride;
    for (const KernelBody& product : products) {
      product.call(at, Extent::whole);
      at += product.of(Extent::whole).memory_bytes;
    }
  }
  [[nodiscard]] bool right() const {
    return std::all_of(products.begin(), products.end(),
                       [](const KernelBody& product) { return product.right(Extent::whole); });
  }
  /// Runs the next token of the trace, or again the one before; returns how long its experts took.
  int64_t run_token(Choice choice, bool slow) {
    if (choice == Choice::drawn) token = (token + 1) % trace.shape().tokens;
    int64_t experts_ns = 0;
    for (int block = 0; block < work.blocks; ++block) {
      const int64_t begin_ns = context.clock.now_ns();
      streams.read(between.data() + block * part_bytes, static_cast<size_t>(part_bytes), 1);
      const int64_t start_ns = context.clock.now_ns();
      for (const uint16_t expert : trace.at(token, block)) visit(block, expert);
      const int64_t end_ns = context.clock.now_ns();
      experts_ns += std::max<int64_t>(end_ns - start_ns - pair_ns, 1);
      if (!slow) continue;
      const int64_t until_ns = end_ns + end_ns - begin_ns;
      while (context.clock.now_ns() < until_ns) {
      }
    }
    return experts_ns;
  }
};

struct Level {
  const char* name;
  Choice choice;
  bool slow = false, flushed = false, streamed = false;

  [[nodiscard]] bool is_cold() const { return flushed || streamed; }
};

constexpr Level levels[] = {{"near", Choice::same},
                            {"pool", Choice::drawn},
                            {"pool_slow", Choice::drawn, true},
                            {"dram", Choice::drawn, false, true},
                            {"streamed", Choice::drawn, false, false, true}};

/// Takes the samples of a level into `series`; returns the median time of a whole token, 0 when it is too
/// late to end.
int64_t take_level(Pool& pool, const Level& level, const harness::Reading<WholeStream>& stream,
                   harness::Series& series) {
  const models::ExpertWork& work = pool.work;
  const int tokens = level.is_cold() ? 1 : tokens_per_sample;
  const int warm = level.choice == Choice::same ? 4 : visits_to_warm * work.count / work.top_k;
  for (int i = 0; i < warm && !level.is_cold(); ++i) pool.run_token(level.choice, level.slow);
  std::vector<double> token_ns;
  std::vector<int64_t> samples;
  const auto at = static_cast<int>(series.samples_by_size.size());
  for (int sample = 0; sample < pool.context.samples; ++sample) {
    if (is_late(pool.context.clock, pool.context.end_ns)) return 0;
    const harness::DisturbanceWatch watch(pool.context.clock);
    if (level.flushed) {
      harness::flush_from_caches(pool.experts.data(), pool.experts.bytes());
    } else if (level.streamed) {
      pool.stream_is_right &= std::get<WholeStream>(stream).evict();
    } else {
      for (int i = 0; i < 2; ++i) pool.run_token(level.choice, level.slow);
    }
    int64_t sum_ns = 0;
    const int64_t start_ns = pool.context.clock.now_ns();
    for (int i = 0; i < tokens; ++i) sum_ns += pool.run_token(level.choice, level.slow);
    token_ns.push_back(static_cast<double>(pool.context.clock.now_ns() - start_ns) / tokens);
    record_disturbance(series, at * pool.context.samples + sample, watch.stop());
    samples.push_back(sum_ns);
  }
  series.sizes_bytes.push_back(pool.bytes());
  series.work_per_sample.push_back(tokens * work.expert_bytes * work.top_k * work.blocks);
  series.samples_by_size.push_back(std::move(samples));
  return median_ns(token_ns);
}

/// A budget has no time for streams.
harness::Reading<WholeStream> stream_of(const ProbeContext& context) {
  if (context.end_ns != 0) return harness::Unavailable{"a budget"};
  return whole_stream(context);
}

harness::Series take(Pool& pool, bool flushes) {
  harness::Series series;
  series.probe = "kernel_rates";
  series.work_unit = "bytes";
  std::string names;
  const auto stream = stream_of(pool.context);
  for (const Level& level : levels) {
    if ((level.flushed && !flushes) || (level.streamed && !harness::available(stream))) continue;
    const int64_t token_ns = take_level(pool, level, stream, series);
    if (token_ns == 0) return skipped_series("kernel_rates", pool.context.budget_ns);
    names += (names.empty() ? "" : " ") + std::string(level.name);
    if (level.choice == Choice::drawn && !level.is_cold())
      series.params[std::string(level.name) + "_token_ns"] = token_ns;
  }
  series.params["levels"] = names;
  if (!pool.right() || !pool.stream_is_right) {
    series.status = harness::Status::failed;
    series.reason = "a product or the stream gave something else than it must";
  }
  return series;
}

}  // namespace

harness::Series measure_experts(const ProbeContext& context, const models::Kernels& kernels,
                                const models::ExpertWork& work) {
  std::vector<KernelBody> products;
  int64_t stride = 0;
  for (const auto& [rows, cols] : work.products) {
    products.push_back(make_matrix_body(work.format, rows, cols, kernels, context.seed + products.size()));
    stride += products.back().of(Extent::whole).memory_bytes;
  }
  const int64_t part =
      std::max<int64_t>(work.between_bytes / work.blocks / size_quantum_bytes, 1) * size_quantum_bytes;
  const int64_t needed = stride * work.count * work.blocks + part * work.blocks;
  if (needed > memory_budget_bytes())
    return unavailable_series("kernel_rates", fmt::format("{} bytes may not be taken here", needed));
  const int tokens = std::max(visits_to_warm * work.count / work.top_k, tokens_per_sample) + 1;
  models::Routing uniform;
  uniform.kind = models::Routing::Kind::uniform;
  Pool pool{context,
            work,
            std::move(products),
            stride,
            part,
            harness::Buffer(static_cast<size_t>(stride * work.count * work.blocks), harness::Pages::small),
            harness::Buffer(static_cast<size_t>(part * work.blocks), harness::Pages::small),
            harness::select_streams(context.features),
            clock_pair_ns(context.clock),
            models::make_trace(uniform, {work.count, work.top_k, work.blocks, tokens}, context.seed)};
  pool.fill();
  std::byte line[1]{};
  harness::Series series = take(pool, harness::flush_from_caches(line, sizeof line));
  series.params["kernel"] = std::string("experts");
  series.params["format"] = std::string(models::kernel_name(work.format));
  series.params["call_bytes"] = work.expert_bytes;
  series.params["experts"] = int64_t{work.count};
  series.params["blocks"] = int64_t{work.blocks};
  series.params["top_k"] = int64_t{work.top_k};
  series.params["between_bytes"] = work.between_bytes;
  return series;
}

}  // namespace probes
