// The tables of a store, as SQL.
#pragma once
#include <vector>

namespace harness {

/// Returns the statements that make each version of the one before it: version n is what the first n make.
const std::vector<const char*>& store_versions();

extern const char* const store_version_4;  ///< in a file of its own, as is
extern const char* const store_version_5;
extern const char* const store_version_7;

}  // namespace harness
