#include "probes/kernel_rates_first_calls.hpp"

#include <algorithm>
#include <string>

#include "harness/buffer.hpp"
#include "probes/evidence.hpp"
#include "probes/kernel_rates_body.hpp"
#include "probes/stream_eviction.hpp"
#include "probes/sweep.hpp"
#include "probes/time_budget.hpp"

namespace probes {
namespace {

constexpr int64_t page_bytes = 4096;
/// Short calls: what is looked for is what a call costs beside its data.
constexpr int64_t most_bytes = 16 << 10;

struct Call {
  std::string name;
  KernelBody body;
  int64_t offset_bytes = 0;  ///< of its data, on pages of its own
};

int64_t timed_ns(const ProbeContext& context, const Call& call, const harness::Buffer& data) {
  const int64_t start_ns = context.clock.now_ns();
  call.body.call(data.data() + call.offset_bytes, Extent::brief);
  return context.clock.now_ns() - start_ns;
}

void take_sample(const ProbeContext& context, const std::vector<Call>& calls, const harness::Buffer& data,
                 const std::function<void()>& stream, int sample, harness::Series& series) {
  const harness::DisturbanceWatch watch(context.clock);
  stream();
  for (size_t i = 0; i < calls.size(); ++i)
    series.samples_by_size[2 * i].push_back(timed_ns(context, calls[i], data));
  for (size_t i = 0; i < calls.size(); ++i) {
    static_cast<void>(timed_ns(context, calls[i], data));
    const KernelBody::Size& size = calls[i].body.of(Extent::brief);
    if (size.memory_bytes > 0)
      harness::flush_from_caches(data.data() + calls[i].offset_bytes, static_cast<size_t>(size.memory_bytes));
    series.samples_by_size[2 * i + 1].push_back(timed_ns(context, calls[i], data));
  }
  const harness::Disturbance during = watch.stop();
  record_disturbance(series, sample, during);
  for (size_t list = 1; list < series.samples_by_size.size(); ++list)
    mark_disturbance(series, static_cast<int>(list) * context.samples + sample, during);
}

std::vector<Call> calls_of(const models::Kernels& kernels, const std::vector<models::KernelUse>& uses,
                           uint64_t seed) {
  std::vector<Call> calls;
  int64_t offset = 0;
  for (const models::KernelUse& use : uses) {
    calls.push_back({use.kernel, make_kernel_body(use, kernels, most_bytes, seed), offset});
    const int64_t bytes = calls.back().body.of(Extent::brief).memory_bytes;
    offset += (bytes + page_bytes - 1) / page_bytes * page_bytes;
  }
  return calls;
}

harness::Series empty_series(const std::vector<Call>& calls) {
  harness::Series series;
  series.probe = "kernel_rates";
  series.work_unit = "bytes";
  series.samples_by_size.resize(2 * calls.size());
  series.work_per_sample.assign(2 * calls.size(), 1);
  std::string levels;
  for (const Call& call : calls) {
    levels += (levels.empty() ? "" : " ") + call.name;
    for (int i = 0; i < 2; ++i) series.sizes_bytes.push_back(call.body.of(Extent::brief).bytes);
  }
  series.params["levels"] = levels;
  series.params["call_bytes"] = int64_t{1};
  return series;
}

}  // namespace

harness::Series measure_first_calls(const ProbeContext& context, const models::Kernels& kernels,
                                    const std::vector<models::KernelUse>& uses) {
  std::byte line[1]{};
  if (!harness::flush_from_caches(line, sizeof line))
    return unavailable_series("kernel_rates", "this CPU has no user-space cache flush");
  const auto stream = whole_stream(context);
  if (const auto* why = std::get_if<harness::Unavailable>(&stream))
    return unavailable_series("kernel_rates", why->reason);
  const std::vector<Call> calls = calls_of(kernels, uses, context.seed);
  const int64_t data_bytes = calls.back().offset_bytes + calls.back().body.of(Extent::brief).memory_bytes;
  const harness::Buffer data(static_cast<size_t>(std::max(data_bytes, page_bytes)), harness::Pages::small);
  for (const Call& call : calls) call.body.fill(data.data() + call.offset_bytes, Extent::brief);
  harness::Series series = empty_series(calls);
  bool right = true;
  for (int sample = 0; sample < context.samples; ++sample) {
    if (is_late(context.clock, context.end_ns)) return skipped_series("kernel_rates", context.budget_ns);
    take_sample(
        context, calls, data, [&] { right &= std::get<WholeStream>(stream).evict(); }, sample, series);
  }
  // A sample is one of every list.
  for (auto& [reason, indices] : series.disturbed) std::sort(indices.begin(), indices.end());
  for (const Call& call : calls) right &= call.body.right(Extent::brief);
  if (!right) {
    series.status = harness::Status::failed;
    series.reason = "a call or the stream gave something else than it must";
  }
  return series;
}

}  // namespace probes
