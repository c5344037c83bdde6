#include "harness/signature.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "harness/error.hpp"

namespace harness {
namespace {

// Made by minisign 0.11: two keys (one encrypted with the password "hello"), a file, and its signature in
// both forms.
std::string recorded(const std::string& name) {
  std::ifstream file("harness/testdata/signatures/" + name, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_FALSE(text.empty()) << name;
  return text;
}

std::string no_password() {
  ADD_FAILURE() << "a key that is not encrypted asks for no password";
  return "";
}

template <class F>
ExitCode code_of(const F& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.code();
  }
  return ExitCode::ok;
}

ExitCode verdict(const std::string& bytes, const std::string& signature, const std::string& key) {
  return code_of([&] { verify_signature(bytes, signature, read_public_key(key, "key"), "file"); });
}

TEST(signature, of_minisign_holds_in_both_forms) {
  const PublicKey key = read_public_key(recorded("plain.pub"), "plain.pub");
  const Signed modern = verify_signature(recorded("signed.txt"), recorded("signed.txt.minisig"), key, "x");
  EXPECT_EQ(modern.trusted_comment, "of a test");
  EXPECT_EQ(key_id_text(modern.id), "305192DDE10A0CB8");
  EXPECT_EQ(
      verify_signature(recorded("signed.txt"), recorded("signed_legacy.minisig"), key, "x").trusted_comment,
      "in the older form");
}

TEST(signature, of_ours_holds_and_is_that_of_the_key) {
  const SecretKey key(recorded("plain.key"), "plain.key", no_password);
  const std::string made = key.sign("some bytes", "a comment");
  EXPECT_EQ(verdict("some bytes", made, recorded("plain.pub")), ExitCode::ok);
  EXPECT_EQ(verdict("some bytes", made, recorded("locked.pub")), ExitCode::tampered);
  EXPECT_EQ(verdict("some byteS", made, recorded("plain.pub")), ExitCode::tampered);
  EXPECT_EQ(verdict("", key.sign("", ""), recorded("plain.pub")), ExitCode::ok);
}

TEST(signature, signs_as_minisign_does_to_the_byte) {  // Ed25519 has no randomness
  const std::string theirs = recorded("signed.txt.minisig");
  const SecretKey key(recorded("plain.key"), "plain.key", no_password);
  const std::string ours = key.sign(recorded("signed.txt"), "of a test");
  EXPECT_EQ(ours.substr(ours.find('\n')), theirs.substr(theirs.find('\n')));
}

TEST(signature, of_a_file_of_which_one_bit_changed_does_not_hold) {
  const std::string text = recorded("signed.txt"), signature = recorded("signed.txt.minisig"),
                    key = recorded("plain.pub");
  for (size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_EQ(verdict(changed, signature, key), ExitCode::tampered);
  }
  EXPECT_EQ(verdict(text + " ", signature, key), ExitCode::tampered);
  for (size_t i = signature.find('\n') + 1; i < signature.size(); ++i) {  // the first line is anybody's
    std::string changed = signature;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_NE(verdict(text, changed, key), ExitCode::ok) << i;
    EXPECT_NE(verdict(text, signature.substr(0, i), key),
              i + 1 < signature.size() ? ExitCode::ok : ExitCode::internal);
  }
}

TEST(signature, takes_a_key_as_a_line_or_a_file_and_nothing_else) {
  const std::string file = recorded("plain.pub"), line = file.substr(file.find('\n') + 1);
  const std::string text = recorded("signed.txt"), signature = recorded("signed.txt.minisig");
  EXPECT_EQ(verdict(text, signature, line), ExitCode::ok);
  EXPECT_EQ(verdict(text, signature, line.substr(0, 56)), ExitCode::ok);
  for (const std::string& key :
       {std::string(), std::string("RW"), line.substr(1), line + line, recorded("plain.key"), signature,
        std::string(100'000, 'A'), "x\n" + line, std::string("\0", 1)})
    EXPECT_EQ(verdict(text, signature, key), ExitCode::invalid_input);
  for (const std::string& other : {std::string(), file, signature + signature, std::string(100'000, '\n')})
    EXPECT_EQ(verdict(text, other, file), ExitCode::invalid_input);
}

TEST(signature, needs_the_password_of_an_encrypted_key) {
  int asked = 0;
  EXPECT_EQ(code_of([&] {
              const SecretKey key(recorded("locked.key"), "locked.key", [&asked] {
                ++asked;
                return std::string("hello");
              });
              EXPECT_EQ(verdict("x", key.sign("x", "y"), recorded("locked.pub")), ExitCode::ok);
            }),
            ExitCode::ok);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(
      code_of([] { const SecretKey key(recorded("locked.key"), "k", [] { return std::string("hellO"); }); }),
      ExitCode::invalid_input);
}

TEST(signature, refuses_what_is_no_secret_key) {
  for (const std::string& text : {std::string(), recorded("plain.pub"), recorded("signed.txt"),
                                  std::string(50'000, 'x'), recorded("plain.key").substr(0, 100)})
    EXPECT_EQ(code_of([&] { const SecretKey key(text, "k", no_password); }), ExitCode::invalid_input);
}

}  // namespace
}  // namespace harness
