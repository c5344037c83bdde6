#include "probes/decode_team_control.hpp"

#include <algorithm>
#include <memory>

#include "harness/buffer.hpp"
#include "harness/cycle_chain.hpp"
#include "harness/error.hpp"
#include "harness/statistics.hpp"
#include "harness/streams/streams.hpp"
#include "models/thread_team.hpp"

namespace probes {
namespace {

constexpr int rounds = 7;
constexpr int64_t multiplies =
    1'000'000;  // half of some 2 ms: long against a thread's start, short against a time slice
constexpr int64_t block_bytes = 512;                      // streams read multiples of it
constexpr int64_t read_target_bytes = int64_t{32} << 20;  // a sample reads about as much on each PU

/// The asm keeps the compiler from folding the chain; the product of odd numbers stays odd.
uint32_t multiply_chain(uint32_t value) {
  for (int64_t i = 0; i < multiplies; ++i) {
    value *= value;
    asm volatile("" : "+r"(value));
  }
  return value;
}

/// What a member works on and how long it took. On lines of its own.
struct alignas(128) Share {
  harness::Clock clock;
  const harness::Streams* stream = nullptr;
  std::unique_ptr<harness::Buffer> buffer;
  int64_t passes = 0, ns = 0;
  double clock_hz = 0;
  uint64_t result = 0;
};

void run_chain(void* of, int member) {
  Share& share = static_cast<Share*>(of)[member];
  const int64_t start_ns = share.clock.now_ns();
  const uint32_t half_way = multiply_chain(3);
  const int64_t half_ns = share.clock.now_ns();
  share.clock_hz = harness::read_core_clock_hz();  // while the others run theirs
  const int64_t going_on_ns = share.clock.now_ns();
  share.result = multiply_chain(half_way);
  share.ns = share.clock.now_ns() - going_on_ns + half_ns - start_ns;
}

void run_read(void* of, int member) {
  Share& share = static_cast<Share*>(of)[member];
  const int64_t start_ns = share.clock.now_ns();
  share.result = share.stream->read(share.buffer->data(), share.buffer->bytes(), share.passes);
  share.ns = share.clock.now_ns() - start_ns;
}

[[noreturn]] void refuse() {
  throw harness::Error(harness::ExitCode::wrong_result,
                       "the control of the team computed a wrong value; its figures mean nothing");
}

int64_t slowest_ns(const std::vector<Share>& shares) {
  int64_t slowest = 0;
  for (const Share& share : shares) slowest = std::max(slowest, share.ns);
  return slowest;
}

double slowest_hz(const std::vector<Share>& shares) {
  double slowest = shares.front().clock_hz;
  for (const Share& share : shares) slowest = std::min(slowest, share.clock_hz);
  return slowest;
}

/// Fills both ratios of a control.
void compare_clocks(const harness::Topology& topology, const std::vector<int>& pus,
                    std::vector<Share>& shares, TeamControl& control) {
  std::vector<double> ratios, hz_ratios;
  for (int i = 0; i < rounds; ++i) {
    run_chain(shares.data(), 0);  // no team: nobody spins beside it
    const int64_t alone_ns = shares.front().ns;
    const double alone_hz = shares.front().clock_hz;
    models::ThreadTeam team(topology, pus);
    team.run(run_chain, shares.data());
    for (const Share& share : shares) {
      if (share.result % 2 != 1) refuse();
    }
    ratios.push_back(static_cast<double>(alone_ns) / static_cast<double>(slowest_ns(shares)));
    hz_ratios.push_back(alone_hz > 0 ? slowest_hz(shares) / alone_hz : 0);
  }
  control.together_clock_ratio = harness::median(ratios);
  control.together_hz_ratio = harness::median(hz_ratios);
}

double read_rate(const harness::Topology& topology, const std::vector<int>& pus, std::vector<Share>& shares) {
  models::ThreadTeam team(topology, pus);
  std::vector<double> rates;
  for (int i = 0; i <= rounds; ++i) {
    team.run(run_read, shares.data());
    double bytes = 0;
    for (const Share& share : shares) {
      // An odd number of passes leaves one pass' checksum, which the plain stream tells.
      const uint64_t expected =
          i == 0 ? harness::streams_tables().front().read(share.buffer->data(), share.buffer->bytes(), 1)
                 : share.result;
      if (share.result != expected) refuse();
      bytes += static_cast<double>(share.buffer->bytes()) * static_cast<double>(share.passes);
    }
    if (i > 0) rates.push_back(bytes / static_cast<double>(slowest_ns(shares)) * 1e9);
  }
  return harness::median(rates);
}

}  // namespace

TeamControl measure_team(const harness::Topology& topology, const std::vector<int>& pus,
                         const harness::CpuFeatures& features, const harness::Clock& clock,
                         int64_t read_bytes) {
  std::vector<Share> shares(pus.size());
  const auto members = static_cast<int64_t>(pus.size());
  const int64_t part_bytes = (read_bytes / members + block_bytes - 1) / block_bytes * block_bytes;
  for (Share& share : shares) {
    share.clock = clock;
    share.stream = &harness::select_streams(features);
    share.buffer = std::make_unique<harness::Buffer>(static_cast<size_t>(part_bytes), harness::Pages::huge);
    share.passes = (read_target_bytes / part_bytes) | 1;
  }
  TeamControl control;
  compare_clocks(topology, pus, shares, control);
  control.read_bytes_per_s = read_rate(topology, pus, shares);
  return control;
}

}  // namespace probes
