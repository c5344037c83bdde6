#include "harness/bounded_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "harness/error.hpp"

namespace harness {

/// Reads a pattern from left to right.
class PatternReader {
 public:
  using Piece = BoundedPattern::Piece;
  using Sequences = std::vector<BoundedPattern::Sequence>;

  explicit PatternReader(std::string_view pattern) : whole_(pattern) {
    if (pattern.size() < 2 || pattern.front() != '^' || pattern.back() != '$') refuse();
    rest_ = pattern.substr(1, pattern.size() - 2);
  }

  Sequences read() {
    Sequences all = sequence();
    if (!rest_.empty()) refuse();
    return all;
  }

 private:
  static constexpr size_t most_sequences = 1000;

  [[noreturn]] void refuse() const {
    throw Error(ExitCode::internal, fmt::format("a schema's pattern says more than we read: {}", whole_));
  }
  char take() {
    if (rest_.empty()) refuse();
    const char first = rest_.front();
    rest_.remove_prefix(1);
    return first;
  }
  bool take_if(char wanted) {
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// Returns a character that stands for itself.
  char literal() {
    const char first = take();
    if (first == '\\') {
      const char escaped = take();
      if (std::string_view(".\\/+*?()[]{}|^$-").find(escaped) == std::string_view::npos) refuse();
      return escaped;
    }
    if (std::string_view(".+*?{}^$]").find(first) != std::string_view::npos) refuse();
    return first;
  }
  /// Reads a class behind its `[`. In it, only `-` between two characters and `\` are special.
  std::bitset<256> set() {
    std::bitset<256> made;
    if (!rest_.empty() && rest_.front() == '^') refuse();
    while (!take_if(']')) {
      const auto first = static_cast<unsigned char>(take());
      if (first == '\\') refuse();
      unsigned char last = first;
      if (rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']') {
        take();
        last = static_cast<unsigned char>(take());
      }
      if (last < first || last >= 128) refuse();
      for (size_t c = first; c <= last; ++c) made.set(c);
    }
    return made;
  }
  size_t number() {
    size_t value = 0;
    const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (read.ec != std::errc()) refuse();
    rest_.remove_prefix(static_cast<size_t>(read.ptr - rest_.data()));
    return value;
  }
  Piece piece() {
    Piece made;
    if (take_if('[')) {
      made.set = set();
    } else {
      made.set.set(static_cast<unsigned char>(literal()));
    }
    if (take_if('{')) {
      made.least = made.most = number();
      if (take_if(',')) made.most = number();
      if (!take_if('}') || made.most < made.least) refuse();
    }
    return made;
  }
  Sequences alternatives() {
    Sequences all = sequence();
    while (take_if('|')) {
      for (auto& one : sequence()) all.push_back(std::move(one));
    }
    if (!take_if(')')) refuse();
    return all;
  }
  /// Reads up to the end of a group's alternative, each group multiplied out.
  Sequences sequence() {
    Sequences all(1);
    while (!rest_.empty() && rest_.front() != '|' && rest_.front() != ')') {
      const Sequences next = take_if('(') ? alternatives() : Sequences{{piece()}};
      Sequences longer;
      for (const auto& begin : all) {
        for (const auto& end : next) {
          longer.push_back(begin);
          longer.back().insert(longer.back().end(), end.begin(), end.end());
        }
      }
      if (longer.size() > most_sequences) refuse();
      all = std::move(longer);
    }
    return all;
  }

  std::string_view whole_, rest_;
};

BoundedPattern::BoundedPattern(std::string_view pattern) : sequences_(PatternReader(pattern).read()) {}

bool BoundedPattern::matches_from(const Sequence& sequence, size_t piece, std::string_view rest) {
  if (piece == sequence.size()) return rest.empty();
  const Piece& next = sequence[piece];
  size_t fitting = 0;
  while (fitting < next.most && fitting < rest.size() &&
         next.set.test(static_cast<unsigned char>(rest[fitting])))
    ++fitting;
  for (size_t taken = fitting + 1; taken-- > next.least;) {
    if (matches_from(sequence, piece + 1, rest.substr(taken))) return true;
  }
  return false;
}

bool BoundedPattern::matches(std::string_view text) const {
  return std::any_of(sequences_.begin(), sequences_.end(),
                     [&](const Sequence& sequence) { return matches_from(sequence, 0, text); });
}

}  // namespace harness
