#include "probes/decode_profile.hpp"

#include <algorithm>
#include <utility>

#include "harness/buffer.hpp"
#include "harness/error.hpp"
#include "harness/sampler.hpp"
#include "harness/statistics.hpp"
#include "harness/streams/streams.hpp"

namespace probes {
namespace {

using models::op_count;

constexpr std::pair<int, int> profiled_ranges[] = {{65, 128}, {896, 1023}};
constexpr int clock_pairs = 1000;

/// One pass over the context.
struct Pass {
  std::vector<int64_t> step_ns;         ///< [context]
  std::vector<models::OpTimes> ranges;  ///< when profiled
  uint64_t tokens_digest = 0;
};

std::vector<RangeProfile> ranges_of(int context) {
  std::vector<RangeProfile> ranges;
  for (const auto& [first, last] : profiled_ranges) {
    if (first < context) ranges.push_back({first, std::min(last, context - 1)});
  }
  if (ranges.empty()) ranges.push_back({0, context - 1});
  return ranges;
}

/// Where the op times of a step belong: null outside the ranges.
models::OpTimes* times_at(int position, const std::vector<RangeProfile>& ranges, Pass& pass) {
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (position >= ranges[i].position_first && position <= ranges[i].position_last) return &pass.ranges[i];
  }
  return nullptr;
}

/// Profiles the steps inside the ranges when `profiled`; times every step.
Pass take_pass(models::Decoder& decoder, const harness::Clock& clock, const std::vector<uint32_t>& tokens,
               const std::vector<RangeProfile>& ranges, bool profiled, const std::function<void()>& between) {
  Pass pass;
  pass.ranges.resize(ranges.size());
  pass.step_ns.reserve(tokens.size());
  decoder.reset();
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (between && i % profile_step_positions == 0) between();
    decoder.profile(profiled ? times_at(static_cast<int>(i), ranges, pass) : nullptr);
    const int64_t start_ns = clock.now_ns();
    const auto logits = decoder.step(tokens[i]);
    pass.step_ns.push_back(clock.now_ns() - start_ns);
    // Somebody must want the logits, and every pass must give the same (FNV-1a, by words).
    pass.tokens_digest = (pass.tokens_digest ^ models::argmax(logits)) * 0x100000001B3ULL;
  }
  decoder.profile(nullptr);
  return pass;
}

double clock_pair_ns(const harness::Clock& clock) {
  const int64_t start_ns = clock.now_ns();
  for (int i = 0; i < 2 * clock_pairs - 1; ++i) static_cast<void>(clock.now_ns());
  return static_cast<double>(clock.now_ns() - start_ns) / clock_pairs;
}

/// Mean time per step of a pass over positions first … last.
double mean_ns(const Pass& pass, int first, int last) {
  double sum_ns = 0;
  for (int i = first; i <= last; ++i) sum_ns += static_cast<double>(pass.step_ns[static_cast<size_t>(i)]);
  return sum_ns / (last - first + 1);
}

double median_of_means(const std::vector<Pass>& passes, int first, int last) {
  std::vector<double> means;
  means.reserve(passes.size());
  for (const Pass& pass : passes) means.push_back(mean_ns(pass, first, last));
  return harness::median(means);
}

double median_of_op(const std::vector<Pass>& passes, size_t range, size_t op) {
  std::vector<double> means;
  means.reserve(passes.size());
  for (const Pass& pass : passes) {
    const models::OpTimes& times = pass.ranges[range];
    means.push_back(static_cast<double>(times.ns[op]) / static_cast<double>(times.tokens));
  }
  return harness::median(means);
}

DecodeProfile summarise(const std::vector<Pass>& profiled, const std::vector<Pass>& unprofiled,
                        std::vector<RangeProfile> ranges, int context) {
  for (size_t i = 0; i < ranges.size(); ++i) {
    RangeProfile& range = ranges[i];
    for (size_t op = 0; op < op_count; ++op) range.op_ns[op] = median_of_op(profiled, i, op);
    range.profiled_ns = median_of_means(profiled, range.position_first, range.position_last);
    range.unprofiled_ns = median_of_means(unprofiled, range.position_first, range.position_last);
  }
  DecodeProfile profile;
  profile.passes = static_cast<int>(profiled.size());
  profile.ranges = std::move(ranges);
  for (int first = 0; first < context; first += profile_step_positions) {
    const int last = std::min(first + profile_step_positions, context) - 1;
    profile.steps.push_back({first, last, median_of_means(unprofiled, first, last)});
  }
  return profile;
}

}  // namespace

DecodeProfile profile_decode(models::Decoder& decoder, const models::Shape& shape,
                             const harness::Clock& clock, int passes,
                             const std::function<void(double)>& progress) {
  const std::vector<uint32_t> tokens = models::seeded_tokens(shape, 1, shape.context);
  const std::vector<RangeProfile> ranges = ranges_of(shape.context);
  // A pass of a large model takes long: an interrupt must not wait for its end.
  const auto beat = [&](int pass) {
    return [&progress, pass, passes] {
      if (progress) progress(static_cast<double>(pass) / (2 * passes));
    };
  };
  const uint64_t expected = take_pass(decoder, clock, tokens, ranges, false, {}).tokens_digest;
  std::vector<Pass> profiled, unprofiled;
  for (int i = 0; i < 2 * passes; ++i) {
    // PU UP PU …: drift falls on both alike.
    const bool with_profile = i % 4 == 0 || i % 4 == 3;
    Pass pass = take_pass(decoder, clock, tokens, ranges, with_profile, beat(i));
    if (pass.tokens_digest != expected) {
      throw harness::Error(harness::ExitCode::wrong_result,
                           "profile: a pass chose other tokens than the first; its times mean nothing");
    }
    (with_profile ? profiled : unprofiled).push_back(std::move(pass));
  }
  DecodeProfile profile = summarise(profiled, unprofiled, ranges, shape.context);
  profile.clock_pair_ns = clock_pair_ns(clock);
  return profile;
}

std::vector<double> read_rates(const harness::CpuFeatures& features, const harness::Clock& clock,
                               int64_t size_bytes) {
  constexpr int64_t block_bytes = 512;  // streams read multiples of it
  const harness::Buffer buffer(
      static_cast<size_t>((size_bytes + block_bytes - 1) / block_bytes * block_bytes), harness::Pages::huge);
  const harness::Streams& stream = harness::select_streams(features);
  // The plain stream says what the data is.
  const uint64_t one_pass = harness::streams_tables().front().read(buffer.data(), buffer.bytes(), 1);
  uint64_t got = 0;
  harness::SamplerOptions options;
  options.min_sample_ns = 2'000'000;
  const harness::Samples samples = harness::sample(clock, options, [&](int64_t passes) {
    got = stream.read(buffer.data(), buffer.bytes(), passes) ^ (passes % 2 == 1 ? one_pass : 0);
  });
  if (got != 0) {
    throw harness::Error(harness::ExitCode::wrong_result,
                         "profile: the read stream gave a wrong checksum; its rate means nothing");
  }
  std::vector<double> rates;
  for (const int64_t ns : samples.durations_ns) {
    rates.push_back(static_cast<double>(buffer.bytes()) * static_cast<double>(samples.repeats) /
                    static_cast<double>(ns) * 1e9);
  }
  return rates;
}

}  // namespace probes
