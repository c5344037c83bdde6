// Where `tokroof ingest` puts a document: into the store, or into quarantine beside it.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/error.hpp"
#include "harness/store.hpp"

namespace cli {

/// What became of one file.
struct Outcome {
  std::string file, state, content_sha256, detail;  ///< state: stored | already_there | quarantined | refused
  harness::ExitCode code = harness::ExitCode::ok;
  std::string level = {};  ///< evidence level, A to D; "" of what was refused
  std::string author = {};
  std::string signed_by = {};  ///< key number and SHA-256 of the key, "" when it is not signed
};

/// One file on its way: what has been found so far, and what is to be stored of it.
struct Taken {
  Outcome outcome;
  std::optional<harness::NewDocument> document = {};
};

/// Stores what passed in one transaction. What is implausible is kept beside the store, in quarantine/, so
/// that nothing that is shown or learnt from the store rests on it.
class Keeper {
 public:
  /// `database`: the store, "" for $TOKROOF_HOME/store.sqlite; it is opened when something is to be stored.
  explicit Keeper(std::string database) : path_(std::move(database)) {}

  /// Keeps a batch, and says in its outcomes what became of each. Throws Error(store) for a store that
  /// cannot be written.
  void keep(std::vector<Taken>& batch);

 private:
  void look_for_copies(Taken& taken);
  void wait(Taken& taken);
  void store_waiting();
  harness::Store& store();

  std::string path_;
  std::vector<harness::NewDocument> documents_;  ///< of the batch, not yet in the store
  std::vector<Taken*> waiting_;                  ///< where they come from
  std::set<int64_t> prints_;                     ///< their fingerprints
  std::optional<harness::Store> store_;
};

}  // namespace cli
