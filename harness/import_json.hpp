// JSON as benchmarks really write it: several documents in one text, other lines between them, bare NaN and
// Infinity.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace harness {

inline constexpr int max_import_depth = 64;

/// Returns whether a document may begin at an offset: a brace before a quote or brace, a bracket before a
/// brace, or an empty one of either. "[note]" and "{x}" in prose do not count.
bool json_may_begin(std::string_view text, size_t offset);

/// Reads the one document that begins at an offset and sets `end` behind it. NaN and infinities become empty
/// strings, which no number is. Throws Error(invalid_input) with the line and byte of what is wrong: a
/// document that does not end, deeper than 64, a key twice in one object, a fault of syntax.
nlohmann::json json_document(std::string_view text, size_t offset, const std::string& name, size_t& end);

/// Returns a scalar as text ("" for null and what is no number), nullopt for lists and objects.
std::optional<std::string> scalar_text(const nlohmann::json& value);

}  // namespace harness
