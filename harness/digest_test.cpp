#include "harness/digest.hpp"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(digest, sha256_gives_the_published_value) {  // FIPS 180-4 example, "abc"
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(digest, sha256_does_not_depend_on_how_the_bytes_are_cut) {
  Sha256 hash;
  hash.update("a", 1);
  hash.update("bc", 2);
  EXPECT_EQ(hash.hex(), sha256_hex("abc"));
}

TEST(digest, nonces_are_hex_of_the_asked_length_and_differ) {
  EXPECT_EQ(random_hex(16).size(), 32u);
  EXPECT_NE(random_hex(16), random_hex(16));
}

}  // namespace
}  // namespace harness
