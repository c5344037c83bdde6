#include "analysis/plausibility_forecasts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/forecast.hpp"
#include "analysis/learnt_error.hpp"
#include "models/shape.hpp"

namespace analysis {

using harness::Forecast;
using harness::Interval;
using harness::Submission;

namespace {

bool same(double a, double b) {
  return std::abs(a - b) <= 1e-6 * std::max(a, b);
}

std::string other_speed(const Forecast& own, const Forecast& stated) {
  if (own.tokens_per_s.index() != stated.tokens_per_s.index()) return "the probes give another answer";
  const auto* interval = std::get_if<Interval>(&own.tokens_per_s);
  if (interval == nullptr) return "";
  const auto& given = std::get<Interval>(stated.tokens_per_s);
  if (same(interval->median, given.median) && same(interval->low, given.low) &&
      same(interval->high, given.high))
    return "";
  return fmt::format("stated {} [{}, {}], the probes give {} [{}, {}]", given.median, given.low, given.high,
                     interval->median, interval->low, interval->high);
}

/// What is said of experts may be left out, but not be another.
std::string other_experts(const Forecast& own, const Forecast& stated) {
  if (!stated.experts) return "";
  if (own.experts && own.experts->constant_from_bytes == stated.experts->constant_from_bytes &&
      own.experts->last_cache_bytes == stated.experts->last_cache_bytes &&
      std::abs(own.experts->hit_ratio - stated.experts->hit_ratio) <= 1e-6)
    return "";
  return "experts are not what the probes give";
}

/// Makes the forecasts of a document again: all of one decode at once, since each of its forecasts asks.
class Remade {
 public:
  explicit Remade(const Submission& submission) : submission_(&submission) {}

  const std::vector<Forecast>& of(const models::Shape& shape, const harness::DecodeKey& key,
                                  const harness::ModelError& error) {
    for (const Made& made : made_) {
      if (made.key == key && made.error == error) return made.forecasts;
    }
    return made_.emplace_back(Made{key, error, make_forecasts(*submission_, shape, key, error)}).forecasts;
  }

 private:
  struct Made {
    harness::DecodeKey key;
    harness::ModelError error;
    std::vector<Forecast> forecasts;
  };
  const Submission* submission_;
  std::vector<Made> made_;
};

/// Returns what is wrong with a forecast, or "".
std::string misforecast(const Forecast& stated, Remade& remade, const harness::ForecastRecord* stored) {
  const models::Shape* shape = models::known_shape(stated.key.model);
  if (shape == nullptr) return "";
  const harness::ModelError error = stated.model_error.value_or(model_error());
  for (const Forecast& own : remade.of(*shape, stated.key, error)) {
    if (own.id != stated.id) continue;
    if (own.version != stated.version) return "";  // another version's arithmetic
    if (own.inputs_sha256 != stated.inputs_sha256) return "inputs_sha256 is not that of these probes";
    std::string wrong = stated.model_error ? misstated(error, stated.key.model, stored) : "";
    if (wrong.empty()) wrong = other_speed(own, stated);
    return wrong.empty() ? other_experts(own, stated) : wrong;
  }
  return fmt::format("no forecast of that name is made for mode {}", stated.key.mode);
}

}  // namespace

void check_forecasts(const Submission& submission, const harness::ForecastRecord* stored,
                     std::vector<Finding>& findings) {
  int64_t first_decode_ns = std::numeric_limits<int64_t>::max();
  for (const harness::Launch& launch : submission.launches) {
    if (launch.purpose == "decode") first_decode_ns = std::min(first_decode_ns, launch.start_ns);
  }
  Remade remade(submission);
  for (size_t i = 0; i < submission.forecasts.size(); ++i) {
    const Forecast& forecast = submission.forecasts[i];
    const std::string wrong = misforecast(forecast, remade, stored);
    if (!wrong.empty()) {
      findings.push_back(
          {"R08", Severity::reject, fmt::format("/forecasts/{}", i), forecast.id + ": " + wrong});
    }
    if (forecast.made_ns >= first_decode_ns) {
      findings.push_back({"R09", Severity::reject, fmt::format("/forecasts/{}/made_ns", i),
                          fmt::format("{} was made at {} ns, the first decode began at {} ns", forecast.id,
                                      forecast.made_ns, first_decode_ns)});
    }
  }
}

}  // namespace analysis
