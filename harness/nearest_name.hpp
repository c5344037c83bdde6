// What did the user mean? The nearest of a list of names.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace harness {

/// Returns the name with the smallest edit distance (insertions, deletions, substitutions and swaps of
/// neighbours count 1, letter case is ignored), or "" when none is nearer than half the longer word: a
/// far-off guess only confuses. Of several equally near the first wins. Source: Damerau, CACM 7(3), 1964
/// (restricted form: no edit inside a swap).
std::string nearest_name(std::string_view wanted, std::span<const std::string_view> names);

/// Returns ", did you mean 'NAME'?" for an error message, or "" when nothing is near.
std::string did_you_mean(std::string_view wanted, std::span<const std::string_view> names);

}  // namespace harness
