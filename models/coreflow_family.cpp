#include "models/coreflow_family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>

#include "harness/error.hpp"

namespace models {
namespace {

constexpr std::string_view prefix = "coreflow_x", suffix = "kib";
constexpr int heads = 8;
// Widths between which the decoder's rules hold: d is a multiple of 16 because heads · head_dim = d with an
// even head_dim, and head_dim ≤ 256.
constexpr int width_step = 2 * heads, max_width = 256 * heads;
constexpr int published_width_per_triple = 72, vocab_step = 16, max_vocab = 4096;

/// Returns the digits between prefix and suffix, or "" for another name.
std::string_view digits_of(std::string_view name) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix) || name.size() <= prefix.size() + suffix.size())
    return {};
  const std::string_view digits = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  const bool whole = std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  return whole && digits.front() != '0' ? digits : std::string_view{};
}

Shape make_shape(int triples, int d, int vocab) {
  Shape shape;
  shape.vocab = vocab;
  shape.d = d;
  shape.ff = d / 4 * 11;  // 2.75 · d, as 396 to 144
  shape.blocks.assign(size_t{3} * static_cast<size_t>(triples), Block::conv);
  for (size_t last = 2; last < shape.blocks.size(); last += 3) shape.blocks[last] = Block::attention;
  shape.heads = heads;
  shape.kv_heads = 1;
  shape.head_dim = d / heads;
  shape.context = 1024;
  shape.softcap = 30;
  return shape;
}

/// One of the shapes that hold `target_bytes`, and how well it serves: the smallest rank is taken.
struct Candidate {
  int triples, d, vocab;
  [[nodiscard]] auto rank() const {
    return std::tuple(-vocab, std::abs(d - published_width_per_triple * triples), d);
  }
};

/// Fills what blocks of this depth and width leave of the target with the vocabulary. Returns nullopt when it
/// misses the target by more than 2.5 %, or when the embedding would be more than half of it.
std::optional<Candidate> fill(int64_t target_bytes, int triples, int d, int64_t triple_bytes) {
  const int64_t row_bytes = d + int64_t{sizeof(float)};
  const int64_t body_bytes = triples * triple_bytes + d * int64_t{sizeof(float)};
  if (body_bytes >= target_bytes) return std::nullopt;
  const int64_t rows = ((target_bytes - body_bytes) / row_bytes + vocab_step / 2) / vocab_step * vocab_step;
  const int64_t vocab = std::clamp<int64_t>(rows, vocab_step, max_vocab);
  const int64_t bytes = body_bytes + vocab * row_bytes;
  if (std::abs(bytes - target_bytes) * 40 > target_bytes || 2 * vocab * row_bytes > bytes)
    return std::nullopt;
  return Candidate{triples, d, static_cast<int>(vocab)};
}

/// Weight bytes of one conv, conv, attention of this width.
int64_t triple_bytes(int d) {
  return cost(make_shape(1, d, vocab_step)).weight_bytes_per_token -
         cost(make_shape(0, d, vocab_step)).weight_bytes_per_token;
}

Candidate best_candidate(int64_t target_bytes) {
  std::optional<Candidate> best;
  for (int d = width_step; d <= max_width; d += width_step) {
    const int64_t bytes = triple_bytes(d);
    // From half to twice as deep for its width as coreflow_1_9m is.
    const int shallowest = (d + 2 * published_width_per_triple - 1) / (2 * published_width_per_triple);
    const int deepest = 2 * d / published_width_per_triple;
    for (int triples = shallowest; triples <= deepest; ++triples) {
      const auto candidate = fill(target_bytes, triples, d, bytes);
      if (candidate && (!best || candidate->rank() < best->rank())) best = candidate;
    }
  }
  return best.value();
}

}  // namespace

bool is_family_name(std::string_view name) {
  return !digits_of(name).empty();
}

std::optional<Shape> make_family_shape(std::string_view name) {
  const std::string_view digits = digits_of(name);
  if (digits.empty()) return std::nullopt;
  int64_t kib = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), kib);
  if (parsed.ec != std::errc() || kib < family_min_kib || kib > family_max_kib) {
    throw harness::Error(harness::ExitCode::usage,
                         fmt::format("no model '{}': coreflow_x…kib exists from {} to {} KiB", name,
                                     family_min_kib, family_max_kib));
  }
  const Candidate best = best_candidate(kib * 1024);
  Shape shape = make_shape(best.triples, best.d, best.vocab);
  shape.name = name;
  return shape;
}

}  // namespace models
