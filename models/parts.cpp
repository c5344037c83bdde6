#include "models/parts.hpp"

#include <algorithm>
#include <cstdint>

#include "models/padded.hpp"

namespace models {

std::pair<int, int> rows_of_part(int rows, int part, int parts) {
  constexpr int unit_rows = 16;  // a multiple of each table's row blocks, and a cache line of y
  const auto units = static_cast<int64_t>(padded16(rows) / unit_rows);
  const auto border = [&](int at) {
    return std::min(rows, static_cast<int>(units * at / parts) * unit_rows);
  };
  return {border(part), border(part + 1)};
}

int most_rows_of_a_part(int rows, int parts) {
  int most = 0;
  for (int part = 0; part < parts; ++part) {
    const auto [first, end] = rows_of_part(rows, part, parts);
    most = std::max(most, end - first);
  }
  return most;
}

std::pair<int, int> heads_of_part(int heads, int part, int parts) {
  return {heads * part / parts, heads * (part + 1) / parts};
}

MostHeads most_heads_of_a_part(int heads, int kv_heads, int parts) {
  const int sharing = heads / kv_heads;
  MostHeads most;
  for (int part = 0; part < parts; ++part) {
    const auto [first, end] = heads_of_part(heads, part, parts);
    if (first == end) continue;
    most.heads = std::max(most.heads, end - first);
    most.kv_heads = std::max(most.kv_heads, (end - 1) / sharing - first / sharing + 1);
  }
  return most;
}

}  // namespace models
