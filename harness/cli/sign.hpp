// Signing a file with a key of minisign.
#pragma once
#include <string>

namespace cli {

/// Writes PATH.minisig beside a file, signed with the secret key in `key_path`, and returns its path. The
/// password of an encrypted key is read from the terminal without echo, or a line of stdin. Throws Error as
/// SecretKey does.
std::string sign_file(const std::string& path, const std::string& key_path, const std::string& comment);

}  // namespace cli
