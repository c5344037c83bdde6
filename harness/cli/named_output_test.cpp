#include "harness/cli/named_output.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/error.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;

class named_output : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "named_output_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string at(const std::string& name) const { return (folder_ / name).string(); }
  static std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static std::string refusal(const std::vector<NamedOutput>& outputs) {
    try {
      check_named_outputs(outputs);
    } catch (const harness::Error& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

TEST_F(named_output, a_file_is_replaced_and_a_link_stays_one) {
  fs::create_symlink("there", at("link"));
  write_named_output(at("link"), "one");  // leads nowhere yet
  EXPECT_EQ(read(at("there")), "one");
  write_named_output(at("link"), "2");
  EXPECT_EQ(read(at("there")), "2");
  EXPECT_TRUE(fs::is_symlink(at("link")));
}

TEST_F(named_output, a_pipe_is_written_into_where_somebody_reads) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_THROW(write_named_output(at("pipe"), "x"), harness::Error);
  write_named_output("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_TRUE(fs::is_fifo(at("pipe")));
}

TEST_F(named_output, what_cannot_be_written_is_named) {
  EXPECT_NE(refusal({{"--output", at("none/file")}}).find("there is no folder " + at("none")),
            std::string::npos);
  EXPECT_NE(refusal({{"--output", folder_.string()}}).find("is a folder"), std::string::npos);
  fs::create_symlink("circle", at("circle"));
  EXPECT_NE(refusal({{"--output", at("circle")}}), "");
  EXPECT_EQ(refusal({{"--output", at("file")}, {"--junit", ""}}), "");
}

TEST_F(named_output, the_same_file_twice_is_refused_however_it_is_reached) {
  fs::create_symlink("file", at("link"));
  EXPECT_NE(refusal({{"--junit", at("file")}, {"--output", at("link")}}), "");
  EXPECT_NE(refusal({{"--junit", at("file")}, {"--output", at("./file")}}), "");
  EXPECT_EQ(refusal({{"--junit", at("file")}, {"--output", at("other")}}), "");
  EXPECT_EQ(refusal({{"--junit", "/dev/null"}, {"--output", "/dev/null"}}), "");
}

}  // namespace
}  // namespace cli
