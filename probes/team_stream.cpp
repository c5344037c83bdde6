#include "probes/team_stream.hpp"

#include <algorithm>
#include <atomic>
#include <optional>

#include "harness/error.hpp"
#include "harness/streams/streams.hpp"
#include "probes/core_team.hpp"
#include "probes/paged_buffer.hpp"
#include "probes/stream_sweep.hpp"
#include "probes/stream_work.hpp"
#include "probes/sweep.hpp"
#include "probes/time_budget.hpp"
#include "probes/working_sets.hpp"

namespace probes {
namespace {

/// Passes per sample: odd, for the checksum; enough that the threads' starts and ends do not count.
constexpr int64_t passes = 3;
constexpr size_t longest_param = 128;

/// What one thread streams over.
struct Share {
  std::optional<harness::Reading<harness::Buffer>> memory;
  std::optional<StreamWork> work;
};

void record_shares(harness::Series& series, const std::vector<Share>& shares, const std::string& pages) {
  int64_t bytes = 0, huge_bytes = 0;
  for (const Share& share : shares) {
    const auto& buffer = std::get<harness::Buffer>(*share.memory);
    bytes += static_cast<int64_t>(buffer.bytes());
    huge_bytes += static_cast<int64_t>(buffer.huge_bytes_granted());
  }
  record_pages(series, std::get<harness::Buffer>(*shares[0].memory), pages);
  series.params["buffer_bytes"] = bytes;
  series.params["huge_bytes_granted"] = huge_bytes;
}

/// Takes the samples; a wrong result ends them and makes the series failed.
void take_samples(const ProbeContext& context, const std::vector<int>& pus, std::vector<Share>& shares,
                  harness::Series& series) {
  int64_t skew_ns = 0;
  for (int i = 0; i < context.samples; ++i) {
    if (is_late(context.clock, context.end_ns)) {
      series = skipped_series(series.probe, context.budget_ns);
      return;
    }
    const TeamRound round = run_together(
        context.topology, pus, context.clock, [&](size_t t) { shares[t].work->refresh(); },
        [&](size_t t) { shares[t].work->run(passes); });
    series.samples_by_size[0].push_back(round.wall_ns);
    skew_ns = std::max(skew_ns, round.start_skew_ns);
    record_disturbance(series, i, round.disturbance);
    for (const Share& share : shares) {
      if (share.work->is_right(passes)) continue;
      series.status = harness::Status::failed;
      series.reason = "what a thread streamed is not what was written";
    }
    if (series.status != harness::Status::ok) break;
    if (context.progress) context.progress((i + 1.0) / context.samples);
  }
  series.params["start_skew_ns"] = skew_ns;
}

}  // namespace

harness::Series team_stream(const std::string& probe, const ProbeContext& context, int64_t bytes,
                            const std::vector<int>& pus) {
  const Operation& operation = find_operation(context.variant.operation);
  const std::string missing = missing_stream(operation.name, context.features);
  if (!missing.empty()) return unavailable_series(probe, missing);
  const int64_t share_bytes =
      bytes / static_cast<int64_t>(pus.size()) / size_quantum_bytes * size_quantum_bytes;
  const harness::Streams& streams = harness::select_streams(context.features);
  std::vector<Share> shares(pus.size());
  const auto prepare = [&](size_t i) {
    // On the thread that will use it: memory lies on the node of the core that touches it first.
    shares[i].memory.emplace(
        take_buffer(arrays_total_bytes(operation, share_bytes), context.variant.pages, context.seed + i));
    if (!harness::available(*shares[i].memory)) return;
    shares[i].work.emplace(streams, std::get<harness::Buffer>(*shares[i].memory), operation);
    shares[i].work->prepare(share_bytes);
  };
  harness::Series series;
  series.probe = probe;
  try {
    run_together(context.topology, pus, context.clock, prepare, [](size_t) {});
    for (const Share& share : shares) {
      if (!harness::available(*share.memory))
        return unavailable_series(probe, std::get<harness::Unavailable>(*share.memory).reason);
    }
    int64_t moved_bytes = 0;
    for (const Share& share : shares) moved_bytes += share.work->moved_bytes();
    series.sizes_bytes = {share_bytes * static_cast<int64_t>(pus.size())};
    series.work_per_sample = {passes * moved_bytes};
    series.work_unit = "bytes";
    series.samples_by_size.resize(1);
    take_samples(context, pus, shares, series);
  } catch (const harness::Error& error) {
    if (error.code() != harness::ExitCode::unavailable) throw;
    return unavailable_series(probe, error.what());
  }
  series.params["samples"] = int64_t{context.samples};
  record_shares(series, shares, context.variant.pages);
  record_stream(series, operation.name, context.features);
  if (context.variant.operation == "read") {  // each thread's own choice
    std::string letters;
    for (const Share& share : shares) letters += share.work->reads_ahead() ? 'a' : 'r';
    series.params["read_loops"] = letters.substr(0, longest_param);
  }
  return series;
}

}  // namespace probes
