// Files that a user names: read whole, up to a limit, and refused in one line that says what to do.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

namespace harness {

/// Returns the bytes of a regular file, of standard input (/dev/stdin) or of a pipe that the shell made
/// (/dev/fd/N). Throws Error(invalid_input) that names the file and the remedy when there is none, when it is
/// a folder, a named pipe, a socket or a device, may not be read, or has more than `most_bytes`: never reads
/// more than one byte beyond that, and never waits for somebody to write into a named pipe.
std::string read_user_file(const std::string& path, size_t most_bytes);

/// Returns the same, or nothing where there is no file of that name.
std::optional<std::string> read_user_file_if_there(const std::string& path, size_t most_bytes);

/// Refuses what read_user_file refuses for what it is, whatever its size: for files that are read in parts.
void check_user_file(const std::string& path);

}  // namespace harness
