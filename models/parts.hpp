// How rows and heads are dealt out to the members of a team. Pure.
#pragma once
#include <utility>

namespace models {

/// Returns the first row of part `part` of `parts`, and the one behind its last: whole units of 16 rows, in
/// numbers equal to within one.
std::pair<int, int> rows_of_part(int rows, int part, int parts);
/// Returns how many rows the largest part has.
int most_rows_of_a_part(int rows, int parts);

/// Returns the first query head of a part, and the one behind its last.
std::pair<int, int> heads_of_part(int heads, int part, int parts);

/// What the part with the most of each has.
struct MostHeads {
  int heads = 0, kv_heads = 0;  ///< a kv head counts where some of its query heads do
};
MostHeads most_heads_of_a_part(int heads, int kv_heads, int parts);

}  // namespace models
