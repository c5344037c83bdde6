// A buffer on pages of the size that a variant asks for, verified.
#pragma once
#include <cstdint>
#include <string>

#include "harness/buffer.hpp"
#include "harness/error.hpp"
#include "harness/submission.hpp"

namespace probes {

/// Returns memory on the pages that Variant::pages names: "any" takes huge ones if granted; "huge" is
/// Unavailable when less than 90 % of it is backed by them, "small" when any of it is. Throws Error(usage)
/// for another word, Error(unavailable) without memory.
harness::Reading<harness::Buffer> take_buffer(int64_t bytes, const std::string& pages, uint64_t seed);

/// Writes the params pages ("huge" or "small", as asked for), buffer_bytes and huge_bytes_granted.
void record_pages(harness::Series& series, const harness::Buffer& buffer, const std::string& pages);

}  // namespace probes
