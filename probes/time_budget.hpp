// Sharing a limited time among probes, and within a probe among its sizes. The clock alone is asked.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/clock.hpp"
#include "harness/submission.hpp"
#include "probes/variant.hpp"

namespace probes {

/// Something to do, and how long it is guessed to take.
struct TimedStep {
  double seconds = 0;
  bool thins = false;  ///< whether it can leave out sizes to end in time
  bool extra = false;  ///< a further series of a probe whose main one is another step: gives way first
};

/// Shares the time until `end_ns` among steps that are begun in their order, each once: all that are not
/// extra come first. Guesses are corrected by the pace of the steps that were taken in full.
class TimeBudget {
 public:
  /// `end_ns` 0: there is no limit.
  TimeBudget(const harness::Clock& clock, int64_t end_ns, std::vector<TimedStep> steps);

  /// Returns when the next step must end (0: no limit), or nullopt when it is to be skipped: a step that
  /// cannot thin does not fit into what is left, with a tenth to spare, or less than a quarter of one that
  /// can. Later steps that cannot thin are left their time, as long as that takes no more than 60 % of what
  /// there is; the last of them give way first. Extra steps are left what the others do not need.
  std::optional<int64_t> begin();
  /// Tells that the step begun last has ended, and whether it left something out.
  void end(bool thinned);

 private:
  [[nodiscard]] double pace() const;
  [[nodiscard]] double reserved_s(double left_s) const;

  harness::Clock clock_;
  int64_t end_ns_, begun_ns_ = 0;
  std::vector<TimedStep> steps_;
  size_t next_ = 0;
  double taken_s_ = 0, guessed_s_ = 0;  ///< of steps taken in full
};

/// Returns whether the time of a probe that cannot thin is over (context.end_ns of probe.hpp): it then gives
/// up.
bool is_late(const harness::Clock& clock, int64_t end_ns);

/// Decides size by size whether there is time left for it, from the cost per size and the pace so far.
class SizeBudget {
 public:
  /// `end_ns` 0: there is time for everything. `costs` are relative.
  SizeBudget(const harness::Clock& clock, int64_t end_ns, std::vector<double> costs);
  /// Returns whether the size at `position` is expected to end in time, with a tenth to spare: what others do
  /// to the machine meanwhile is not known. The first one asked for always is.
  bool allows(size_t position);
  void took(size_t position) { done_cost_ += costs_[position]; }
  /// Tells that a size was begun and not ended in time: it counts as not allowed.
  void gave_up(size_t position) { skipped_.push_back(position); }
  /// Ascending positions of the sizes that were not allowed.
  [[nodiscard]] std::vector<size_t> skipped() const;

 private:
  harness::Clock clock_;
  int64_t start_ns_, end_ns_;
  std::vector<double> costs_;
  double done_cost_ = 0;
  std::vector<size_t> skipped_;
};

/// Returns the positions 0 … n − 1 so that whatever is left out at the end leaves a curve that covers all:
/// first and last, then every eighth, fourth, second, all; shuffled among those of one step by the seed.
std::vector<size_t> coarse_first_positions(size_t n, uint64_t seed);

/// Takes sizes out of a curve as if they had never been asked for: marks of disturbed samples follow. Writes
/// the params budget_skipped_sizes and budget_ns. `samples` is the number per size.
void drop_sizes(harness::Series& series, const std::vector<size_t>& positions, int samples,
                int64_t budget_ns);

/// Returns the series of a probe for which the budget left no time: unavailable, with the reason.
harness::Series skipped_series(const std::string& probe, int64_t budget_ns);
bool is_skipped(const harness::Series& series);
/// Writes what a skipped series would have differed in from the main one of its probe.
void tell_variant(harness::Series& series, const Variant& variant);

/// Returns how many sizes the budget cost a series.
int64_t skipped_sizes(const harness::Series& series);

}  // namespace probes
