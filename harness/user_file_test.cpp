#include "harness/user_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "harness/error.hpp"

namespace harness {
namespace {

class UserFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "user_file_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& bytes) {
    std::string path = folder_ + "/file";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  std::string folder_;
};

std::string refusal(const std::string& path, size_t most_bytes = 100) {
  try {
    read_user_file(path, most_bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::invalid_input);
    std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos);
    return text;
  }
  return "";
}

TEST_F(UserFile, comes_back_byte_for_byte) {
  const std::string bytes("a\0\r\n\xFF", 5);
  EXPECT_EQ(read_user_file(write(bytes), 100), bytes);
  EXPECT_EQ(read_user_file(write(""), 100), "");
  const std::string large(300'000, 'x');
  EXPECT_EQ(read_user_file(write(large), 300'000), large);
}

TEST_F(UserFile, of_one_byte_too_many_is_refused_with_the_limit) {
  EXPECT_EQ(read_user_file(write(std::string(100, 'x')), 100).size(), 100u);
  EXPECT_NE(refusal(write(std::string(101, 'x'))).find("more than 100 bytes"), std::string::npos);
  EXPECT_NE(refusal("/proc/self/status", 0).find("more than 0 bytes"), std::string::npos) << "has no size";
  EXPECT_NE(refusal(write(std::string((1 << 20) + 1, 'x')), 1 << 20).find("(1 MiB)"), std::string::npos);
}

TEST_F(UserFile, that_is_missing_is_no_error_where_it_may_be) {
  EXPECT_EQ(read_user_file_if_there(folder_ + "/none", 100), std::nullopt);
  EXPECT_EQ(read_user_file_if_there(write("") + "/none", 100), std::nullopt);
  EXPECT_EQ(refusal(folder_ + "/none"), folder_ + "/none: cannot be read: there is no such file");
  EXPECT_EQ(refusal(""), "'': cannot be read: there is no such file");
}

TEST_F(UserFile, is_no_folder_pipe_socket_or_device) {
  EXPECT_NE(refusal(folder_).find("it is a folder"), std::string::npos);
  const std::string pipe = folder_ + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(refusal(pipe).find("it is a named pipe"), std::string::npos) << "nobody writes: it must not wait";
  EXPECT_THROW(check_user_file(pipe), Error) << "nor when only its kind is asked for";
  EXPECT_NO_THROW(check_user_file(write("text")));
  for (const char* device : {"/dev/null", "/dev/zero"})
    EXPECT_NE(refusal(device).find("it is a device"), std::string::npos) << device;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = folder_ + "/socket";
  ASSERT_LT(name.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, name.c_str(), name.size() + 1);
  const int socket_descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(socket_descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_NE(refusal(name).find("a socket"), std::string::npos);
  close(socket_descriptor);
}

TEST_F(UserFile, may_be_a_pipe_that_the_shell_made) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "text", 4), 4);
  close(ends[1]);
  EXPECT_EQ(read_user_file("/dev/fd/" + std::to_string(ends[0]), 100), "text");
  close(ends[0]);
}

TEST_F(UserFile, with_control_characters_in_its_name_cannot_drive_a_terminal) {
  EXPECT_EQ(refusal("a\x1B[2Jb"), "a?[2Jb: cannot be read: there is no such file");
}

TEST_F(UserFile, that_may_not_be_read_says_so) {
  const std::string path = write("secret");
  ASSERT_EQ(chmod(path.c_str(), 0), 0);
  if (access(path.c_str(), R_OK) == 0) GTEST_SKIP() << "this user may read everything";
  EXPECT_NE(refusal(path).find("may not be read by you"), std::string::npos);
}

}  // namespace
}  // namespace harness
