// Which models there are: those of models/catalogue/, compiled in, the family that names make, and the
// user's.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/shape.hpp"

namespace models {

/// Returns the names registered with add_model in models/CMakeLists.txt, in that order (generated).
std::span<const std::string_view> catalogue_names();
/// Returns the text of models/catalogue/NAME.json, compiled in; "" when there is none (generated).
std::string_view catalogue_text(std::string_view name);

/// Returns the shapes described by the user's *.json files in $TOKROOF_HOME/models, sorted by name. Throws
/// Error(invalid_input) for a file that describes none.
std::vector<Shape> user_shapes();

/// Reads a description that need not be in any catalogue. Throws Error(invalid_input) when it cannot be read
/// or describes no model.
Shape read_model_file(const std::string& file);

/// What adding did.
struct AddedModel {
  std::string name, path;  ///< path is "" for a built-in model
  bool already_there = false;
};

/// Checks a description and copies it into $TOKROOF_HOME/models, where find_shape finds it. Throws
/// Error(invalid_input) when it describes no model or when its name stands for another one already, and
/// Error(store) when it cannot be written.
AddedModel add_user_model(const std::string& file);

}  // namespace models
