#include "harness/cli/issue_signature.hpp"

#include <gtest/gtest.h>
#include <sodium.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "harness/error.hpp"
#include "harness/signature.hpp"

namespace cli {
namespace {

std::string base64(const std::string& bytes) {
  std::vector<char> text(sodium_base64_ENCODED_LEN(bytes.size(), sodium_base64_VARIANT_ORIGINAL));
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), sodium_base64_VARIANT_ORIGINAL);
  return text.data();
}

/// A secret key file of minisign without a password: whoever makes it chooses its number.
std::string secret_key(const std::string& number, unsigned char seed_byte) {
  std::array<unsigned char, crypto_sign_SEEDBYTES> seed{};
  seed.fill(seed_byte);
  std::array<unsigned char, crypto_sign_PUBLICKEYBYTES> open{};
  std::array<unsigned char, crypto_sign_SECRETKEYBYTES> secret{};
  crypto_sign_seed_keypair(open.data(), secret.data(), seed.data());
  const std::string key(reinterpret_cast<const char*>(secret.data()), secret.size());
  const std::string summed = "Ed" + number + key;
  std::array<unsigned char, 32> sum{};
  crypto_generichash(sum.data(), sum.size(), reinterpret_cast<const unsigned char*>(summed.data()),
                     summed.size(), nullptr, 0);
  const std::string checksum(reinterpret_cast<const char*>(sum.data()), sum.size());
  return "untrusted comment: x\n" +
         base64("Ed" + std::string(2, '\0') + "B2" + std::string(32 + 16, '\0') + number + key + checksum) +
         "\n";
}

harness::IssueDocument signed_document(const std::string& text, unsigned char seed_byte) {
  const harness::SecretKey key(secret_key("\x11\x22\x33\x44\x55\x66\x77\x88", seed_byte), "key",
                               [] { return ""; });
  harness::IssueDocument issue;
  issue.text = text;
  issue.signature = harness::IssueSignature{key.public_key(), key.sign(text + "\n", "a comment")};
  return issue;
}

TEST(issue_signature, two_keys_of_one_number_are_told_apart) {
  ASSERT_GE(sodium_init(), 0);
  const std::string text = R"({"a":1})";
  const std::string ada = signer_of(signed_document(text, 1), text, "", "f");
  const std::string mallory = signer_of(signed_document(text, 2), text, "", "f");
  EXPECT_EQ(ada.substr(0, 24), "8877665544332211 sha256:");
  EXPECT_EQ(mallory.substr(0, 24), ada.substr(0, 24));
  EXPECT_NE(mallory, ada);
  EXPECT_EQ(signer_of(signed_document(text, 1), text, "", "f"), ada);
}

TEST(issue_signature, a_key_of_the_same_number_does_not_pass_for_the_one_that_is_asked_for) {
  ASSERT_GE(sodium_init(), 0);
  const std::string text = R"({"a":1})";
  const harness::IssueDocument ada = signed_document(text, 1), mallory = signed_document(text, 2);
  EXPECT_NE(signer_of(ada, text, ada.signature->public_key, "f"), "");
  try {
    signer_of(mallory, text, ada.signature->public_key, "f");
    FAIL() << "taken";
  } catch (const harness::Error& error) {
    EXPECT_EQ(error.code(), harness::ExitCode::invalid_input);
  }
}

}  // namespace
}  // namespace cli
