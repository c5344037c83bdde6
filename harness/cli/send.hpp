// The one place from which something leaves this machine: an issue, by GitHub's own program gh.
#pragma once
#include <string>
#include <vector>

namespace cli {

struct Issue {
  std::string repository;  ///< OWNER/NAME
  std::string title;
  std::vector<std::string> labels;
  std::string body_path;  ///< file with exactly the bytes of the body
  std::string address;    ///< opens the same issue in a browser: the way out without gh
};

/// Throws Error(usage) for a text that is no OWNER/NAME.
void check_repository(const std::string& repository);

/// Opens the issue with `gh issue create --body-file` and returns what gh prints, the issue's address.
/// gh's own messages go to stderr; it is asked nothing. Throws Error(unavailable) when gh is not installed or
/// did not send, with the way that needs no gh.
std::string send_issue(const Issue& issue);

}  // namespace cli
