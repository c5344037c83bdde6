#include "harness/cli/ingest_keeper.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/plausibility_samples.hpp"
#include "harness/cli/session.hpp"
#include "harness/digest.hpp"
#include "harness/user_file.hpp"

namespace cli {

using harness::ExitCode;

void Keeper::keep(std::vector<Taken>& batch) {
  for (Taken& taken : batch) {
    if (taken.outcome.state == "stored") look_for_copies(taken);
    if (taken.outcome.state == "stored") wait(taken);
    if (taken.outcome.state != "quarantined") continue;
    harness::write_file_atomically(
        fmt::format("{}/quarantine/{}.json", harness::tokroof_home(), taken.outcome.content_sha256),
        taken.document->text + "\n");
  }
  store_waiting();
}

/// Rule P09 on what the store holds. What waits is stored first when it may be the original.
void Keeper::look_for_copies(Taken& taken) {
  const harness::Submission& submission = taken.document->content.submission;
  const std::vector<int64_t>& prints = taken.document->content.fingerprints;
  if (std::any_of(prints.begin(), prints.end(), [&](int64_t each) { return prints_.count(each) > 0; }))
    store_waiting();
  for (const std::string& text : store().alike(prints)) {
    const std::string pointer = analysis::copied_series(submission, harness::stored_submission(text));
    if (pointer.empty()) continue;
    taken.outcome.state = "quarantined";
    taken.outcome.code = ExitCode::implausible;
    taken.outcome.detail =
        fmt::format("P09 {}: its samples are those of the stored document {:.16} times one factor", pointer,
                    harness::sha256_hex(text));
    return;
  }
  prints_.insert(prints.begin(), prints.end());
}

void Keeper::wait(Taken& taken) {
  waiting_.push_back(&taken);
  documents_.push_back(std::move(*taken.document));
}

void Keeper::store_waiting() {
  if (documents_.empty()) return;
  const std::vector<harness::Stored> stored = store().add_all(documents_);
  for (size_t i = 0; i < stored.size(); ++i) {
    if (stored[i].already_there) waiting_[i]->outcome.state = "already_there";
    waiting_[i]->outcome.author = stored[i].author;
  }
  documents_.clear();
  waiting_.clear();
  prints_.clear();
}

harness::Store& Keeper::store() {
  if (!store_) store_.emplace(store_path(path_));
  return *store_;
}

}  // namespace cli
