// Takes out of foreign text what says who and where: a log excerpt is the one part of a document that nobody
// chose word by word. docs/submitting.md, "What is taken out".
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace harness {

/// What is private to a machine and its user. Empty members are not looked for.
struct PrivateNames {
  std::vector<std::string> homes;   ///< home folders, without a slash at the end
  std::vector<std::string> hosts;   ///< host names, whole and up to the first dot
  std::vector<std::string> logins;  ///< logins, and the name of the person
};

/// Reads the names of this process' user and machine: uname(2), passwd(5), $HOME, $USER, $LOGNAME,
/// $SUDO_USER. Left out is what names nobody: root, localhost, a home of "/".
PrivateNames read_private_names();

/// Returns the text with ill-formed UTF-8 and control characters as '?'; newlines and tabs stay, CRLF becomes
/// LF.
std::string printable(std::string_view text);

/// Returns the text without private names, MAC and IP addresses, mail addresses, UUIDs, 32-digit ids, access
/// tokens, passwords in addresses, and absolute paths outside of /usr, /proc and the like. Each is replaced
/// by a word in round brackets. Ill-formed UTF-8 and control characters become '?'; newlines and tabs stay.
/// Scrubbing twice changes nothing more. Time grows linearly with the text.
std::string scrub(std::string_view text, const PrivateNames& names = {});

}  // namespace harness
