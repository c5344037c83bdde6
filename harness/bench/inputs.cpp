#include "harness/bench/inputs.hpp"

#include <cmath>

namespace bench {

std::set<MatrixShape> matrix_shapes() {
  std::set<MatrixShape> found = {{5184, 396}, {2048, 1024}, {4096, 4096}};
  for (const models::Shape& shape : models::shapes()) {
    // f1 and f2 are stacked and read in one pass.
    found.insert({{shape.vocab, shape.d}, {shape.d, shape.d}, {2 * shape.ff, shape.d}, {shape.d, shape.ff}});
    if (shape.heads == 0) continue;
    found.insert({shape.d + 2 * shape.kv_heads * shape.head_dim, shape.d});
    found.insert({shape.d, shape.heads * shape.head_dim});
  }
  return found;
}

std::set<int> model_widths() {
  std::set<int> found;
  for (const models::Shape& shape : models::shapes()) found.insert(shape.d);
  return found;
}

std::set<int> feed_forward_widths() {
  std::set<int> found;
  for (const models::Shape& shape : models::shapes()) found.insert(shape.ff);
  return found;
}

std::set<int> vocabularies() {
  std::set<int> found;
  for (const models::Shape& shape : models::shapes()) found.insert(shape.vocab);
  return found;
}

models::Padded<int8_t> random_codes(int n, uint64_t seed) {
  harness::SplitMix64 random(seed);
  models::Padded<int8_t> codes(n);
  for (int i = 0; i < n; ++i)
    codes.data()[i] = static_cast<int8_t>(static_cast<int>(random.below(255)) - 127);
  return codes;
}

models::Padded<float> random_floats(int n, uint64_t seed) {
  harness::SplitMix64 random(seed);
  models::Padded<float> values(n);
  for (int i = 0; i < n; ++i)
    values.data()[i] = static_cast<float>(static_cast<int>(random.below(1 << 16)) - (1 << 15)) / (1 << 15);
  return values;
}

models::Padded<float> constant_floats(int n, float value) {
  models::Padded<float> values(n);
  for (int i = 0; i < n; ++i) values.data()[i] = value;
  return values;
}

}  // namespace bench
