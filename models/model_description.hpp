// A model as its JSON description tells it: schemas/model.schema.json names the members.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "harness/validation.hpp"
#include "models/shape.hpp"

namespace models {

/// Checks a description, cheap to dear: strict parse, schema, then what ties its members together: the name
/// is `name` (that of its file), heads that the decoder can run, positions inside the context, a size that
/// the
/// `.i8` format holds. Returns every violation found by the first of these stages that finds any.
std::vector<harness::Violation> check_model(std::string_view text, std::string_view name);

/// Reads a description that must be right. `file` stands in messages, and its name without folders and
/// extension must be the model's. Throws Error(invalid_input) with the file, the pointer and what was
/// expected.
Shape parse_model(std::string_view text, const std::string& file);

/// Returns the name that a description in this file must have: "a/NAME.json" gives "NAME".
std::string model_name_of(const std::string& file);

}  // namespace models
