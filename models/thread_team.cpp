#include "models/thread_team.hpp"

#include <pthread.h>
#include <sched.h>

#include <ctime>
#include <utility>

#include "harness/bound_thread.hpp"
#include "harness/error.hpp"
#include "harness/pinning.hpp"

namespace models {
namespace {

/// About a millisecond (a pause takes 40 to 140 cycles: Agner Fog, Instruction tables), far longer than a
/// member of a quiet machine ever waits.
constexpr int patient_spins = 1 << 15;
constexpr int impatient_spins = 64;  // where a member waits for a CPU, not for work

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

int spins_for(size_t members) {
  return members > harness::affinity_pus().size() ? impatient_spins : patient_spins;
}

}  // namespace

ThreadTeam::ThreadTeam(const harness::Topology& topology, const std::vector<int>& pus)
    : slots_(pus.size()), spins_(patient_spins) {
  try {
    for (size_t i = 1; i < pus.size(); ++i) start(static_cast<int>(i), &topology, pus[i]);
  } catch (...) {
    stop();
    throw;
  }
}

ThreadTeam::ThreadTeam(int size)
    : slots_(static_cast<size_t>(size)), spins_(spins_for(static_cast<size_t>(size))) {
  for (int i = 1; i < size; ++i) start(i, nullptr, -1);
}

ThreadTeam::~ThreadTeam() {
  stop();
}

void ThreadTeam::start(int member, const harness::Topology* topology, int pu) {
  const auto work = [this, member] { serve(member); };
  threads_.push_back(topology == nullptr ? std::thread(work)
                                         : harness::start_bound_thread(*topology, pu, work));
}

/// Ends the members that were started. Those that were not are counted as having arrived.
void ThreadTeam::stop() {
  for (size_t i = threads_.size() + 1; i < slots_.size(); ++i)
    slots_[i].arrivals.fetch_add(1, std::memory_order_release);
  work_ = nullptr;
  wait(0);
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::serve(int member) {
  for (;;) {
    wait(member);
    if (work_ == nullptr) return;
    work_(context_, member);
    wait(member);
  }
}

void ThreadTeam::run(Work work, void* context) {
  work_ = work;
  context_ = context;
  wait(0);
  work(context, 0);
  wait(0);
}

void ThreadTeam::wait(int member) {
  Slot& own = slots_[static_cast<size_t>(member)];
  const uint32_t arrival = own.arrivals.load(std::memory_order_relaxed) + 1;
  own.arrivals.store(arrival, std::memory_order_release);
  for (const Slot& other : slots_) {
    // A member may be one barrier ahead, hence the difference and not equality.
    for (int spins = 0; static_cast<int32_t>(other.arrivals.load(std::memory_order_acquire) - arrival) < 0;
         ++spins) {
      if (spins < spins_) {
        pause();
      } else {
        own.yields.fetch_add(1, std::memory_order_relaxed);
        sched_yield();
      }
    }
  }
}

uint32_t ThreadTeam::barriers() const {
  return slots_.front().arrivals.load(std::memory_order_relaxed);
}

int64_t ThreadTeam::yields() const {
  int64_t sum = 0;
  for (const Slot& slot : slots_) sum += slot.yields.load(std::memory_order_relaxed);
  return sum;
}

std::vector<int64_t> ThreadTeam::worker_cpu_ns() const {
  std::vector<int64_t> times_ns;
  for (const std::thread& thread : threads_) {
    clockid_t clock{};
    timespec time{};
    // std::thread's native handle is const-correct but for its signature.
    const bool told = pthread_getcpuclockid(const_cast<std::thread&>(thread).native_handle(), &clock) == 0 &&
                      clock_gettime(clock, &time) == 0;
    times_ns.push_back(told ? int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec : 0);
  }
  return times_ns;
}

}  // namespace models
