#include "probes/load_timer.hpp"

namespace probes {
namespace {

#if defined(__x86_64__)
// In one piece: between the two readings nothing but the load. rdtsc instead of rdtscp, which some guests
// lack; the lfence before it waits for the load in the same way.
int64_t timed_load(void* /*context*/, const std::byte* at) {
  uint64_t before = 0, after = 0;
  asm volatile(
      "lfence\n\t"
      "rdtsc\n\t"
      "lfence\n\t"
      "shl $32, %%rdx\n\t"
      "or %%rdx, %%rax\n\t"
      "mov %%rax, %[before]\n\t"
      "movb (%[at]), %%cl\n\t"
      "lfence\n\t"
      "rdtsc\n\t"
      "lfence\n\t"
      "shl $32, %%rdx\n\t"
      "or %%rdx, %%rax\n\t"
      "mov %%rax, %[after]"
      : [before] "=&r"(before), [after] "=&r"(after)
      : [at] "r"(at)
      : "rax", "rcx", "rdx", "cc", "memory");
  return static_cast<int64_t>(after - before);
}
constexpr const char* timer_source = "rdtsc between lfences";
#elif defined(__aarch64__)
int64_t timed_load(void* /*context*/, const std::byte* at) {
  uint64_t before = 0, after = 0, loaded = 0;
  asm volatile(
      "isb\n\t"
      "mrs %[before], cntvct_el0\n\t"
      "isb\n\t"
      "ldrb %w[loaded], [%[at]]\n\t"
      "dsb ld\n\t"
      "isb\n\t"
      "mrs %[after], cntvct_el0\n\t"
      "isb"
      : [before] "=&r"(before), [after] "=&r"(after), [loaded] "=&r"(loaded)
      : [at] "r"(at)
      : "memory");
  return static_cast<int64_t>(after - before);
}
constexpr const char* timer_source = "cntvct_el0 between isbs";
#endif

}  // namespace

harness::Reading<LoadTimer> load_timer() {
#if defined(__x86_64__) || defined(__aarch64__)
  return LoadTimer{&timed_load, nullptr, timer_source};
#else
  return harness::Unavailable{"this architecture has no timer that a user program can read around one load"};
#endif
}

}  // namespace probes
