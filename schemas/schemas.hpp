// The JSON Schemas (draft-07), compiled in as text.
#pragma once
#include <string_view>

namespace schemas {

/// Returns the text of schemas/NAME.schema.json; empty when there is no such schema.
std::string_view find_schema(std::string_view name);

}  // namespace schemas
