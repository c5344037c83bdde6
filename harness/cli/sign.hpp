// Signing a file with a key of minisign.
#pragma once
#include <string>

#include "harness/issue_body.hpp"
#include "harness/signature.hpp"

namespace cli {

/// Writes PATH.minisig beside a file, signed with the secret key in `key_path`, and returns what it holds.
/// The password of an encrypted key is read from the terminal without echo, or a line of stdin. Throws Error
/// as SecretKey does.
harness::IssueSignature sign_file(const std::string& path, const std::string& key_path,
                                  const std::string& comment);

/// Reads a public key: the line that begins with RW, or the file that holds it.
harness::PublicKey public_key_of(const std::string& text);

}  // namespace cli
