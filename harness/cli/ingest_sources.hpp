// What `tokroof ingest` is to read, and who sent it.
#pragma once
#include <string>
#include <vector>

namespace cli {

struct Source {
  std::string path;
  bool is_issue = false;
  std::string key = {};     ///< of an issue: the public key that must have signed it, "" for any or none
  std::string author = {};  ///< "": the file NAME.origin beside NAME.json may tell
};

/// A name may hold a newline: whoever chose it must not write a line of ours with it.
std::string shown(const std::string& text);

/// Returns the author of a document: what the command line says, else the file NAME.origin that the issue
/// channel puts beside NAME.json; "" where neither tells. Throws Error(invalid_input) for one that does not
/// tell.
std::string author_of(const Source& source);

/// Lists files, and of folders the .json files below them, in order of their names. Throws
/// Error(invalid_input) for a folder without any.
std::vector<std::string> files_of(const std::vector<std::string>& names);

}  // namespace cli
