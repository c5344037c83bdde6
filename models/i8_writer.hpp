// Writes weights in the published `.i8` format; docs/i8-format.md describes it byte by byte.
#pragma once
#include <string>

#include "models/shape.hpp"
#include "models/weights.hpp"

namespace models {

/// Returns the bytes of a weights file, without gaps between sections, as the published exporter lays it out.
/// `draft` may be null: then the file has no draft head, whatever the shape's draft_ff says. Throws
/// Error(invalid_input) when the file would be larger than a reader takes (i8_max_file_bytes), and for a
/// model that the format cannot hold.
std::string i8_bytes(const Shape& shape, const Weights& weights, const DraftWeights* draft = nullptr);

}  // namespace models
