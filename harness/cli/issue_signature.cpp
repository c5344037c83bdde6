#include "harness/cli/issue_signature.hpp"

#include <fmt/format.h>

#include "harness/cli/sign.hpp"
#include "harness/digest.hpp"
#include "harness/error.hpp"
#include "harness/signature.hpp"

namespace cli {

using harness::Error;
using harness::ExitCode;

namespace {

/// Whoever makes a key chooses its number: only its bytes say which it is.
std::string key_text(const harness::PublicKey& key) {
  return fmt::format("{} sha256:{}", harness::key_id_text(key.id),
                     harness::sha256_hex({reinterpret_cast<const char*>(key.key.data()), key.key.size()}));
}

/// A file ends with a newline or not; either is the document.
std::string checked_signer(const harness::IssueSignature& signature, const std::string& canonical_text,
                           const harness::PublicKey& key, const std::string& name) {
  std::string told = key_text(key);
  try {
    harness::verify_signature(canonical_text + "\n", signature.minisig, key, name);
    return told;
  } catch (const Error& error) {
    if (error.code() != ExitCode::tampered) throw;
  }
  harness::verify_signature(canonical_text, signature.minisig, key, name);
  return told;
}

}  // namespace

std::string signer_of(const harness::IssueDocument& issue, const std::string& canonical_text,
                      const std::string& wanted, const std::string& name) {
  if (!issue.signature) {
    if (wanted.empty()) return "";
    throw Error(
        ExitCode::invalid_input,
        name + ": not signed, and --key asks for a signature; submit it with --sign, or leave out --key");
  }
  try {
    const harness::PublicKey own = harness::read_public_key(issue.signature->public_key, name);
    return checked_signer(*issue.signature, canonical_text, wanted.empty() ? own : public_key_of(wanted),
                          name);
  } catch (const Error& error) {
    if (error.code() != ExitCode::tampered && error.code() != ExitCode::invalid_input) throw;
    throw Error(ExitCode::invalid_input,
                fmt::format("{}; submit it again with --sign, or without a signature", error.what()));
  }
}

}  // namespace cli
