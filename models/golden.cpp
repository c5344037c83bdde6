// The committed golden pass: what every ISA, compiler and optimisation level must reproduce bit by bit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/digest.hpp"
#include "harness/error.hpp"
#include "models/decoder.hpp"
#include "models/splitmix64.hpp"

namespace models {
namespace {

constexpr int golden_teacher_forced = 64, golden_greedy = 64;
constexpr uint64_t golden_seed = 1;

struct Golden {
  std::string_view model, arithmetic, digest;
};
constexpr Golden goldens[] = {
    {"coreflow_1_9m", "int8", "1dae673fdd72fa6829d9646900de3c61eb8676da2d67a43f8102e361fb3a681b"},
    {"coreflow_12_6m", "int8", "dcfaba0ebb9c3c33f697c628ec5badf169997b5e6b69c5f1307a3cf892b5c8fd"},
    {"coreflow_1_9m", "float", "ac046b4ff135c96b2f9de938ba536c23603267f568b93810ec33f8fe876f89c1"},
    {"coreflow_12_6m", "float", "9357760ab3276289b6630090c149d6a0432f4f426fb60814ecfe324127972b8b"},
    {"moe_ternary_8m", "int8", "e775f412c5a7741aa462cbf1b52d8f898bcc44feb7a4399406058a089b120a61"},
    {"moe_ternary_105m", "int8", "b13a84c38a7025bf95ad6dce3231537886dcaf08d3aa7906573e676595fe7185"},
    {"moe_ternary_206m", "int8", "78b9f4cd4c73edd8a9b03b2e0c137e4e40e6c94795096f88fbde7982a562c86c"},
    {"moe_ternary_402m", "int8", "bae9cd95cc8a97447003e1fb31d9362e5353808df5aa774d7d0930acecd2e8e5"},
    {"dense_44m_q3", "int8", "e05c5a889c685ab0a7550d16550cbcb3a0b91ed43f6e00d139bd9134b2bbf83b"},
};

}  // namespace

uint32_t argmax(std::span<const float> logits) {
  constexpr size_t lanes = 16;
  if (logits.empty()) return 0;
  // Lane-wise maxima vectorise in baseline code; a search for the first equal value then finds the lowest
  // index.
  float lane[lanes];
  for (float& value : lane) value = logits[0];
  size_t whole = logits.size() / lanes * lanes;
  for (size_t i = 0; i < whole; i += lanes) {
    for (size_t j = 0; j < lanes; ++j) lane[j] = logits[i + j] > lane[j] ? logits[i + j] : lane[j];
  }
  float highest = lane[0];
  for (float value : lane) highest = value > highest ? value : highest;
  for (size_t i = whole; i < logits.size(); ++i) highest = logits[i] > highest ? logits[i] : highest;
  for (size_t i = 0; i < logits.size(); ++i) {
    if (logits[i] == highest) return static_cast<uint32_t>(i);
  }
  return 0;
}

std::vector<uint32_t> seeded_tokens(const Shape& shape, uint64_t seed, int count) {
  std::vector<uint32_t> tokens(static_cast<size_t>(count));
  auto vocab = static_cast<uint64_t>(shape.vocab);
  for (size_t i = 0; i < tokens.size(); ++i) {
    // The upper half of 32 bits · vocab is uniform to within vocab/2^32, without a division.
    tokens[i] = static_cast<uint32_t>((splitmix64(seed, i) >> 32) * vocab >> 32);
  }
  return tokens;
}

std::string golden_digest(Decoder& decoder, const Shape& shape) {
  const int forced = std::min(golden_teacher_forced, shape.context);
  const int greedy = std::min(golden_greedy, shape.context - forced);
  harness::Sha256 hash;
  decoder.reset();
  uint32_t next = 0;
  auto step = [&](uint32_t token) {
    std::span<const float> logits = decoder.step(token);
    // Beyond the finite numbers tables may differ, and nothing is decoded anyway.
    if (!std::all_of(logits.begin(), logits.end(), [](float logit) { return std::isfinite(logit); }))
      throw harness::Error(
          harness::ExitCode::invalid_input,
          fmt::format("model {}: logits that are no finite numbers; the weights' scales or norms "
                      "are too large",
                      shape.name));
    hash.update(logits.data(), logits.size_bytes());
    next = argmax(logits);
  };
  for (uint32_t token : seeded_tokens(shape, golden_seed, forced)) step(token);
  for (int i = 0; i < greedy; ++i) step(next);
  return hash.hex();
}

std::string expected_golden(const Shape& shape, std::string_view arithmetic) {
  for (const Golden& golden : goldens) {
    if (golden.model == shape.name && golden.arithmetic == arithmetic) return std::string(golden.digest);
  }
  return "";
}

}  // namespace models
