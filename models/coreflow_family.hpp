// The dose–response family: the blocks of coreflow_1_9m at any number of weight bytes per token.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "models/shape.hpp"

namespace models {

inline constexpr int64_t family_min_kib = 128, family_max_kib = 1 << 20;

/// Whether a name is spelt like one of the family, "coreflow_x512kib", whatever its size.
bool is_family_name(std::string_view name);

/// Makes the shape whose weight bytes per token are within 2.5 % of the KiB in its name, from integers alone
/// (docs/models.md, "The family"). Returns nullopt for a name that is not spelt like one of the family.
/// Throws Error(usage) for a size outside family_min_kib … family_max_kib.
std::optional<Shape> make_family_shape(std::string_view name);

}  // namespace models
