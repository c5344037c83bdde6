// The regular expressions that schemas/ allows itself: anchored, without unbounded repetition.
#pragma once
#include <bitset>
#include <string_view>
#include <vector>

namespace harness {

/// Holds a pattern such as `^([0-9a-f]{40}|unknown)$`, read once: classes, literal characters, `{n}`, `{m,n}`
/// and groups of alternatives. std::regex costs microseconds per text and recurses once per character.
class BoundedPattern {
 public:
  /// Throws Error(internal) for a pattern that says anything else, or that has more than 1,000 readings.
  explicit BoundedPattern(std::string_view pattern);
  /// Returns whether the whole text matches. Bytes are compared, so that a class holds ASCII only.
  [[nodiscard]] bool matches(std::string_view text) const;

 private:
  friend class PatternReader;
  /// Some characters of a set, `least` to `most` of them.
  struct Piece {
    std::bitset<256> set;
    size_t least = 1, most = 1;
  };
  using Sequence = std::vector<Piece>;
  static bool matches_from(const Sequence& sequence, size_t piece, std::string_view rest);

  std::vector<Sequence> sequences_;  ///< groups multiplied out: one of them has to match
};

}  // namespace harness
