#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "harness/store_fixture.hpp"

namespace harness {
namespace {

namespace fs = std::filesystem;

TEST_F(StoreTest, a_file_is_written_whole_or_not_at_all) {
  const std::string file = folder_ + "/a/b/document.json";
  write_file_atomically(file, "first");
  write_file_atomically(file, "second");
  std::ifstream in(file);
  std::string text;
  std::getline(in, text);
  EXPECT_EQ(text, "second");
  EXPECT_EXIT(
      {
        limit_file_size(4096);
        exit_with_error_of([&] { write_file_atomically(file, std::string(100'000, 'x')); });
      },
      testing::ExitedWithCode(7), "document.json: cannot be written .*free some space");
  EXPECT_EQ(fs::file_size(file), 6u);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ + "/a/b"), {}), 1) << "no temporary file is left";
}

TEST_F(StoreTest, a_file_where_a_folder_should_be_is_named) {
  std::ofstream(folder_ + "/file").close();
  EXPECT_TRUE(contains(failure_of([&] { write_file_atomically(folder_ + "/file/x.json", "{}"); }),
                       "/file: cannot be created"));
  EXPECT_TRUE(
      contains(failure_of([&] { Store store(folder_ + "/file/store.sqlite"); }), "/file: cannot be created"));
  EXPECT_TRUE(contains(failure_of([&] { write_file_atomically(folder_, "{}"); }), "cannot be written"));
}

/// Sets environment variables and puts the old values back.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~Environment() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(store_home, is_the_first_of_three_places) {
  const Environment home("HOME", "/home/somebody");
  const Environment data("XDG_DATA_HOME", nullptr);
  const Environment own("TOKROOF_HOME", nullptr);
  EXPECT_EQ(tokroof_home(), "/home/somebody/.local/share/tokroof");
  const Environment with_data("XDG_DATA_HOME", "/data");
  EXPECT_EQ(tokroof_home(), "/data/tokroof");
  const Environment with_own("TOKROOF_HOME", "/here");
  EXPECT_EQ(tokroof_home(), "/here");
}

TEST(store_home, ignores_a_relative_xdg_folder_and_needs_some_place) {
  const Environment own("TOKROOF_HOME", nullptr);
  const Environment data("XDG_DATA_HOME", "relative");
  const Environment home("HOME", "/home/somebody");
  EXPECT_EQ(tokroof_home(), "/home/somebody/.local/share/tokroof");
  const Environment without("HOME", nullptr);
  EXPECT_TRUE(contains(failure_of([] { tokroof_home(); }, ExitCode::usage), "set TOKROOF_HOME"));
}

}  // namespace
}  // namespace harness
