// Canonical bytes of JSON (RFC 8785, JCS): one text per value, so that a hash of it names the value.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace harness {

/// Returns the canonical text of a value: members ordered by UTF-16 code units, numbers as ECMAScript writes
/// them, no white space. Throws Error(internal) that names the nearest key for a number that is not finite.
std::string canonical_text(const nlohmann::json& value);

/// Writes a finite number as ECMAScript's Number::toString does (ECMA-262 7.1.12.1, required by RFC
/// 8785 3.2.2.3).
std::string ecmascript_number(double value);

/// Orders UTF-8 strings by the UTF-16 code units they would have (RFC 8785 3.2.3). This differs from byte
/// order only where characters above U+FFFF meet ones from U+E000 to U+FFFF.
bool utf16_less(const std::string& a, const std::string& b);

}  // namespace harness
