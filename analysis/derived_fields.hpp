// The derived part of a submission as a flat list, so that two of them can be compared value by value.
#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "harness/submission.hpp"

namespace analysis {

struct DerivedField {
  std::string pointer;                               ///< RFC 6901, from the root of the document
  std::variant<int64_t, double, std::string> value;  ///< double: a real; booleans are int64_t 0 or 1
};

/// Lists all values in document order.
std::vector<DerivedField> derived_fields(const harness::Derived& derived);

/// Prints a value as a finding shows it.
std::string field_text(const DerivedField& field);

/// Integers and strings exactly, reals within 1e-6 relative.
bool same_value(const DerivedField& stated, const DerivedField& recomputed);

}  // namespace analysis
