#include "analysis/claim_quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "harness/error.hpp"

namespace analysis {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw harness::Error(harness::ExitCode::invalid_input, message);
}

/// Reads a quantity from left to right.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Quantity whole() {
    Quantity quantity = any(0);
    skip_blanks();
    if (at_ != text_.size()) fail("nothing more");
    return quantity;
  }

 private:
  static constexpr int max_depth = 8;

  Quantity any(int depth) {
    if (depth > max_depth) fail("fewer ratios inside each other");
    Quantity quantity;
    quantity.name = word("a name");
    if (quantity.name == "ratio") {
      expect('(');
      quantity.operands.push_back(any(depth + 1));
      expect(',');
      quantity.operands.push_back(any(depth + 1));
      expect(')');
    } else if (next_is('[')) {
      keys(quantity);
    }
    return quantity;
  }

  void keys(Quantity& quantity) {
    do {
      ++at_;  // over [ or ,
      const std::string key = word("a key");
      expect('=');
      if (!quantity.keys.emplace(key, value()).second) fail("each key once; '" + key + "' is there twice");
    } while (next_is(','));
    expect(']');
  }

  std::string word(const char* expected) {
    skip_blanks();
    const size_t from = at_;
    while (at_ < text_.size() &&
           (std::islower(static_cast<unsigned char>(text_[at_])) != 0 ||
            std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    if (at_ == from) fail(expected);
    return std::string(text_.substr(from, at_ - from));
  }

  std::string value() {
    skip_blanks();
    const size_t from = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  std::string_view("_.:").find(text_[at_]) != std::string_view::npos))
      ++at_;
    if (at_ == from) fail("a value");
    return std::string(text_.substr(from, at_ - from));
  }

  bool next_is(char wanted) {
    skip_blanks();
    return at_ < text_.size() && text_[at_] == wanted;
  }
  void expect(char wanted) {
    if (!next_is(wanted)) fail(fmt::format("'{}'", wanted));
    ++at_;
  }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  [[noreturn]] void fail(const std::string& expected) const {
    refuse(fmt::format("quantity '{}': expected {} at character {}", text_, expected, at_ + 1));
  }

  std::string_view text_;
  size_t at_ = 0;
};

/// The value of a key of a claim's plan as selectors write it.
std::string plan_value(const ClaimPlan& plan, const std::string& key) {
  if (key == "plan") return plan.name;
  if (key == "model") return plan.model;
  if (key == "isa") return plan.isa;
  if (key == "arithmetic") return plan.arithmetic;
  if (key == "routing") return plan.routing;
  if (key == "threads") return plan.threads == 0 ? "all" : std::to_string(plan.threads);
  if (key == "pages") return plan.pages;
  if (key == "placement") return plan.placement.empty() ? "nearest" : plan.placement;
  refuse(
      fmt::format("'{}' is no key of a decode term: plan, mode, model, isa, arithmetic, routing, threads, "
                  "pages, placement, positions",
                  key));
}

const std::string& required_key(const Quantity& term, const std::string& key) {
  const auto found = term.keys.find(key);
  if (found == term.keys.end()) refuse(fmt::format("{}: lacks {}=", term.name, key));
  return found->second;
}

void only_keys(const Quantity& term, const std::vector<std::string>& known) {
  for (const auto& [key, value] : term.keys) {
    if (std::find(known.begin(), known.end(), key) == known.end())
      refuse(fmt::format("{}: '{}' is no key of it; it knows {}", term.name, key, fmt::join(known, ", ")));
  }
}

void one_of(const Quantity& term, const std::string& key, const std::vector<std::string>& known) {
  const std::string& value = required_key(term, key);
  if (std::find(known.begin(), known.end(), value) == known.end())
    refuse(fmt::format("{}: {}={} is none of {}", term.name, key, value, fmt::join(known, ", ")));
}

void needs(const std::vector<std::string>& taken, const std::string& wanted, const char* where) {
  if (std::find(taken.begin(), taken.end(), wanted) == taken.end())
    refuse(fmt::format("it needs {} in \"{}\", which the claim does not take", wanted, where));
}

void check_decode_term(const Quantity& term, const Claim& claim) {
  const ClaimPlan& plan = claim.plans[plan_of_term(term, claim)];
  const auto positions = term.keys.find("positions");
  if (positions == term.keys.end()) return;
  const Positions asked = positions_of(positions->second);
  if (plan.positions.empty()) return;
  const Positions timed = positions_of(plan.positions);
  if (asked.first < timed.first || asked.last > timed.last)
    refuse(fmt::format("{}: positions {} are not all among the plan's {}", term.name, positions->second,
                       plan.positions));
}

}  // namespace

Quantity parse_quantity(std::string_view text) {
  return Parser(text).whole();
}

TermKind kind_of(const Quantity& term) {
  if (term.name == "tokens_per_s" || term.name == "weight_bytes_per_s") return TermKind::decode;
  if (term.name == "read_bytes_per_s" || term.name == "load_latency_ns") return TermKind::probe;
  if (term.name == "fidelity") return TermKind::fidelity;
  if (term.name == "cpu_share") return TermKind::catalogue;
  refuse(
      fmt::format("'{}' is no quantity: ratio(a, b), tokens_per_s, weight_bytes_per_s, read_bytes_per_s, "
                  "load_latency_ns, fidelity, cpu_share",
                  term.name));
}

std::vector<const Quantity*> terms_of(const Quantity& quantity) {
  if (quantity.operands.empty()) return {&quantity};
  std::vector<const Quantity*> terms;
  for (const Quantity& operand : quantity.operands) {
    const auto below = terms_of(operand);
    terms.insert(terms.end(), below.begin(), below.end());
  }
  return terms;
}

size_t plan_of_term(const Quantity& term, const Claim& claim) {
  std::vector<size_t> matching;
  for (size_t i = 0; i < claim.plans.size(); ++i) {
    const bool matches = std::all_of(term.keys.begin(), term.keys.end(), [&](const auto& key) {
      return key.first == "mode" || key.first == "positions" ||
             plan_value(claim.plans[i], key.first) == key.second;
    });
    if (matches) matching.push_back(i);
  }
  if (matching.size() != 1)
    refuse(fmt::format("{}: means {} of the claim's plans, not one; name it with plan=", term.name,
                       matching.size()));
  const ClaimPlan& plan = claim.plans[matching[0]];
  const std::string& mode = required_key(term, "mode");
  if (mode == "aa" || std::find(plan.arms.begin(), plan.arms.end(), mode) == plan.arms.end())
    refuse(fmt::format("{}: plan {} has no arm {} to compare", term.name, plan.name, mode));
  return matching[0];
}

std::string probe_of_term(const Quantity& term) {
  if (term.name == "load_latency_ns") return "load_latency";
  return required_key(term, "level") == "dram" ? "dram_stream" : "load_bandwidth";
}

void check_term(const Quantity& term, const Claim& claim) {
  switch (kind_of(term)) {
    case TermKind::decode:
      check_decode_term(term, claim);
      return;
    case TermKind::probe:
      only_keys(term, {"level"});
      one_of(term, "level", {"l1", "l2", "l3", "dram"});
      needs(claim.probes, probe_of_term(term), "probes");
      return;
    case TermKind::fidelity:
      only_keys(term, {"figure", "model"});
      one_of(term, "figure", fidelity_figures());
      needs(claim.fidelity, required_key(term, "model"), "fidelity");
      return;
    case TermKind::catalogue:
      only_keys(term, {"level", "bytes"});
      one_of(term, "level", {"l1", "l2", "l3"});
      const std::string& bytes = required_key(term, "bytes");
      if (bytes.empty() || bytes.size() > 15 ||
          !std::all_of(bytes.begin(), bytes.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
        refuse(fmt::format("cpu_share: bytes={} is no whole number of bytes", bytes));
      return;
  }
}

Positions positions_of(const std::string& text) {
  Positions positions;
  const size_t colon = text.find(':');
  const auto read = [&](size_t from, size_t to, int& value) {
    const auto result = std::from_chars(text.data() + from, text.data() + to, value);
    return from < to && result.ec == std::errc() && result.ptr == text.data() + to;
  };
  if (colon == std::string::npos || !read(0, colon, positions.first) ||
      !read(colon + 1, text.size(), positions.last) || positions.first < 0 ||
      positions.last < positions.first)
    refuse(fmt::format("positions '{}': expected FIRST:LAST, inclusive", text));
  return positions;
}

std::vector<std::string> fidelity_figures() {
  return {"clear_match_ratio", "rms_difference_sigmas", "perplexity_delta_ratio"};
}

}  // namespace analysis
