#include "harness/cli/issue_signature.hpp"

#include <fmt/format.h>

#include "harness/cli/sign.hpp"
#include "harness/error.hpp"
#include "harness/signature.hpp"

namespace cli {

using harness::Error;
using harness::ExitCode;

namespace {

/// A file ends with a newline or not; either is the document.
std::string checked_signer(const harness::IssueSignature& signature, const std::string& canonical_text,
                           const harness::PublicKey& key, const std::string& name) {
  try {
    return harness::key_id_text(
        harness::verify_signature(canonical_text + "\n", signature.minisig, key, name).id);
  } catch (const Error& error) {
    if (error.code() != ExitCode::tampered) throw;
  }
  return harness::key_id_text(harness::verify_signature(canonical_text, signature.minisig, key, name).id);
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
