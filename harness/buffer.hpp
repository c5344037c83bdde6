// Memory to measure on, with its pages under control.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace harness {

enum class Pages { huge, small };  ///< huge: transparent huge pages requested; small: explicitly forbidden

/// Owns an anonymous mapping, touched and filled with random bytes (constant data inflates bandwidth where
/// memory is compressed). Aligned to 2 MiB. Throws Error(unavailable) when the memory is not to be had.
class Buffer {
 public:
  Buffer(size_t bytes, Pages pages, uint64_t seed = 1);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] size_t bytes() const { return bytes_; }
  /// Returns how much of it the kernel really backs with huge pages (AnonHugePages in /proc/self/smaps).
  [[nodiscard]] size_t huge_bytes_granted() const;

 private:
  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
  void* mapping_ = nullptr;
  size_t mapping_bytes_ = 0;
};

/// Evicts [data, data+bytes) from every cache level with clflushopt or clflush and fences.
/// Returns false when this CPU has no user-space flush (nothing was done).
bool flush_from_caches(const void* data, size_t bytes);

}  // namespace harness
