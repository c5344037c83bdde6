#include "harness/buffer.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include "harness/cpu_features.hpp"
#include "harness/error.hpp"
#include "harness/statistics.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace harness {
namespace {

constexpr size_t huge_page_bytes = size_t{2} << 20;

size_t rounded_up(size_t bytes, size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

[[noreturn]] void throw_no_memory(size_t bytes, const std::string& reason) {
  throw Error(ExitCode::unavailable,
              fmt::format("cannot get {:.1f} MiB of memory to measure on ({}): free some, "
                          "or ask for smaller sizes",
                          static_cast<double>(bytes) / (1 << 20), reason));
}

/// Returns MemAvailable of /proc/meminfo, or SIZE_MAX when it is not told. Linux overcommits: without this
/// check a request beyond it would succeed, and the kernel would kill the process at the first touch.
size_t available_memory_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  size_t kib = 0;
  std::string rest;
  while (file >> key >> kib && std::getline(file, rest)) {
    if (key == "MemAvailable:") return kib * 1024;
  }
  return SIZE_MAX;
}

void fill_with_random_bytes(std::byte* data, size_t bytes, uint64_t seed) {
  SplitMix64 random(seed);
  size_t at = 0;
  for (; at + sizeof(uint64_t) <= bytes; at += sizeof(uint64_t)) {
    const uint64_t word = random.next();
    std::memcpy(data + at, &word, sizeof word);
  }
  const uint64_t last = random.next();
  std::memcpy(data + at, &last, bytes - at);
}

#if defined(__x86_64__)
__attribute__((target("clflushopt"))) void flush_lines_unordered(const char* first, const char* end,
                                                                 size_t line) {
  for (const char* at = first; at < end; at += line) _mm_clflushopt(const_cast<char*>(at));
}

void flush_lines(const char* first, const char* end, size_t line) {
  for (const char* at = first; at < end; at += line) _mm_clflush(at);
}
#endif

}  // namespace

Buffer::Buffer(size_t bytes, Pages pages, uint64_t seed) : bytes_(bytes) {
  const size_t usable_bytes = rounded_up(std::max<size_t>(bytes, 1), huge_page_bytes);
  if (bytes > SIZE_MAX / 4 || usable_bytes > available_memory_bytes()) {
    throw_no_memory(bytes, "more than /proc/meminfo calls available");
  }
  // An inaccessible page at either end keeps the kernel from merging this mapping with a neighbour, which
  // would make huge_bytes_granted count the neighbour's pages; it also turns an overrun into a fault.
  mapping_bytes_ = usable_bytes + 2 * huge_page_bytes;
  mapping_ = mmap(nullptr, mapping_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    throw_no_memory(bytes, std::strerror(errno));
  }
  const auto start = rounded_up(reinterpret_cast<uintptr_t>(mapping_) + 1, huge_page_bytes);
  data_ = reinterpret_cast<std::byte*>(start);
  if (mprotect(data_, usable_bytes, PROT_READ | PROT_WRITE) != 0) {
    const std::string reason = std::strerror(errno);
    munmap(mapping_, mapping_bytes_);
    throw_no_memory(bytes, reason);
  }
  // Advice may be refused (a kernel without transparent huge pages): what was granted is asked for
  // separately.
  madvise(data_, usable_bytes, pages == Pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  fill_with_random_bytes(data_, bytes_, seed);
}

Buffer::~Buffer() {
  if (mapping_ != nullptr) munmap(mapping_, mapping_bytes_);
}

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      mapping_(std::exchange(other.mapping_, nullptr)),
      mapping_bytes_(std::exchange(other.mapping_bytes_, 0)) {}

size_t Buffer::huge_bytes_granted() const {
  const auto first = reinterpret_cast<uintptr_t>(data_);
  const auto end = first + bytes_;
  std::ifstream file("/proc/self/smaps");
  size_t granted = 0;
  bool overlaps = false;
  for (std::string line; std::getline(file, line);) {
    unsigned long low = 0;
    unsigned long high = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &low, &high) == 2) overlaps = low < end && first < high;
    unsigned long kib = 0;
    if (overlaps && std::sscanf(line.c_str(), "AnonHugePages: %lu kB", &kib) == 1) granted += kib * 1024;
  }
  return std::min(granted, bytes_);  // the last huge page may reach beyond the buffer
}

bool flush_from_caches(const void* data, size_t bytes) {
#if defined(__x86_64__)
  static const CpuFeatures features = read_cpu_features();
  if (!features.clflush || features.clflush_line_bytes <= 0) return false;
  const auto line = static_cast<size_t>(features.clflush_line_bytes);
  const auto address = reinterpret_cast<uintptr_t>(data);
  const char* first = reinterpret_cast<const char*>(address / line * line);
  const char* end = static_cast<const char*>(data) + bytes;
  // clflushopt is ordered by fences only (Intel SDM vol. 2A, CLFLUSHOPT): nothing after may load before it is
  // done.
  _mm_mfence();
  (features.clflushopt ? flush_lines_unordered : flush_lines)(first, end, line);
  _mm_mfence();
  _mm_lfence();
  return true;
#else
  (void)data;
  (void)bytes;
  return false;
#endif
}

}  // namespace harness
