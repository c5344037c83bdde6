// The short form of the marks of a series: a document in which every second sample was disturbed would
// otherwise be mostly indices.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

inline constexpr int max_bitmap_samples = 60'000;  ///< a bitmap holds so many at most: 10,000 digits

/// Returns ascending indices of samples as base64url digits (RFC 4648, section 5, without padding): the first
/// sample is the highest bit of the first digit; digits of zeros at the end are left out. Returns "" for no
/// indices and for such that do not ascend or lie outside 0 to max_bitmap_samples - 1.
std::string to_bitmap(const std::vector<int>& indices);

/// Returns the indices that a bitmap marks; nothing when a digit is unknown or the last marks none.
std::optional<std::vector<int>> from_bitmap(std::string_view bitmap);

/// Returns the letter under which a reason (harness/disturbance.hpp) has its bitmap, or "" when it has none.
std::string_view letter_of_reason(std::string_view reason);

/// Returns the reason of a letter, or "".
std::string_view reason_of_letter(std::string_view letter);

}  // namespace harness
