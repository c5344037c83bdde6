#include "harness/digest.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "harness/error.hpp"

namespace harness {
namespace {

std::string hex_of(const unsigned char* bytes, size_t count) {
  std::string text(count * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes, count);
  text.pop_back();
  return text;
}

}  // namespace

struct Sha256::State {
  crypto_hash_sha256_state hash;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  crypto_hash_sha256_init(&state_->hash);
}
Sha256::~Sha256() = default;

void Sha256::update(const void* data, size_t bytes) {
  crypto_hash_sha256_update(&state_->hash, static_cast<const unsigned char*>(data), bytes);
}

std::string Sha256::hex() {
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256_final(&state_->hash, digest.data());
  return hex_of(digest.data(), digest.size());
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes.data(), bytes.size());
  return hash.hex();
}

std::string sha256_file_hex(const std::string& path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) {
    throw Error(ExitCode::invalid_input, fmt::format("{}: cannot be read ({})", path, std::strerror(errno)));
  }
  Sha256 hash;
  std::vector<char> chunk(1 << 16);
  while (size_t got = std::fread(chunk.data(), 1, chunk.size(), file.get())) hash.update(chunk.data(), got);
  if (std::ferror(file.get())) throw Error(ExitCode::invalid_input, fmt::format("{}: read error", path));
  return hash.hex();
}

std::string random_hex(size_t bytes) {
  if (sodium_init() < 0) throw Error(ExitCode::internal, "libsodium cannot find a source of random numbers");
  std::vector<unsigned char> random(bytes);
  randombytes_buf(random.data(), random.size());
  return hex_of(random.data(), random.size());
}

}  // namespace harness
