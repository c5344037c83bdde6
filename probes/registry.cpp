#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "harness/error.hpp"
#include "harness/nearest_name.hpp"
#include "probes/probe.hpp"

namespace probes {

const Probe& find_probe(const std::string& id) {
  std::vector<std::string_view> ids;
  for (const Probe& probe : probes()) {
    if (probe.id == id) return probe;
    ids.emplace_back(probe.id);
  }
  throw harness::Error(harness::ExitCode::usage,
                       fmt::format("unknown probe '{}'{}", id, harness::did_you_mean(id, ids)));
}

}  // namespace probes
