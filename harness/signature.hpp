// Ed25519 signatures in the form of minisign (https://jedisct1.github.io/minisign/, "Signature format"): a
// file NAME.minisig beside the file NAME. docs/submitting.md, "Signing".
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <string>

namespace harness {

using KeyId = std::array<uint8_t, 8>;

/// Returns a key's number as minisign prints it: 16 upper-case hex digits.
std::string key_id_text(const KeyId& id);

struct PublicKey {
  KeyId id{};
  std::array<uint8_t, 32> key{};
};

/// Reads a public key: the base64 line alone, or the file that holds it below its comment. Throws
/// Error(invalid_input) that names `name`.
PublicKey read_public_key(const std::string& text, const std::string& name);

/// Owns a secret key; its bytes are wiped at the end.
class SecretKey {
 public:
  /// Reads minisign's secret key file. `password` is asked only for a key that is encrypted (scrypt, up to 1
  /// GiB of memory). Throws Error(invalid_input) for what is no key and for a wrong password,
  /// Error(unavailable) without the memory.
  SecretKey(const std::string& text, const std::string& name, const std::function<std::string()>& password);
  ~SecretKey();
  SecretKey(const SecretKey&) = delete;
  SecretKey& operator=(const SecretKey&) = delete;
  [[nodiscard]] const KeyId& id() const { return id_; }
  /// Returns the public key that belongs to it, as the line that begins with RW.
  [[nodiscard]] std::string public_key() const;
  /// Returns the text of a .minisig file for some bytes (prehashed: BLAKE2b-512, then Ed25519). The trusted
  /// comment is signed, too; it is one line.
  [[nodiscard]] std::string sign(const std::string& bytes, const std::string& trusted_comment) const;

 private:
  KeyId id_{};
  std::array<uint8_t, 64> key_{};
};

/// What a signature that holds says.
struct Signed {
  KeyId id{};
  std::string trusted_comment;
};

/// Checks a .minisig file's text against the bytes and a key; both of minisign's forms, prehashed and not.
/// Throws Error(tampered) when the bytes, the comment or the key are others, Error(invalid_input) for what is
/// no signature.
Signed verify_signature(const std::string& bytes, const std::string& signature, const PublicKey& key,
                        const std::string& name);

}  // namespace harness
