// Files that a user names to be written.
#pragma once
#include <string>
#include <vector>

namespace cli {

/// A file as it was named, and by which option.
struct NamedOutput {
  std::string option, path;  ///< path "": not named
};

/// Refuses, before anything is measured, what write_named_output would refuse, and the same file named twice
/// (Error(usage)).
void check_named_outputs(const std::vector<NamedOutput>& outputs);

/// Writes a file, whole or not at all. Links are followed and stay links; devices, pipes and what the shell
/// made of >(…) are written into and never replaced. Throws Error(store) that names the path where its folder
/// is missing, where it is a folder itself, a socket, or a named pipe that nobody reads; Error(usage) where
/// stdout goes to that file already.
void write_named_output(const std::string& path, const std::string& text);

}  // namespace cli
