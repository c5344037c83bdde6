// Reads weights in the published `.i8` format: header, section table, int8 rows with f32 scales, f32 norms.
// docs/i8-format.md describes it byte by byte.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "models/shape.hpp"
#include "models/weights.hpp"

namespace models {

/// Rows wider than this are multiplied in float32, as the published runtime does.
inline constexpr int i8_widest_int8_row = 512;

/// A weights file as read. `shape.name` is that of the known shape with the same dimensions, or "i8_file".
struct I8Model {
  Shape shape;
  Weights weights;
  std::string sha256;  ///< of the whole file
};

/// Reads and checks a whole file: magic, version, dimensions, the order, shape and place of every section
/// (inside the file, after the table, overlapping nothing, none missing, none left over), codes in [-127,
/// 127], scales finite and not negative, norms finite. A draft head is checked and left out: decode does not
/// use it. Throws Error(invalid_input) with the file, the section and what was expected.
I8Model read_i8_file(const std::string& path);

/// The same for bytes in memory; `name` stands in messages.
I8Model parse_i8(std::span<const std::byte> bytes, const std::string& name);

}  // namespace models
