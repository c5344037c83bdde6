// SHA-256 (libsodium).
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace harness {

/// Owns a running SHA-256.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void update(const void* data, size_t bytes);
  /// Returns 64 lower-case hex digits; the object is used up.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_hex(std::string_view bytes);
/// Throws Error(invalid_input) when the file cannot be read.
std::string sha256_file_hex(const std::string& path);
/// Returns `bytes` random bytes as lower-case hex (a nonce).
std::string random_hex(size_t bytes);

}  // namespace harness
