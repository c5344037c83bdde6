// What survives when the process that stores is killed, and when several store at once.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>

#include "harness/digest.hpp"
#include "harness/statistics.hpp"
#include "harness/store_fixture.hpp"

namespace harness {
namespace {

/// Starts a child that stores documents first, first + 1, … and writes each number to `acknowledge` once it
/// is stored.
pid_t start_storing(const std::string& path, int first, int count, int acknowledge) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  int status = 1;
  try {
    Store store(path);
    for (int number = first; number < first + count; ++number) {
      store.add(numbered_document(number));
      if (write(acknowledge, &number, sizeof number) != sizeof number) break;
    }
    status = 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  _exit(status);
}

std::vector<int> read_numbers(int descriptor) {
  std::vector<int> numbers;
  int number = 0;
  while (read(descriptor, &number, sizeof number) == sizeof number) numbers.push_back(number);
  return numbers;
}

void expect_stored(Store& store, const std::vector<int>& numbers) {
  const std::vector<StoredDocument> all = store.list();
  for (const int number : numbers) {
    const std::string hash = sha256_hex(numbered_document(number));
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const auto& d) { return d.content_sha256 == hash; }))
        << number;
  }
}

TEST_F(StoreTest, a_writer_killed_at_any_moment_loses_nothing_that_it_acknowledged) {
  { Store create(path_); }
  SplitMix64 random(1);
  size_t acknowledged = 0;
  for (int round = 0; round < 25; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t pid = start_storing(path_, round * 1000, 1000, ends[1]);
    close(ends[1]);
    // Every other round lets one document in first: on a slow disk a kill this early would meet none.
    std::vector<int> numbers;
    int first = 0;
    if (round % 2 == 1 && read(ends[0], &first, sizeof first) == sizeof first) numbers.push_back(first);
    usleep(static_cast<useconds_t>(random.below(20'000)));
    kill(pid, SIGKILL);
    int status = 0;
    waitpid(pid, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it was to be killed at work";
    for (const int number : read_numbers(ends[0])) numbers.push_back(number);
    close(ends[0]);
    acknowledged += numbers.size();
    Store store(path_);
    expect_stored(store, numbers);
    const StoreCheck check = store.check();
    EXPECT_TRUE(check.problems.empty()) << check.problems.front();
  }
  EXPECT_GE(acknowledged, 12u) << "no document was stored: the kills came too early to test anything";
}

/// Writes more than its cache holds, so that pages of a transaction reach the file, and dies before the
/// commit.
void die_half_way(const std::string& path) {
  const pid_t pid = fork();
  if (pid == 0) {
    sqlite3* raw = nullptr;
    sqlite3_open(path.c_str(), &raw);
    sqlite3_exec(raw,
                 "PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE decode SET mode = hex(zeroblob(3000)); "
                 "UPDATE roofs SET level = hex(zeroblob(3000))",
                 nullptr, nullptr, nullptr);
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
}

TEST_F(StoreTest, what_a_killed_writer_left_half_done_is_undone_by_whoever_reads) {
  fill(30);
  die_half_way(path_);
  ASSERT_GT(std::filesystem::file_size(path_ + "-journal"), 0u) << "it was to die half way";
  {
    const std::string why =
        failure_of([&] { Database(path_, OpenMode::read_only, 0).integer("SELECT count(*) FROM decode"); });
    EXPECT_TRUE(contains(why, "half done")) << why;
  }
  EXPECT_EQ(Store::open_existing(path_).list().size(), 30u);
  EXPECT_TRUE(problems().empty()) << problems().front();
}

TEST_F(StoreTest, processes_that_store_at_once_lose_and_duplicate_nothing) {
  constexpr int writers = 4, each = 15;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::vector<pid_t> children;
  for (int i = 0; i < writers; ++i) children.push_back(start_storing(path_, i * 1000, each, ends[1]));
  close(ends[1]);
  for (const pid_t pid : children) {
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  Store store(path_);
  expect_stored(store, read_numbers(ends[0]));
  close(ends[0]);
  EXPECT_EQ(store.list().size(), static_cast<size_t>(writers * each));
  EXPECT_TRUE(store.check().problems.empty());
}

}  // namespace
}  // namespace harness
