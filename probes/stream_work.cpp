#include "probes/stream_work.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cstring>

#include "harness/error.hpp"
#include "harness/statistics.hpp"
#include "harness/streams/faster_read.hpp"
#include "probes/working_sets.hpp"

namespace probes {
namespace {

constexpr Operation operations[] = {
    {"read", 1, 1.0}, {"store", 1, 2.0}, {"store_nt", 1, 1.0}, {"copy", 2, 3.0 / 2}, {"triad", 3, 4.0 / 3}};
constexpr int64_t page_bytes = 4096;
constexpr double triad_scale = 3;  // STREAM's
constexpr size_t spoiled_words = 64;

bool is(const Operation& operation, const char* name) {
  return std::strcmp(operation.name, name) == 0;
}

/// Turns random words into doubles of [1, 2): neither denormal nor NaN may slow arithmetic down.
void make_doubles(uint64_t* words, size_t count) {
  constexpr uint64_t exponent_of_one = uint64_t{0x3FF} << 52;
  for (size_t i = 0; i < count; ++i) words[i] = (words[i] >> 12) | exponent_of_one;
}

bool is_filled(const uint64_t* words, size_t count, uint64_t value) {
  uint64_t difference = 0;
  for (size_t i = 0; i < count; ++i) difference |= words[i] ^ value;
  return difference == 0;
}

bool is_triad(const double* a, const double* b, const double* c, size_t count) {
  bool right = true;
  for (size_t i = 0; i < count; ++i) right &= a[i] == b[i] + triad_scale * c[i];
  return right;
}

}  // namespace

const Operation& find_operation(const std::string& name) {
  for (const Operation& operation : operations) {
    if (operation.name == name) return operation;
  }
  throw harness::Error(
      harness::ExitCode::usage,
      fmt::format("unknown operation '{}': want read, store, store_nt, copy or triad", name));
}

int64_t array_bytes(const Operation& operation, int64_t set_bytes) {
  return set_bytes / operation.arrays / size_quantum_bytes * size_quantum_bytes;
}

int64_t arrays_total_bytes(const Operation& operation, int64_t set_bytes) {
  const int64_t stride = (array_bytes(operation, set_bytes) + page_bytes - 1) / page_bytes * page_bytes;
  return operation.arrays * stride;
}

std::byte* StreamWork::array(int index) const {
  const size_t stride = (bytes_ + page_bytes - 1) / page_bytes * page_bytes;
  assert((static_cast<size_t>(index) + 1) * stride <= buffer_.bytes() || index == 0);
  return buffer_.data() + static_cast<size_t>(index) * stride;
}

void StreamWork::prepare(int64_t set_bytes) {
  bytes_ = static_cast<size_t>(array_bytes(operation_, set_bytes));
  // The plain stream says what the data is: a faulty wide one must not confirm itself.
  if (is(operation_, "read")) {
    one_pass_ = harness::streams_tables().front().read(array(0), bytes_, 1);
    read_ = harness::faster_read(streams_, array(0), bytes_);
  }
  if (is(operation_, "triad")) {
    make_doubles(reinterpret_cast<uint64_t*>(array(1)), bytes_ / sizeof(double));
    make_doubles(reinterpret_cast<uint64_t*>(array(2)), bytes_ / sizeof(double));
  }
}

void StreamWork::spoil() const {
  auto* const words = reinterpret_cast<uint64_t*>(array(0));
  harness::SplitMix64 random(stored_ + 1);
  for (size_t i = 0; i < spoiled_words; ++i) words[random.below(bytes_ / sizeof(uint64_t))] = random.next();
}

void StreamWork::refresh() {
  run(1);
  if (!is(operation_, "read")) spoil();
}

void StreamWork::run(int64_t passes) {
  if (is(operation_, "read")) {
    got_ = read_(array(0), bytes_, passes);
  } else if (is(operation_, "copy")) {
    streams_.copy(array(0), array(1), bytes_, passes);
  } else if (is(operation_, "triad")) {
    streams_.triad(reinterpret_cast<double*>(array(0)), reinterpret_cast<const double*>(array(1)),
                   reinterpret_cast<const double*>(array(2)), bytes_, triad_scale, passes);
  } else {
    stored_ += 0x9E3779B97F4A7C15ULL;  // another word for every run
    (is(operation_, "store") ? streams_.store : streams_.store_nt)(array(0), bytes_, passes, stored_);
  }
}

bool StreamWork::is_right(int64_t passes) const {
  if (is(operation_, "read")) return passes % 2 == 1 && got_ == one_pass_;
  if (is(operation_, "copy")) return std::memcmp(array(0), array(1), bytes_) == 0;
  if (is(operation_, "triad")) {
    return is_triad(reinterpret_cast<const double*>(array(0)), reinterpret_cast<const double*>(array(1)),
                    reinterpret_cast<const double*>(array(2)), bytes_ / sizeof(double));
  }
  return is_filled(reinterpret_cast<const uint64_t*>(array(0)), bytes_ / sizeof(uint64_t),
                   stored_ + static_cast<uint64_t>(passes) - 1);
}

}  // namespace probes
