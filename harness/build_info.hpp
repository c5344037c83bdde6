// What this binary was built from and how.
#pragma once

namespace harness {

struct BuildInfo {
  const char* version;
  const char* git_commit;  ///< 40 hex digits, or "unknown" outside a checkout
  bool git_dirty;
  const char* compiler;
  const char* flags;
};

BuildInfo build_info();

}  // namespace harness
