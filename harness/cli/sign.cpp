#include "harness/cli/sign.hpp"

#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <iostream>

#include "harness/cli/checked_document.hpp"
#include "harness/cli/named_output.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/signature.hpp"
#include "harness/store.hpp"
#include "harness/user_file.hpp"
#include "harness/validation.hpp"

namespace cli {
namespace {

constexpr size_t max_key_bytes = 4096;

/// Keeps the terminal from showing what is typed.
class Unechoed {
 public:
  Unechoed() : is_terminal_(tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!is_terminal_) return;
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
  }
  ~Unechoed() {
    if (is_terminal_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  Unechoed(const Unechoed&) = delete;
  Unechoed& operator=(const Unechoed&) = delete;

 private:
  termios before_{};
  bool is_terminal_;
};

std::string ask_password() {
  print_aside("password of the key: ");
  std::string line;
  {
    const Unechoed quiet;
    std::getline(std::cin, line);
  }
  print_aside("\n");
  return line;
}

}  // namespace

harness::IssueSignature sign_file(const std::string& path, const std::string& key_path,
                                  const std::string& comment) {
  const harness::SecretKey key(harness::read_user_file(key_path, max_key_bytes), key_path, ask_password);
  harness::IssueSignature made{key.public_key(),
                               key.sign(harness::read_user_file(path, harness::max_document_bytes), comment)};
  write_named_output(path + ".minisig", made.minisig);
  return made;
}

harness::PublicKey public_key_of(const std::string& text) {
  if (text.size() == 56 && text.starts_with("RW")) return harness::read_public_key(text, "--key");
  return harness::read_public_key(harness::read_user_file(text, max_key_bytes), text);
}

}  // namespace cli
