// A cache in miniature, whose curves have known edges. For tests only.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "harness/curve.hpp"

namespace harness {

enum class Replacement { least_recent, random };

/// ways 0: fully associative. Small lines are only costly: a model of 24 MiB may take lines of 16 KiB.
struct ModelCache {
  int64_t bytes = 0;
  int ways = 0;
  int64_t line_bytes = 64;
  Replacement replacement = Replacement::least_recent;
};

/// Returns the share of hits in the second and third lap of a cyclic read over `set_bytes`.
inline double cyclic_hit_ratio(const ModelCache& cache, int64_t set_bytes, SplitMix64& random) {
  const int64_t lines = set_bytes / cache.line_bytes, capacity = cache.bytes / cache.line_bytes;
  if (lines == 0) return 1;
  const int64_t sets = cache.ways == 0 ? 1 : capacity / cache.ways;
  const auto ways = static_cast<size_t>(capacity / sets);
  std::vector<int64_t> last_use(static_cast<size_t>(lines), -1);  // when a line was touched; -1: not cached
  std::vector<std::vector<int64_t>> content(static_cast<size_t>(sets));
  std::vector<size_t> oldest(static_cast<size_t>(sets), 0);
  int64_t hits = 0;
  for (int64_t touch = 0; touch < 3 * lines; ++touch) {
    const int64_t line = touch % lines;
    const auto set = static_cast<size_t>(line % sets);
    if (last_use[static_cast<size_t>(line)] >= 0) {
      hits += touch >= lines;
      continue;
    }
    last_use[static_cast<size_t>(line)] = touch;
    auto& held = content[set];
    if (held.size() < ways) {
      held.push_back(line);
      continue;
    }
    // In a cyclic read the least recently used line of a set is the one that came first: first in, first out.
    const size_t victim =
        cache.replacement == Replacement::random ? random.below(ways) : oldest[set]++ % ways;
    last_use[static_cast<size_t>(held[victim])] = -1;
    held[victim] = line;
  }
  return static_cast<double>(hits) / static_cast<double>(2 * lines);
}

/// Caches from the nearest to the farthest; ns_per_byte has one entry more, for memory.
struct ModelMachine {
  std::vector<ModelCache> caches;
  std::vector<double> ns_per_byte;
};

/// Returns the ns per byte of a cyclic read at each size. A byte comes from the nearest cache that holds it.
inline std::vector<double> model_ns_per_byte(const ModelMachine& machine, const std::vector<int64_t>& sizes) {
  SplitMix64 random(5);
  std::vector<double> times;
  for (int64_t size : sizes) {
    double reached = 0, time = 0;
    for (size_t k = 0; k < machine.caches.size(); ++k) {
      const double hits = std::max(reached, cyclic_hit_ratio(machine.caches[k], size, random));
      time += (hits - reached) * machine.ns_per_byte[k];
      reached = hits;
    }
    times.push_back(time + (1 - reached) * machine.ns_per_byte[machine.caches.size()]);
  }
  return times;
}

/// What noise does to a model's curve: `sample_ratio` and `size_ratio` are standard deviations on logs, of
/// each sample and of all samples of a size together; `outlier_ratio` is the share of samples that last twice
/// as long.
struct ModelNoise {
  double sample_ratio = 0, size_ratio = 0, outlier_ratio = 0;
};

inline double model_normal(SplitMix64& random) {  // Irwin & Hall: the sum of 12 uniforms
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random.next() >> 11) * 0x1p-53;
  return sum;
}

/// Samples of bytes/s around the model's curve.
inline SampledCurve noisy_rates(const std::vector<int64_t>& sizes, const std::vector<double>& ns_per_byte,
                                const ModelNoise& noise, uint64_t seed, int samples = 5) {
  SplitMix64 random(seed);
  SampledCurve curve{sizes, {}};
  for (double time : ns_per_byte) {
    const double of_size = std::exp(noise.size_ratio * model_normal(random));
    std::vector<double> values;
    for (int i = 0; i < samples; ++i) {
      const bool outlier = static_cast<double>(random.below(1000)) < 1000 * noise.outlier_ratio;
      const double of_sample = std::exp(noise.sample_ratio * model_normal(random)) * (outlier ? 2 : 1);
      values.push_back(1e9 / (time * of_size * of_sample));
    }
    curve.values_by_size.push_back(values);
  }
  return curve;
}

/// 4 KiB, 4 KiB · 2^(1/per_octave), … up to and including `largest`.
inline std::vector<int64_t> model_sizes(int64_t largest, int per_octave = 4) {
  std::vector<int64_t> sizes;
  for (int k = 0;; ++k) {
    const int64_t size = std::llround(8 * std::exp2(static_cast<double>(k) / per_octave)) * 512;
    if (size > largest) return sizes;
    if (sizes.empty() || size > sizes.back()) sizes.push_back(size);
  }
}

}  // namespace harness
