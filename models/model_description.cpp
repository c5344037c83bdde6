#include "models/model_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/error.hpp"
#include "models/coreflow_family.hpp"
#include "models/i8_layout.hpp"
#include "models/kernels/kernels.hpp"

namespace models {
namespace {

using harness::Violation;
using nlohmann::json;

/// Takes the pattern as often as the description says; no more than `i8_max_blocks` are made of a wrong one.
std::vector<Block> blocks_of(const json& description) {
  std::vector<Block> blocks;
  const int repeat = description.value("repeat", 1);
  for (int i = 0; i < repeat && blocks.size() <= i8_max_blocks; ++i) {
    for (const json& kind : description.at("blocks"))
      blocks.push_back(kind == "attention" ? Block::attention : Block::conv);
  }
  return blocks;
}

Format format_of(const json& description, const char* member) {
  const std::string name = description.value(member, "int8");
  return name == "ternary"  ? Format::ternary
         : name == "group3" ? Format::group3
         : name == "group4" ? Format::group4
                            : Format::int8;
}

Experts experts_of(const json& description) {
  if (!description.contains("experts")) return {};
  const json& experts = description.at("experts");
  return {experts.at("count"), experts.at("top_k"), experts.value("shared", 0)};
}

/// Reads a description that meets the schema.
Shape shape_of(const json& description) {
  Shape shape;
  shape.name = description.at("name");
  shape.vocab = description.at("vocab");
  shape.d = description.at("d");
  shape.ff = description.at("ff");
  shape.blocks = blocks_of(description);
  shape.heads = description.at("heads");
  shape.kv_heads = description.at("kv_heads");
  shape.head_dim = description.at("head_dim");
  shape.conv_taps = description.value("conv_taps", shape.conv_taps);
  shape.context = description.at("context");
  shape.softcap = description.value("softcap", 0.0f);
  shape.body_format = format_of(description, "body_format");
  shape.embedding_format = format_of(description, "embedding_format");
  shape.experts = experts_of(description);
  shape.inner_norms = description.value("inner_norms", false);
  shape.draft_ff = description.value("draft_ff", 0);
  shape.default_position_first = description.value("position_first", 0);
  shape.default_position_last =
      description.value("position_last", std::min(shape.default_position_last, shape.context - 1));
  return shape;
}

void check_name(const Shape& shape, std::string_view name, std::vector<Violation>& violations) {
  const auto refuse = [&](const std::string& expected) {
    violations.push_back({"/name", shape.name, expected});
  };
  if (shape.name != name) refuse(fmt::format("{}, as its file is called", name));
  if (shape.name == "i8_file") refuse("another name: weights files of unknown dimensions are called so");
  if (is_family_name(shape.name)) refuse("another name: every shape coreflow_x…kib is made from its name");
}

/// What the decoder and the `.i8` format ask of heads.
void check_heads(const Shape& shape, std::vector<Violation>& violations) {
  if (shape.heads * shape.head_dim != shape.d) {
    violations.push_back(
        {"/head_dim", fmt::to_string(shape.head_dim),
         fmt::format("heads times head_dim to be d: {} times head_dim to be {}", shape.heads, shape.d)});
  }
  if (shape.head_dim % 2 != 0) {
    violations.push_back(
        {"/head_dim", fmt::to_string(shape.head_dim), "an even number: rotary positions turn pairs"});
  }
  if (shape.heads % shape.kv_heads != 0) {
    violations.push_back({"/kv_heads", fmt::to_string(shape.kv_heads),
                          fmt::format("a divisor of heads, which is {}", shape.heads)});
  }
}

void check_positions(const Shape& shape, std::vector<Violation>& violations) {
  if (shape.default_position_last >= shape.context) {
    violations.push_back({"/position_last", fmt::to_string(shape.default_position_last),
                          fmt::format("a position inside the context: at most {}", shape.context - 1)});
  }
  if (shape.default_position_first > shape.default_position_last) {
    violations.push_back({"/position_first", fmt::to_string(shape.default_position_first),
                          fmt::format("at most the last position, {}", shape.default_position_last)});
  }
}

/// A width whose rows are divided into groups.
void check_groups(const char* pointer, int width, std::vector<Violation>& violations) {
  if (width % group_cols == 0) return;
  violations.push_back({pointer, fmt::to_string(width),
                        fmt::format("a multiple of {}: that many weights share a scale", group_cols)});
}

void check_formats(const Shape& shape, std::vector<Violation>& violations) {
  const bool body = shape.body_format == Format::group3 || shape.body_format == Format::group4;
  if (body || shape.embedding_format == Format::group4) check_groups("/d", shape.d, violations);
  if (body) check_groups("/ff", shape.ff, violations);
  if (shape.body_format != Format::int8 && shape.ff > max_low_bit_cols) {
    violations.push_back({"/ff", fmt::to_string(shape.ff),
                          fmt::format("at most {}, the widest row that is not int8", max_low_bit_cols)});
  }
  if ((shape.body_format != Format::int8 || shape.embedding_format != Format::int8) &&
      shape.d > max_low_bit_cols) {
    violations.push_back({"/d", fmt::to_string(shape.d),
                          fmt::format("at most {}, the widest row that is not int8", max_low_bit_cols)});
  }
  if (shape.draft_ff > 0 && cost(shape).file_bytes == 0) {
    violations.push_back({"/draft_ff", fmt::to_string(shape.draft_ff),
                          "0: only a model that an .i8 file can hold has a draft head"});
  }
}

/// Returns whether what the experts cost can be told.
bool check_experts(const Shape& shape, std::vector<Violation>& violations) {
  constexpr int64_t most = 1 << 18;  // so that a list of their matrices stays small
  if (shape.experts.top_k > shape.experts.count) {
    violations.push_back({"/experts/top_k", fmt::to_string(shape.experts.top_k),
                          fmt::format("at most the count of experts, {}", shape.experts.count)});
  }
  const int64_t all =
      static_cast<int64_t>(shape.blocks.size()) * (shape.experts.count + int64_t{shape.experts.shared});
  if (all <= most) return true;
  violations.push_back({"/experts/count", fmt::to_string(shape.experts.count),
                        fmt::format("at most {} experts in all blocks together, not {}", most, all)});
  return false;
}

/// A file of the weights must be one that the reader of `.i8` files takes, other weights and K and V no
/// larger.
void check_size(const Shape& shape, std::vector<Violation>& violations) {
  if (shape.blocks.size() > i8_max_blocks) {
    violations.push_back(
        {"/repeat", "more", fmt::format("a pattern that repeats to at most {} blocks", i8_max_blocks)});
    return;  // the blocks are not all there: what they cost is not known
  }
  const Cost made = cost(shape);
  const int64_t bytes = std::max(made.file_bytes, made.weight_bytes);
  if (bytes > static_cast<int64_t>(i8_max_file_bytes)) {
    violations.push_back(
        {"", fmt::format("{} bytes of weights", bytes), fmt::format("at most {} bytes", i8_max_file_bytes)});
  }
  if (made.kv_bytes > static_cast<int64_t>(i8_max_file_bytes)) {
    violations.push_back({"/context", fmt::format("{} bytes of K and V", made.kv_bytes),
                          fmt::format("at most {} bytes", i8_max_file_bytes)});
  }
}

/// The division 2/softcap must stay finite, and 0 already says "none".
void check_softcap(const Shape& shape, std::vector<Violation>& violations) {
  if (shape.softcap > 0 && shape.softcap < 1)
    violations.push_back({"/softcap", fmt::to_string(shape.softcap), "0 for none, or at least 1"});
}

std::vector<Violation> check_shape(const Shape& shape, std::string_view name) {
  std::vector<Violation> violations;
  check_name(shape, name, violations);
  check_heads(shape, violations);
  check_positions(shape, violations);
  check_softcap(shape, violations);
  if (!check_experts(shape, violations)) return violations;
  if (shape.blocks.size() <= i8_max_blocks) check_formats(shape, violations);
  check_size(shape, violations);
  return violations;
}

}  // namespace

std::vector<Violation> check_model(std::string_view text, std::string_view name) {
  std::vector<Violation> violations = harness::validate_document(text, "model");
  if (violations.empty()) violations = check_shape(shape_of(json::parse(text)), name);
  return violations;
}

Shape parse_model(std::string_view text, const std::string& file) {
  const std::vector<Violation> violations = check_model(text, model_name_of(file));
  if (violations.empty()) return shape_of(json::parse(text));
  const Violation& first = violations.front();
  const size_t others = violations.size() - 1;
  throw harness::Error(
      harness::ExitCode::invalid_input,
      fmt::format("{}: {}: {}, expected {}{}", file, first.pointer.empty() ? "the model" : first.pointer,
                  first.value, first.expected, others == 0 ? "" : fmt::format(" (and {} more)", others)));
}

std::string model_name_of(const std::string& file) {
  return std::filesystem::path(file).stem().string();
}

}  // namespace models
