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

/// Adds experts, drawn by `draw_one`, until top_k different ones are chosen.
template <class DrawOne>
void fill(Choice& choice, int top_k, DrawOne draw_one) {
  while (choice.size() < static_cast<size_t>(top_k)) {
    const auto expert = static_cast<uint16_t>(draw_one());
    if (!holds(choice, expert)) choice.push_back(expert);
  }
}

/// Draws ranks with weights 1/rank^s from an integer distribution: each weight is rounded to a multiple of
/// 2^-24 of the first, which no library's pow changes.
class Zipf {
 public:
  Zipf(int experts, double s) : cumulative_(static_cast<size_t>(experts)) {
    uint64_t sum = 0;
    for (size_t i = 0; i < cumulative_.size(); ++i) {
      const double weight = std::pow(static_cast<double>(i + 1), -s);
      sum += std::max<uint64_t>(1, static_cast<uint64_t>(std::llround(weight * 0x1p24)));
      cumulative_[i] = sum;
    }
  }
  size_t draw(Draw& random) const {
    const uint64_t at = random.bits() % cumulative_.back();
    return static_cast<size_t>(std::upper_bound(cumulative_.begin(), cumulative_.end(), at) -
                               cumulative_.begin());
  }

 private:
  std::vector<uint64_t> cumulative_;
};

/// Fisher-Yates.
Choice shuffled_experts(int experts, Draw& random) {
  Choice order(static_cast<size_t>(experts));
  std::iota(order.begin(), order.end(), uint16_t{0});
  for (size_t i = order.size() - 1; i > 0; --i)
    std::swap(order[i], order[random.below(static_cast<uint32_t>(i + 1))]);
  return order;
}

std::vector<Choice> draw_layer(const Routing& routing, const RoutingShape& shape, Draw random) {
  const auto experts = static_cast<uint32_t>(shape.experts);
  const bool by_rank = routing.kind == Routing::Kind::zipf;
  const Choice of_rank = by_rank ? shuffled_experts(shape.experts, random) : Choice{};
  const Zipf zipf(shape.experts, by_rank ? routing.parameter : 1);
  std::vector<Choice> choices;
  Choice choice;
  for (int token = 0; token < shape.tokens; ++token) {
    if (routing.kind == Routing::Kind::sticky) {
      std::erase_if(choice, [&](uint16_t /*expert*/) { return random.unit() >= routing.parameter; });
    } else {
      choice.clear();
    }
    fill(choice, shape.top_k,
         [&]() -> uint32_t { return by_rank ? of_rank[zipf.draw(random)] : random.below(experts); });
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
