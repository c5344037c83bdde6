// Our decoder against logits that the published runtime computed from weights in the published format. Bit
// equality is out of reach: that runtime fuses multiply-adds and mixes exponentials, and one different last
// bit can flip an int8 rounding, after which a difference of 0.005 to 0.06 persists in the state. The bounds
// below an honest decoder meets and a wrong one does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "harness/cpu_features.hpp"
#include "models/decoder.hpp"
#include "models/i8_file.hpp"
#include "models/kernels/select.hpp"

namespace models {
namespace {

constexpr double largest_difference = 0.08;  // on any token
constexpr double largest_before_first_flip = 1e-5;
constexpr double flip = 1e-4;        // a token above this has met a flipped rounding …
constexpr size_t earliest_flip = 8;  // … which may not come sooner
constexpr float clear_gap = 0.02F;   // the oracle's top-2 gap above which the argmax must agree

template <class T>
std::vector<T> read_array(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<T> values(text.size() / sizeof(T));
  std::memcpy(values.data(), text.data(), values.size() * sizeof(T));
  return values;
}

struct Comparison {
  std::vector<double> worst;  ///< [tokens]: largest |difference| of a token's logits
  size_t clear = 0, clear_equal = 0, equal = 0;
};

float top_two_gap(std::span<const float> logits) {
  std::vector<float> copy(logits.begin(), logits.end());
  std::nth_element(copy.begin(), copy.begin() + 1, copy.end(), std::greater<>());
  return std::max(copy[0], copy[1]) - std::min(copy[0], copy[1]);
}

Comparison compare(const std::string& name, const Kernels& kernels) {
  const I8Model model = read_i8_file("models/testdata/" + name + ".i8");
  const auto tokens = read_array<uint16_t>("models/testdata/tok_" + name + ".u16");
  const auto oracle = read_array<float>("models/testdata/lg_" + name + ".f32");
  const auto vocab = static_cast<size_t>(model.shape.vocab);
  EXPECT_EQ(oracle.size(), tokens.size() * vocab);
  Decoder decoder(model.shape, model.weights, kernels);
  Comparison result;
  for (size_t t = 0; t < tokens.size(); ++t) {
    const std::span<const float> ours = decoder.step(tokens[t]);
    const std::span<const float> theirs(oracle.data() + t * vocab, vocab);
    double worst = 0;
    for (size_t i = 0; i < vocab; ++i) worst = std::max(worst, std::abs(double{ours[i]} - theirs[i]));
    result.worst.push_back(worst);
    const bool same = argmax(ours) == argmax(theirs);
    const bool clear = top_two_gap(theirs) > clear_gap;
    result.equal += same;
    result.clear += clear;
    result.clear_equal += clear && same;
  }
  return result;
}

class Oracle : public testing::TestWithParam<const char*> {};

TEST_P(Oracle, logits_lie_within_the_bounds_of_an_honest_decoder) {
  for (const Kernels* kernels : kernel_tables()) {
    if (!missing_feature(*kernels, harness::read_cpu_features()).empty()) continue;
    const Comparison result = compare(GetParam(), *kernels);
    const auto first = static_cast<size_t>(
        std::find_if(result.worst.begin(), result.worst.end(), [](double d) { return d > flip; }) -
        result.worst.begin());
    EXPECT_GE(first, earliest_flip);
    for (size_t t = 0; t < first; ++t) EXPECT_LE(result.worst[t], largest_before_first_flip) << "token " << t;
    EXPECT_LE(*std::max_element(result.worst.begin(), result.worst.end()), largest_difference);
    EXPECT_EQ(result.clear_equal, result.clear);
    EXPECT_GT(result.clear, result.worst.size() / 2) << "too few clear tokens to tell anything";
    std::vector<double> sorted = result.worst;
    std::sort(sorted.begin(), sorted.end());
    std::printf("%s on %s: median %.2g, worst %.2g, first flip at token %zu of %zu, argmax equal on %zu\n",
                GetParam(), kernels->isa, sorted[sorted.size() / 2], sorted.back(), first, sorted.size(),
                result.equal);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Oracle, testing::Values("p3_stress", "odd_stress"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace models
