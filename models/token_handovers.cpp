#include <map>

#include "models/token_work.hpp"

namespace models {
namespace {

using CountByLength = std::map<int, int>;  // values of a vector → barriers

void add_conv(const Shape& shape, CountByLength& barriers) {
  ++barriers[shape.d];  // what mix reads
  ++barriers[shape.d];  // what is added to x
}

void add_attention(const Shape& shape, int members, CountByLength& barriers) {
  ++barriers[(shape.heads + 2 * shape.kv_heads) * shape.head_dim / members];  // Q, K and V of its heads
  ++barriers[shape.heads * shape.head_dim];
  ++barriers[shape.d];
}

void add_mlps(const Shape& shape, CountByLength& barriers) {
  const Experts& experts = shape.experts;
  if (experts.count == 0) {
    ++barriers[shape.ff];
    ++barriers[shape.d];
  } else {
    ++barriers[experts.count + experts.shared * shape.ff];  // logits of the router, shared experts' insides
    ++barriers[(experts.top_k + experts.shared) * shape.d];
  }
}

}  // namespace

std::vector<Handover> handovers(const Shape& shape, int members) {
  if (members == 1) return {};
  CountByLength barriers{{0, 2}};  // the token begins and ends
  for (const Block block : shape.blocks) {
    if (block == Block::conv) {
      add_conv(shape, barriers);
    } else {
      add_attention(shape, members, barriers);
    }
    add_mlps(shape, barriers);
  }
  std::vector<Handover> all;
  all.reserve(barriers.size());
  for (const auto& [length, count] : barriers) all.push_back({4.0 * length, static_cast<double>(count)});
  return all;
}

}  // namespace models
