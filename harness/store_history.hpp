// Every decode figure of a store with what it is judged against over time: roofs, logits, machine and build.
// Read from the projections, never from the texts.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/store.hpp"
#include "harness/submission.hpp"

namespace harness {

/// A document that decoded.
struct Sitting {
  int64_t document = 0;
  std::string created_utc, machine_key, cpu_model, vendor, suite_version, git_commit, compiler;
  std::string author;     ///< who sent it; "" when nobody is known
  std::string uncounted;  ///< "" or why its forecasts do not count (harness/counted_run.hpp)
  bool git_dirty = false;
  int family = 0, model_number = 0;
  int64_t l2_bytes = 0, l3_bytes = 0;  ///< of one instance; 0: none
};

struct SittingFigure {
  size_t sitting = 0;  ///< index into SpeedHistory::sittings
  DecodeKey key;
  int64_t weight_bytes_per_token = 0;
  double tokens_per_s = 0, tokens_per_s_low = 0, tokens_per_s_high = 0, weight_bytes_per_s = 0;
  std::string kernel_version;
};

struct SittingRoof {
  size_t sitting = 0;
  std::string level;
  int threads = 1;
  double read_bytes_per_s = 0;
  int64_t page_bytes = 4096;
  std::string core_kind = "uniform";
};

struct SittingOutput {
  size_t sitting = 0;
  DecodeKey key;  ///< without core kind and positions: the logits do not depend on them
  std::string weights_seed, kernel_version;
  std::string golden;  ///< SHA-256 of the logits; "" when none were taken
  std::string wrong;   ///< why they are not the expected ones, "" when they are
};

struct SpeedHistory {
  std::vector<Sitting> sittings;  ///< in the order of their documents
  std::vector<SittingFigure> figures;
  std::vector<SittingRoof> roofs;
  std::vector<SittingOutput> outputs;
};

/// Which figures and outputs; "" for any. Sittings and roofs of all machines are there: the order of commits
/// is that of the whole store.
struct HistoryFilter {
  std::string model, isa, mode, machine_key_prefix;
};

/// Reads them all. Left out are A/A arms, figures that cannot be, and single tokens that only evict_stream is
/// compared with; figures of documents of kind failure, whose outputs are there.
SpeedHistory read_history(Store& store, const HistoryFilter& filter = {});

}  // namespace harness
