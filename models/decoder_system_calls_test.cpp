// A token is arithmetic on memory that is there: Decoder::step allocates nothing, takes no lock and makes no
// system call. Allocations and locks are counted (counted_calls.hpp); system calls kill a forked child.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "harness/cpu_features.hpp"
#include "models/counted_calls.hpp"
#include "models/decoder.hpp"
#include "models/kernels/select.hpp"
#include "models/thread_team.hpp"

namespace models {
namespace {

constexpr int steps = 64;
constexpr std::pair<const char*, Arithmetic> cases[] = {{"coreflow_1_9m", Arithmetic::int8},
                                                        {"coreflow_1_9m", Arithmetic::float32},
                                                        {"moe_ternary_8m", Arithmetic::int8}};
constexpr int no_seccomp = 77;  // exit code of a child whose kernel or container has no seccomp

/// Lets this process, all its threads, go on with nothing but exit_group, write and `also`: any other system
/// call kills it with SIGSYS. Returns false where the kernel refuses.
bool forbid_system_calls(int also = SYS_write) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(also), 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof filter / sizeof *filter, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

/// Runs `work` in a child that may make no system call, and returns the child's status as waitpid gives it.
template <class Work>
int status_without_system_calls(Work work) {
  const pid_t child = fork();
  if (child == 0) {
    if (!forbid_system_calls()) _exit(no_seccomp);
    work();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

bool was_refused(int status) {
  return WIFEXITED(status) && WEXITSTATUS(status) == no_seccomp;
}

bool was_killed_by_a_system_call(int status) {
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
}

/// Keeps the compiler from leaving out an allocation that nobody reads.
void release(void* block) {
  asm volatile("" : : "r"(block) : "memory");
  free(block);
}

template <class Work>
CallCounts calls_of(Work work) {
  const CallCounts before = counted_calls();
  work();
  const CallCounts after = counted_calls();
  return {after.allocations - before.allocations, after.locks - before.locks};
}

TEST(counted_calls, planted_allocations_are_counted) {
  const auto allocations = [](auto work) { return calls_of(work).allocations; };
  EXPECT_EQ(allocations([] { release(malloc(100)); }), 1);
  EXPECT_EQ(allocations([] { release(calloc(10, 10)); }), 1);
  EXPECT_EQ(allocations([] { release(realloc(malloc(1), 100'000)); }), 2);
  EXPECT_EQ(allocations([] { release(aligned_alloc(64, 128)); }), 1);
  EXPECT_EQ(allocations([] {
              void* block = nullptr;
              if (posix_memalign(&block, 64, 100) == 0) release(block);
            }),
            1);
  EXPECT_EQ(allocations([] {
              auto* numbers = new int[100];
              asm volatile("" : : "r"(numbers) : "memory");
              delete[] numbers;
            }),
            1);
  EXPECT_EQ(allocations([] {}), 0);
}

TEST(counted_calls, planted_locks_are_counted) {
  std::mutex mutex;
  std::shared_mutex shared;
  const auto locks = [](auto work) { return calls_of(work).locks; };
  EXPECT_EQ(locks([&] { const std::lock_guard lock(mutex); }), 1);
  EXPECT_EQ(locks([&] {
              if (mutex.try_lock()) mutex.unlock();
            }),
            1);
  EXPECT_EQ(locks([&] { const std::shared_lock lock(shared); }), 1);
  EXPECT_EQ(locks([&] { const std::unique_lock lock(shared); }), 1);
  EXPECT_EQ(locks([] {}), 0);
}

TEST(seccomp, kills_a_child_that_makes_a_system_call) {
  const int status = status_without_system_calls([] { syscall(SYS_getpid); });
  if (was_refused(status)) GTEST_SKIP() << "no seccomp here";
  EXPECT_TRUE(was_killed_by_a_system_call(status)) << status;
}

TEST(seccomp, lets_a_child_live_that_only_writes) {
  const int status = status_without_system_calls([] {
    if (write(STDERR_FILENO, "", 0) != 0) _exit(1);
  });
  if (was_refused(status)) GTEST_SKIP() << "no seccomp here";
  EXPECT_EQ(status, 0);
}

class DecoderStep : public testing::TestWithParam<const Kernels*> {
 protected:
  void SetUp() override {
    const std::string missing = missing_feature(*GetParam(), harness::read_cpu_features());
    if (!missing.empty()) GTEST_SKIP() << "this CPU lacks " << missing;
  }

  /// A fresh sequence: the first token must be as quiet as the others.
  static void run(Decoder& decoder) {
    for (int i = 0; i < steps; ++i) decoder.step(static_cast<uint32_t>(i));
  }
  static Decoder make(const char* model, Arithmetic arithmetic) {
    return {find_shape(model), synthetic_source(1), *GetParam(), arithmetic};
  }
};

TEST_P(DecoderStep, allocates_nothing_and_takes_no_lock) {
  for (const auto& [model, arithmetic] : cases) {
    Decoder decoder = make(model, arithmetic);
    const CallCounts calls = calls_of([&] { run(decoder); });
    EXPECT_EQ(calls.allocations, 0);
    EXPECT_EQ(calls.locks, 0);
    EXPECT_EQ(decoder.position(), steps);
  }
}

TEST_P(DecoderStep, makes_no_system_call) {
  for (const auto& [model, arithmetic] : cases) {
    Decoder decoder = make(model, arithmetic);
    const int status = status_without_system_calls([&] {
      run(decoder);
      if (decoder.position() != steps) _exit(1);
    });
    if (was_refused(status)) GTEST_SKIP() << "no seccomp here";
    EXPECT_EQ(status, 0) << (was_killed_by_a_system_call(status) ? "killed by a system call" : "");
  }
}

/// Members wait in spins: none is woken by the kernel. A machine that lacks CPUs for them may make them
/// yield.
TEST_P(DecoderStep, of_a_team_makes_no_system_call_but_to_yield) {
  const pid_t child = fork();  // threads do not come along, so the team is made there
  if (child == 0) {
    ThreadTeam team(2);
    DecoderSetup setup;
    setup.team = &team;
    Decoder decoder(find_shape("coreflow_1_9m"), synthetic_source(1), *GetParam(), setup);
    decoder.step(0);  // its members have begun to spin
    decoder.reset();
    if (!forbid_system_calls(SYS_sched_yield)) _exit(no_seccomp);
    run(decoder);
    _exit(decoder.position() == steps ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  if (was_refused(status)) GTEST_SKIP() << "no seccomp here";
  EXPECT_EQ(status, 0) << (was_killed_by_a_system_call(status) ? "killed by a system call" : "");
}

TEST_P(DecoderStep, of_a_team_allocates_nothing_and_takes_no_lock) {
  ThreadTeam team(2);
  DecoderSetup setup;
  setup.team = &team;
  Decoder decoder(find_shape("coreflow_1_9m"), synthetic_source(1), *GetParam(), setup);
  decoder.step(0);  // a thread allocates while it begins
  decoder.reset();
  const CallCounts calls = calls_of([&] { run(decoder); });  // those of all threads
  EXPECT_EQ(calls.allocations, 0);
  EXPECT_EQ(calls.locks, 0);
}

TEST(seccomp, kills_all_threads_of_a_child_that_yields_where_it_may_not) {
  const pid_t child = fork();
  if (child == 0) {
    ThreadTeam team(2);
    const auto work = [](void*, int member) {
      if (member == 1) syscall(SYS_sched_yield);
    };
    team.run([](void*, int) {}, nullptr);
    if (!forbid_system_calls()) _exit(no_seccomp);
    team.run(work, nullptr);
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  if (was_refused(status)) GTEST_SKIP() << "no seccomp here";
  EXPECT_TRUE(was_killed_by_a_system_call(status)) << status;
}

INSTANTIATE_TEST_SUITE_P(Tables, DecoderStep,
                         testing::ValuesIn(kernel_tables().begin(), kernel_tables().end()),
                         [](const auto& instance) { return std::string(instance.param->isa); });

}  // namespace
}  // namespace models
