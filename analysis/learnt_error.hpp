// How far ecm's argument may be wrong: a prior, and what stored runs other than the one to come tell. Pure.
#pragma once
#include <string>
#include <vector>

#include "harness/store_forecasts.hpp"
#include "harness/submission.hpp"

namespace analysis {

/// The width of ecm's own error where no stored submission tells of it: a standard deviation of 10 % on
/// logarithms, held to be worth four submissions.
inline constexpr double prior_log_error = 0.10;
inline constexpr int prior_submissions = 4;
/// Older runs are left out: what is learnt must follow the forecast, and the document must name each.
inline constexpr size_t most_learnt = 20;

/// Returns the model error from runs, each with the root mean square e of its ln(measured ÷ forecast):
/// s² = (4 · 0.10² + Σ e²) ÷ (4 + n), spread_ratio = exp(t(0.95; 4 + n) · s). Without runs it is the prior.
harness::ModelError model_error(const std::vector<harness::LearntFrom>& runs = {},
                                const std::string& machines = "");

/// Learns how far ecm is off on a model from the newest 20 stored runs that count and decoded it, in whatever
/// modes, with the present version or one whose points were the same: those of this machine where there are
/// any, else of all machines. A model that none decoded has the prior: ecm is not off alike on all of them.
/// `but_not`: the content hash of the document that is to be forecast, "" when it is not stored.
harness::ModelError learn_model_error(const harness::ForecastRecord& record, const std::string& model,
                                      const std::string& machine_key, const std::string& but_not = "");

/// What a store tells of ecm, before it is known which models are asked for.
struct LearntErrors {
  harness::ForecastRecord record = {};
  std::string machine_key = {}, but_not = {};
};
/// Returns learn_model_error() of it.
harness::ModelError error_on(const LearntErrors& learnt, const std::string& model);

/// Returns what is wrong with the stated error on a model, or "": the spread must follow from the runs that
/// it names, each once, and their number must be theirs. Runs that `stored` holds must have the error that is
/// stated.
std::string misstated(const harness::ModelError& stated, const std::string& model,
                      const harness::ForecastRecord* stored = nullptr);

}  // namespace analysis
