// What every ISA and compiler must compute: the committed digests.
#pragma once
#include <string>
#include <string_view>

#include "models/shape.hpp"

namespace models {

/// Changes whenever the decoder's work or numerics change: results of different versions are not compared as
/// equals.
inline constexpr const char* kernel_version = "1";

/// Returns the committed digest that golden_digest() must give for synthetic weights of seed 1 in an
/// arithmetic
/// ("int8" or "float"); "" for a model without one.
std::string expected_golden(const Shape& shape, std::string_view arithmetic = "int8");

}  // namespace models
