// What stored runs taught of ecm, in words.
#pragma once
#include <string>
#include <vector>

#include "analysis/learnt_error.hpp"

namespace cli {

/// Says by which factors ecm may be wrong on these models, and from what that was learnt.
std::string learnt_text(const analysis::LearntErrors& learnt, const std::vector<std::string>& models);

}  // namespace cli
