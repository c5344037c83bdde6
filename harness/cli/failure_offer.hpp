// What a run that died says to its user about telling others.
#pragma once
#include <string>

#include "harness/error.hpp"

namespace cli {

/// Returns a text as one word of a POSIX shell.
std::string shell_word(const std::string& text);

/// Returns one line with the exact command that makes a failure document of what is in `path` ("": nothing
/// is kept: then `reason` says what happened), or "" for a code that is the user's or the disk's matter and
/// nobody else's.
std::string failure_offer(harness::ExitCode code, const std::string& path, const std::string& protocol,
                          const std::string& reason);

}  // namespace cli
