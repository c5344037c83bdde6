#include "models/routing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>

#include "harness/digest.hpp"
#include "harness/error.hpp"
#include "harness/user_file.hpp"
#include "models/splitmix64.hpp"

namespace models {
namespace {

using harness::Error;
using harness::ExitCode;

double parse_parameter(std::string_view text, std::string_view whole, double low, double high) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= low && value <= high))
    throw Error(ExitCode::usage, fmt::format("routing '{}': give a number from {} to {}", whole, low, high));
  return value;
}

void check(const RoutingShape& shape) {
  const bool good = shape.top_k >= 1 && shape.top_k <= shape.experts && shape.experts <= 65536 &&
                    shape.layers >= 1 && shape.tokens >= 1;
  if (!good)
    throw Error(ExitCode::invalid_input,
                fmt::format("routing: {} of {} experts in {} layers over {} tokens cannot be drawn",
                            shape.top_k, shape.experts, shape.layers, shape.tokens));
}

/// The random numbers of one layer, in the order they are asked for.
class Draw {
 public:
  Draw(uint64_t seed, int layer) : key_(splitmix64(seed, static_cast<uint64_t>(layer))) {}
  /// Uniform in [0, n), n < 2^32, to within n/2^32.
  uint32_t below(uint32_t n) { return static_cast<uint32_t>((splitmix64(key_, next_++) >> 32) * n >> 32); }
  /// Uniform in [0, 1).
  double unit() { return static_cast<double>(splitmix64(key_, next_++) >> 11) * 0x1p-53; }
  /// 63 bits.
  uint64_t bits() { return splitmix64(key_, next_++) >> 1; }

 private:
  uint64_t key_, next_ = 0;
};

using Choice = std::vector<uint16_t>;

bool holds(const Choice& choice, uint16_t expert) {
  return std::find(choice.begin(), choice.end(), expert) != choice.end();
}

/// Experts with a weight each.
class Urn {
 public:
  explicit Urn(Choice experts) : experts_(std::move(experts)) {}
  /// Weights in the order of `experts`.
  Urn(Choice experts, const std::vector<uint64_t>& weights)
      : experts_(std::move(experts)), cumulative_(weights.size()) {
    std::partial_sum(weights.begin(), weights.end(), cumulative_.begin());
  }

  [[nodiscard]] uint16_t draw(Draw& random) const {
    if (cumulative_.empty()) return experts_[random.below(static_cast<uint32_t>(experts_.size()))];
    const uint64_t at = random.bits() % cumulative_.back();
    return experts_[static_cast<size_t>(std::upper_bound(cumulative_.begin(), cumulative_.end(), at) -
                                        cumulative_.begin())];
  }

  [[nodiscard]] Urn without(const std::vector<bool>& chosen) const {
    Choice others;
    std::vector<uint64_t> weights;
    for (size_t i = 0; i < experts_.size(); ++i) {
      if (chosen[experts_[i]]) continue;
      others.push_back(experts_[i]);
      if (!cumulative_.empty()) weights.push_back(cumulative_[i] - (i == 0 ? 0 : cumulative_[i - 1]));
    }
    return cumulative_.empty() ? Urn(std::move(others)) : Urn(std::move(others), weights);
  }

 private:
  Choice experts_;
  std::vector<uint64_t> cumulative_;  ///< empty: all weigh the same
};

/// Adds experts until top_k different ones are chosen. One that is already chosen is drawn again; where that
/// goes on, because the others are few or weigh little, drawing among those others alone has the same
/// distribution. `chosen` is room for a flag of every expert.
void fill(const Urn& urn, int top_k, Draw& random, Choice& choice, std::vector<bool>& chosen) {
  constexpr int most_repeats = 64;
  std::fill(chosen.begin(), chosen.end(), false);
  for (const uint16_t expert : choice) chosen[expert] = true;
  const Urn* from = &urn;
  Urn others({});
  for (int repeats = 0; choice.size() < static_cast<size_t>(top_k);) {
    const uint16_t expert = from->draw(random);
    if (!chosen[expert]) {
      repeats = 0;
      chosen[expert] = true;
      choice.push_back(expert);
    } else if (++repeats == most_repeats) {
      repeats = 0;
      others = from->without(chosen);
      from = &others;
    }
  }
}

/// Weights 1/rank^s, each rounded to a multiple of 2^-24 of the first, which no library's pow changes.
std::vector<uint64_t> zipf_weights(int experts, double s) {
  std::vector<uint64_t> weights;
  for (int rank = 1; rank <= experts; ++rank)
    weights.push_back(
        std::max<uint64_t>(1, static_cast<uint64_t>(std::llround(std::pow(rank, -s) * 0x1p24))));
  return weights;
}

Choice all_experts(int experts) {
  Choice all(static_cast<size_t>(experts));
  std::iota(all.begin(), all.end(), uint16_t{0});
  return all;
}

/// Fisher-Yates.
Choice shuffled_experts(int experts, Draw& random) {
  Choice order = all_experts(experts);
  for (size_t i = order.size() - 1; i > 0; --i)
    std::swap(order[i], order[random.below(static_cast<uint32_t>(i + 1))]);
  return order;
}

std::vector<Choice> draw_layer(const Routing& routing, const RoutingShape& shape, Draw random) {
  const Urn urn = routing.kind == Routing::Kind::zipf ? Urn(shuffled_experts(shape.experts, random),
                                                            zipf_weights(shape.experts, routing.parameter))
                                                      : Urn(all_experts(shape.experts));
  std::vector<Choice> choices;
  Choice choice;
  std::vector<bool> chosen(static_cast<size_t>(shape.experts));
  for (int token = 0; token < shape.tokens; ++token) {
    if (routing.kind == Routing::Kind::sticky) {
      std::erase_if(choice, [&](uint16_t /*expert*/) { return random.unit() >= routing.parameter; });
    } else {
      choice.clear();
    }
    fill(urn, shape.top_k, random, choice, chosen);
    choices.push_back(choice);
    std::sort(choices.back().begin(), choices.back().end());
  }
  return choices;
}

/// Parses one line of a trace file. `where` begins its messages.
Choice parse_choice(const std::string& line, const RoutingShape& shape, const std::string& where) {
  std::istringstream words(line);
  Choice choice;
  std::string word;
  while (words >> word) {
    int id = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc{} || end != word.data() + word.size() || id < 0 || id >= shape.experts)
      throw Error(ExitCode::invalid_input, fmt::format("{}: '{}' is no expert; give ids from 0 to {}", where,
                                                       word, shape.experts - 1));
    if (holds(choice, static_cast<uint16_t>(id)))
      throw Error(ExitCode::invalid_input, fmt::format("{}: expert {} stands twice", where, id));
    choice.push_back(static_cast<uint16_t>(id));
  }
  if (choice.size() != static_cast<size_t>(shape.top_k))
    throw Error(ExitCode::invalid_input, fmt::format("{}: {} experts, but each token visits {} in a layer",
                                                     where, choice.size(), shape.top_k));
  std::sort(choice.begin(), choice.end());
  return choice;
}

}  // namespace

Routing parse_routing(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (text == "none") return {Routing::Kind::none, 0, ""};
  if (text == "uniform") return {Routing::Kind::uniform, 0, ""};
  if (name == "zipf") return {Routing::Kind::zipf, parse_parameter(rest, text, 0.01, 10), ""};
  if (name == "sticky") return {Routing::Kind::sticky, parse_parameter(rest, text, 0, 1), ""};
  if (name == "file" && !rest.empty()) return {Routing::Kind::file, 0, std::string(rest)};
  throw Error(ExitCode::usage,
              fmt::format("no routing '{}': give none, uniform, zipf:S, sticky:RHO or file:PATH", text));
}

std::string routing_text(const Routing& routing) {
  switch (routing.kind) {
    case Routing::Kind::none:
      break;
    case Routing::Kind::uniform:
      return "uniform";
    case Routing::Kind::zipf:
      return fmt::format("zipf:{}", routing.parameter);
    case Routing::Kind::sticky:
      return fmt::format("sticky:{}", routing.parameter);
    case Routing::Kind::file:
      harness::check_user_file(routing.path);
      return "file:" + harness::sha256_file_hex(routing.path);
  }
  return "none";
}

RoutingTrace::RoutingTrace(const RoutingShape& shape, std::vector<uint16_t> ids)
    : shape_(shape), ids_(std::move(ids)) {
  check(shape);
  const auto rows = static_cast<size_t>(shape.tokens) * static_cast<size_t>(shape.layers);
  const auto k = static_cast<size_t>(shape.top_k);
  bool good = ids_.size() == rows * k;
  for (size_t i = 0; good && i < ids_.size(); ++i)
    good = ids_[i] < shape.experts && (i % k == 0 || ids_[i - 1] < ids_[i]);
  if (!good) throw Error(ExitCode::invalid_input, "routing: the trace's experts are not those of its shape");
}

std::span<const uint16_t> RoutingTrace::at(int token, int layer) const {
  const auto k = static_cast<size_t>(shape_.top_k);
  const auto row =
      static_cast<size_t>(token) * static_cast<size_t>(shape_.layers) + static_cast<size_t>(layer);
  return {ids_.data() + row * k, k};
}

RoutingTrace make_trace(const Routing& routing, const RoutingShape& shape, uint64_t seed) {
  if (routing.kind == Routing::Kind::none)
    throw Error(ExitCode::usage, "routing none leaves the choice to the model's router: there is no trace");
  if (routing.kind == Routing::Kind::file) return read_trace(routing.path, shape);
  check(shape);
  std::vector<std::vector<Choice>> layers;
  layers.reserve(static_cast<size_t>(shape.layers));
  for (int layer = 0; layer < shape.layers; ++layer)
    layers.push_back(draw_layer(routing, shape, Draw(seed, layer)));
  std::vector<uint16_t> ids;
  for (size_t token = 0; token < static_cast<size_t>(shape.tokens); ++token) {
    for (const auto& layer : layers) ids.insert(ids.end(), layer[token].begin(), layer[token].end());
  }
  return {shape, std::move(ids)};
}

RoutingTrace read_trace(const std::string& path, const RoutingShape& shape) {
  check(shape);
  std::ifstream file(path);
  if (!file) throw Error(ExitCode::invalid_input, fmt::format("{}: cannot be read", path));
  const auto rows = static_cast<size_t>(shape.tokens) * static_cast<size_t>(shape.layers);
  std::vector<uint16_t> ids;
  std::string line;
  size_t read = 0;
  for (int number = 1; read < rows && std::getline(file, line); ++number) {
    const size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    const Choice choice = parse_choice(line, shape, fmt::format("{}:{}", path, number));
    ids.insert(ids.end(), choice.begin(), choice.end());
    ++read;
  }
  if (read < rows)
    throw Error(ExitCode::invalid_input,
                fmt::format("{}: {} lines of experts; {} tokens in {} layers need {}", path, read,
                            shape.tokens, shape.layers, rows));
  return {shape, std::move(ids)};
}

}  // namespace models
