#include "harness/cli/learnt_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cli {
namespace {

std::string taught_by(const harness::ModelError& error) {
  if (error.submissions == 0) return "a prior, no stored run that counts decoded it yet";
  return fmt::format("learnt from {} stored run{} of {}", error.submissions,
                     error.submissions == 1 ? "" : "s",
                     error.machines == "this" ? "this machine" : "other machines");
}

}  // namespace

std::string learnt_text(const analysis::LearntErrors& learnt, const std::vector<std::string>& models) {
  constexpr const char* may_be_wrong = "ecm may be wrong by a factor of";
  if (models.size() == 1) {
    const harness::ModelError error = analysis::error_on(learnt, models.front());
    return fmt::format("{} {:.2f}: {}", may_be_wrong, error.spread_ratio, taught_by(error));
  }
  double least = 0, most = 0;
  size_t known = 0;
  for (const std::string& model : models) {
    const harness::ModelError error = analysis::error_on(learnt, model);
    least = least > 0 ? std::min(least, error.spread_ratio) : error.spread_ratio;
    most = std::max(most, error.spread_ratio);
    known += error.submissions > 0 ? 1 : 0;
  }
  if (known == 0)
    return fmt::format("{} {:.2f}: a prior, no stored run that counts decoded these models yet", may_be_wrong,
                       most);
  return fmt::format("{} {:.2f} to {:.2f}: learnt for {} of {} models from stored runs that decoded them",
                     may_be_wrong, least, most, known, models.size());
}

}  // namespace cli
