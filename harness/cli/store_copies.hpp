// tokroof store backup, export and restore.
#pragma once
#include <string>

#include "harness/cli/terminal.hpp"
#include "harness/error.hpp"
#include "harness/store.hpp"

namespace cli {

struct CopyOptions {
  std::string database;  ///< "": the usual one
  std::string file;      ///< backup: to; restore: from, "-" for stdin
  std::string format = "jsonl", table = "decode", out;
  bool json = false;
};

harness::ExitCode back_up(const CopyOptions& options, const Terminal& terminal);
harness::ExitCode export_store(const CopyOptions& options);
harness::ExitCode restore_store(const CopyOptions& options, const Terminal& terminal);

/// Names on stderr each document that is in no table; returns invalid_input when there is one, else ok.
harness::ExitCode tell_unread(const harness::Projected& projected);

}  // namespace cli
