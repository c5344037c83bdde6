// One operation of the streams over arrays in a buffer, with its result verified.
#pragma once
#include <cstdint>
#include <string>

#include "harness/buffer.hpp"
#include "harness/streams/streams.hpp"

namespace probes {

/// What an operation does to each place of its arrays.
struct Operation {
  const char* name;
  int arrays;
  /// Bytes between the level that holds the arrays and the core's caches ÷ bytes that the program moves: a
  /// temporal store first reads the line that it overwrites (write-allocate).
  double traffic_ratio;
};

/// Finds "read", "store", "store_nt", "copy" or "triad". Throws Error(usage) for another name.
const Operation& find_operation(const std::string& name);

/// Returns the bytes of one array of a working set of `set_bytes`: a multiple of 512, 0 when the set is too
/// small.
int64_t array_bytes(const Operation& operation, int64_t set_bytes);

/// Returns the memory that the arrays of a set take. Each begins on a page: at other distances loads wait for
/// stores whose addresses end alike (Intel optimization manual, "4-Kbyte aliasing").
int64_t arrays_total_bytes(const Operation& operation, int64_t set_bytes);

/// Runs an operation on arrays at the start of a buffer, which it overwrites (but for "read").
class StreamWork {
 public:
  StreamWork(const harness::Streams& streams, const harness::Buffer& buffer, const Operation& operation)
      : streams_(streams), buffer_(buffer), operation_(operation) {}
  /// Lays the arrays out for a working set and fills those that are read. For
  /// "read" it chooses the loop that is faster there.
  void prepare(int64_t set_bytes);
  /// Makes one pass, then spoils some of what it stored: the passes that follow must mend it.
  void refresh();
  void run(int64_t passes);
  /// Returns whether the last run(passes) left in memory what it must. For "read" an odd number is needed.
  [[nodiscard]] bool is_right(int64_t passes) const;
  /// Returns whether prepare() found the prefetching read loop to be the faster one.
  [[nodiscard]] bool reads_ahead() const { return read_ != nullptr && read_ == streams_.read_ahead; }
  /// Returns the bytes that one pass loads and stores.
  [[nodiscard]] int64_t moved_bytes() const { return operation_.arrays * static_cast<int64_t>(bytes_); }

 private:
  [[nodiscard]] std::byte* array(int index) const;
  void spoil() const;

  const harness::Streams& streams_;
  const harness::Buffer& buffer_;
  const Operation& operation_;
  size_t bytes_ = 0;  ///< of one array
  harness::ReadLoop read_ = nullptr;
  uint64_t one_pass_ = 0, got_ = 0, stored_ = 0;
};

}  // namespace probes
