// Where figures come from: the rows that say of a document on which machine, by which build, and with what
// logits it decoded.
#pragma once
#include <vector>

#include "harness/store_tables.hpp"

namespace harness {

/// Returns the tables `machines`, `suites` and `outputs`. Imports have no rows in them.
std::vector<Projection> projections_of_origins();

}  // namespace harness
