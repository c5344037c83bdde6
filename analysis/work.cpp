#include "analysis/work.hpp"

#include <algorithm>

#include "analysis/machine_facts.hpp"

namespace analysis {
namespace {

const char* format_name(models::Format format) {
  return format == models::Format::ternary  ? "ternary"
         : format == models::Format::group3 ? "group3"
         : format == models::Format::group4 ? "group4"
                                            : "int8";
}

/// Sets the multiply-adds as many of int8 as take as long. The head is of the embedding's format, all else is
/// counted with the blocks'.
void set_macs(Work& work, const models::Shape& shape, double macs) {
  const auto speed = [](models::Format format) {
    return fact_of(shared_priors().format_speed.at(format_name(format)), "");
  };
  const double head = static_cast<double>(shape.vocab) * shape.d;
  const Fact body = speed(shape.body_format), embedding = speed(shape.embedding_format);
  work.macs = head / embedding.value + (macs - head) / body.value;
  work.macs_spread = std::max(body.spread, embedding.spread);
}

}  // namespace

Work work_of(const models::Shape& shape, const std::string& routing) {
  const models::Cost cost = models::cost(shape);
  Work work;
  work.name = shape.name;
  work.knows_compute = true;
  work.weight_bytes = static_cast<double>(cost.weight_bytes_per_token);
  work.dense_bytes = work.weight_bytes;
  const double unread = static_cast<double>(cost.weight_bytes - cost.weight_bytes_per_token);
  if (shape.experts.count > shape.experts.top_k) {
    // Of all weights a token leaves out (count − top_k) experts of each block: that tells what one weighs.
    work.pool_bytes = unread * shape.experts.count / (shape.experts.count - shape.experts.top_k);
    work.dense_bytes = static_cast<double>(cost.weight_bytes) - work.pool_bytes;
    work.experts = shape.experts.count;
    work.top_k = shape.experts.top_k;
    work.routing = routing;
  }
  set_macs(work, shape, static_cast<double>(cost.macs_per_token));
  work.mean_position = (shape.default_position_first + shape.default_position_last) / 2.0;
  const double blocks = static_cast<double>(shape.blocks.size());
  const double attention =
      static_cast<double>(std::count(shape.blocks.begin(), shape.blocks.end(), models::Block::attention));
  work.attention_macs = 2.0 * attention * shape.heads * shape.head_dim * (work.mean_position + 1);
  work.kv_bytes = static_cast<double>(cost.kv_bytes) * (work.mean_position + 1) / shape.context;
  const int visited = shape.experts.count > 0 ? shape.experts.top_k + shape.experts.shared : 1;
  work.values = blocks * (7.0 * shape.d + 2.0 * shape.ff * visited);
  return work;
}

Work work_of_bytes(int64_t weight_bytes, int64_t active_bytes) {
  Work work;
  work.name = "a model without a description";
  work.weight_bytes = static_cast<double>(active_bytes);
  // Nothing says which part of the weights every token reads: all of it may be drawn.
  work.dense_bytes = active_bytes < weight_bytes ? 0 : work.weight_bytes;
  work.pool_bytes = active_bytes < weight_bytes ? static_cast<double>(weight_bytes) : 0;
  return work;
}

}  // namespace analysis
