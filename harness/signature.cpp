#include "harness/signature.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "harness/error.hpp"

namespace harness {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr std::string_view untrusted = "untrusted comment: ", trusted = "trusted comment: ";
constexpr size_t secret_bytes = 8 + 64 + 32;                                // number, key, checksum
constexpr size_t secret_key_bytes = 2 + 2 + 2 + 32 + 8 + 8 + secret_bytes;  // algorithms, salt, limits
constexpr size_t most_lines = 8;

Error no_key(const std::string& name, const std::string& what) {
  return {ExitCode::invalid_input, fmt::format("{}: {}", name, what)};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size() && lines.size() <= most_lines;) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    if (!lines.back().empty() && lines.back().back() == '\r') lines.back().pop_back();
    at = end + 1;
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

/// Returns the bytes of a base64 text that must be exactly so many, or nothing.
Bytes from_base64(const std::string& text, size_t bytes) {
  Bytes out(bytes + 1);
  size_t length = 0;
  if (text.size() > 1000 || sodium_init() < 0 ||
      sodium_base642bin(out.data(), out.size(), text.data(), text.size(), nullptr, &length, nullptr,
                        sodium_base64_VARIANT_ORIGINAL) != 0 ||
      length != bytes)
    return {};
  out.resize(bytes);
  return out;
}

std::string to_base64(const Bytes& bytes) {
  std::string text(sodium_base64_ENCODED_LEN(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(text.data(), text.size(), bytes.data(), bytes.size(), sodium_base64_VARIANT_ORIGINAL);
  text.pop_back();  // the NUL
  return text;
}

const uint8_t* data_of(const std::string& text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}

Bytes hashed(const std::string& bytes) {
  Bytes hash(crypto_generichash_BYTES_MAX);
  crypto_generichash(hash.data(), hash.size(), data_of(bytes), bytes.size(), nullptr, 0);
  return hash;
}

uint64_t little_endian(const uint8_t* bytes) {
  uint64_t value = 0;
  for (int i = 7; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}

/// Takes the password's stream off the secret part.
void decrypt(Bytes& packed, const std::string& name, const std::string& password) {
  std::array<uint8_t, secret_bytes> stream{};
  const uint8_t* limits = packed.data() + 38;
  const uint64_t operations = little_endian(limits), memory = little_endian(limits + 8);
  constexpr uint64_t most = uint64_t{1} << 30;  // what minisign itself asks for
  if (operations > uint64_t{1} << 26 || memory > most)
    throw no_key(name, "asks for more work than minisign ever does; make another key");
  if (crypto_pwhash_scryptsalsa208sha256(stream.data(), stream.size(), password.data(), password.size(),
                                         packed.data() + 6, operations, memory) != 0)
    throw Error(ExitCode::unavailable,
                fmt::format("{}: decrypting this key takes {} MiB of memory, which are not to be had", name,
                            memory >> 20));
  for (size_t i = 0; i < secret_bytes; ++i) packed[54 + i] ^= stream[i];
  sodium_memzero(stream.data(), stream.size());
}

/// A key that is not encrypted has no checksum: zeros stand there.
bool checksum_holds(const Bytes& packed, bool encrypted) {
  if (!encrypted && sodium_is_zero(packed.data() + 54 + 72, 32) != 0) return true;
  std::array<uint8_t, 32> own{};
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, own.size());
  crypto_generichash_update(&state, packed.data(), 2);
  crypto_generichash_update(&state, packed.data() + 54, 8 + 64);
  crypto_generichash_final(&state, own.data(), own.size());
  return sodium_memcmp(own.data(), packed.data() + 54 + 72, own.size()) == 0;
}

/// The four lines of a .minisig file.
struct Parsed {
  Bytes signature;  ///< algorithm, key number, 64 bytes
  std::string comment;
  Bytes global;
};

Parsed parsed(const std::string& text, const std::string& name) {
  const std::vector<std::string> lines = lines_of(text);
  if (lines.size() != 4 || !lines[0].starts_with(untrusted) || !lines[2].starts_with(trusted))
    throw no_key(name, "no minisign signature: it has four lines, of which the first and third are comments");
  Parsed signature{from_base64(lines[1], 74), lines[2].substr(trusted.size()), from_base64(lines[3], 64)};
  if (signature.signature.empty() || signature.global.empty() || signature.signature[0] != 'E' ||
      (signature.signature[1] != 'd' && signature.signature[1] != 'D'))
    throw no_key(name, "no minisign signature: lines 2 and 4 are not what base64 makes of one");
  return signature;
}

bool holds(const Bytes& signature, const uint8_t* bytes, size_t size, const PublicKey& key) {
  return crypto_sign_verify_detached(signature.data(), bytes, size, key.key.data()) == 0;
}

}  // namespace

std::string key_id_text(const KeyId& id) {
  return fmt::format("{:016X}", little_endian(id.data()));
}

PublicKey read_public_key(const std::string& text, const std::string& name) {
  const std::vector<std::string> lines = lines_of(text);
  const bool commented = lines.size() == 2 && lines[0].starts_with(untrusted);
  const Bytes bytes = lines.size() == 1 || commented ? from_base64(lines.back(), 42) : Bytes();
  if (bytes.empty() || bytes[0] != 'E' || bytes[1] != 'd')
    throw no_key(name, "no minisign public key: that is a line of 56 characters which begins with RW");
  PublicKey key;
  std::copy_n(bytes.begin() + 2, key.id.size(), key.id.begin());
  std::copy_n(bytes.begin() + 10, key.key.size(), key.key.begin());
  return key;
}

SecretKey::SecretKey(const std::string& text, const std::string& name,
                     const std::function<std::string()>& password) {
  const std::vector<std::string> lines = lines_of(text);
  Bytes packed = lines.size() == 2 && lines[0].starts_with(untrusted)
                     ? from_base64(lines[1], secret_key_bytes)
                     : Bytes();
  if (packed.empty() || packed[0] != 'E' || packed[1] != 'd' || packed[4] != 'B' || packed[5] != '2')
    throw no_key(name, "no minisign secret key; make one with minisign -G");
  const bool encrypted = packed[2] == 'S' && packed[3] == 'c';
  if (!encrypted && (packed[2] != 0 || packed[3] != 0))
    throw no_key(name, "encrypted in a way that is not minisign's");
  if (encrypted) decrypt(packed, name, password());
  const bool sound = checksum_holds(packed, encrypted);
  std::copy_n(packed.begin() + 54, id_.size(), id_.begin());
  std::copy_n(packed.begin() + 62, key_.size(), key_.begin());
  sodium_memzero(packed.data(), packed.size());
  if (!sound) {
    sodium_memzero(key_.data(), key_.size());
    throw no_key(name, encrypted ? "wrong password" : "its checksum does not hold; take another copy of it");
  }
}

SecretKey::~SecretKey() {
  sodium_memzero(key_.data(), key_.size());
}

std::string SecretKey::public_key() const {
  Bytes bytes = {'E', 'd'};
  bytes.insert(bytes.end(), id_.begin(), id_.end());
  bytes.insert(bytes.end(), key_.begin() + 32, key_.end());  // libsodium keeps it behind the seed
  return to_base64(bytes);
}

std::string SecretKey::sign(const std::string& bytes, const std::string& trusted_comment) const {
  const Bytes hash = hashed(bytes);
  Bytes signature = {'E', 'D'};
  signature.insert(signature.end(), id_.begin(), id_.end());
  signature.resize(74);
  crypto_sign_detached(signature.data() + 10, nullptr, hash.data(), hash.size(), key_.data());
  Bytes all(signature.begin() + 10, signature.end());
  all.insert(all.end(), trusted_comment.begin(), trusted_comment.end());
  Bytes global(64);
  crypto_sign_detached(global.data(), nullptr, all.data(), all.size(), key_.data());
  return fmt::format("{}signature from tokroof, key {}\n{}\n{}{}\n{}\n", untrusted, key_id_text(id_),
                     to_base64(signature), trusted, trusted_comment, to_base64(global));
}

Signed verify_signature(const std::string& bytes, const std::string& signature, const PublicKey& key,
                        const std::string& name) {
  const Parsed given = parsed(signature, name);
  const auto refused = [&name](const std::string& what) {
    return Error(ExitCode::tampered, fmt::format("{}: {}", name, what));
  };
  Signed made{{}, given.comment};
  std::copy_n(given.signature.begin() + 2, made.id.size(), made.id.begin());
  if (made.id != key.id)
    throw refused(fmt::format("signed with key {}, not with {}", key_id_text(made.id), key_id_text(key.id)));
  const Bytes own(given.signature.begin() + 10, given.signature.end());
  const Bytes hash = hashed(bytes);
  const bool prehashed = given.signature[1] == 'D';
  if (!holds(own, prehashed ? hash.data() : data_of(bytes), prehashed ? hash.size() : bytes.size(), key))
    throw refused("the signature does not hold: the file is not the one that was signed");
  Bytes all = own;
  all.insert(all.end(), given.comment.begin(), given.comment.end());
  if (!holds(given.global, all.data(), all.size(), key))
    throw refused("the signature of the trusted comment does not hold: somebody changed it");
  return made;
}

}  // namespace harness
