// A store in a folder of its own, and ways to harm it: for tests.
#pragma once
#include <fmt/format.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/error.hpp"
#include "harness/store.hpp"
#include "harness/store_database.hpp"
#include "harness/store_tables.hpp"
#include "harness/submission_example.hpp"

namespace harness {

inline std::string numbered_document(int number, const std::string& machine_key = example_hash) {
  Submission submission = example_submission();
  submission.nonce = fmt::format("{:032x}", number);
  submission.machine.machine_key = machine_key;
  return to_canonical_json(submission);
}

/// Returns what went wrong, as main would print it, and checks its exit code.
inline std::string failure_of(const std::function<void()>& action, ExitCode code = ExitCode::store) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "no error";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "tokroof_store_XXXXXX";
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ + "/store.sqlite";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void fill(int documents) {
    Store store(path_);
    for (int i = 0; i < documents; ++i) store.add(numbered_document(i));
  }
  /// Changes the file behind the store's back, as sqlite3 on the command line would.
  void tamper(const std::string& sql) {
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &raw), SQLITE_OK);
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(raw, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message;
    sqlite3_close(raw);
  }
  /// The same for documents, whose triggers must be taken away and put back.
  void tamper_documents(const std::string& sql) {
    tamper(
        "PRAGMA foreign_keys = OFF; DROP TRIGGER documents_do_not_change; DROP TRIGGER documents_do_not_go;" +
        sql);
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &raw), SQLITE_OK);
    for (const std::string& trigger : triggers()) {
      ASSERT_EQ(sqlite3_exec(raw, trigger.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << trigger;
    }
    sqlite3_close(raw);
  }
  static std::vector<std::string> triggers() {
    Database fresh("fresh", OpenMode::in_memory, 0);
    migrate_store(fresh);
    Statement rows =
        fresh.prepare("SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'documents'");
    std::vector<std::string> all;
    while (rows.step()) all.push_back(rows.text(0));
    return all;
  }
  std::vector<std::string> problems() { return Store::open_existing(path_).check().problems; }
  /// Whether some problem holds all of the words.
  static testing::AssertionResult names(const std::vector<std::string>& problems, const std::string& words) {
    for (const std::string& problem : problems) {
      if (contains(problem, words)) return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << "no problem says: " << words << "\n"
                                       << testing::PrintToString(problems);
  }

  std::string folder_, path_;
};

/// Becomes nobody; only in a child process.
inline void drop_privileges() {
  if (setgroups(0, nullptr) != 0 || setresgid(65534, 65534, 65534) != 0 ||
      setresuid(65534, 65534, 65534) != 0)
    _exit(99);
}

/// Ends the child with the exit code of the error that an action throws.
inline void exit_with_error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    _exit(static_cast<int>(error.code()));
  }
  _exit(0);
}

/// Lets no file grow beyond a size; only in a child process.
inline void limit_file_size(uint64_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(99);
}

}  // namespace harness
