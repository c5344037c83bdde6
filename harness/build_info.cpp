#include "harness/build_info.hpp"

#include "git_version.hpp"

namespace harness {

BuildInfo build_info() {
  return {TOKROOF_VERSION, TOKROOF_GIT_COMMIT, TOKROOF_GIT_DIRTY, TOKROOF_COMPILER, TOKROOF_FLAGS};
}

}  // namespace harness
