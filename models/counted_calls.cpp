#include "models/counted_calls.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

// glibc's own names for its allocator: to find it by dlsym would allocate.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

std::atomic<long> allocations{0}, locks{0};

/// Counts a lock and passes it on to the C library's function of that name.
template <class Lock>
int pass_on(const char* name, Lock* lock) {
  locks.fetch_add(1, std::memory_order_relaxed);
  return reinterpret_cast<int (*)(Lock*)>(dlsym(RTLD_NEXT, name))(lock);
}

}  // namespace

models::CallCounts models::counted_calls() {
  return {allocations.load(std::memory_order_relaxed), locks.load(std::memory_order_relaxed)};
}

extern "C" {

void* malloc(size_t bytes) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(bytes);
}

void* calloc(size_t count, size_t bytes) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, bytes);
}

void* realloc(void* block, size_t bytes) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(block, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, bytes);
}

void* memalign(size_t alignment, size_t bytes) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, bytes);
}

int posix_memalign(void** block, size_t alignment, size_t bytes) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  *block = __libc_memalign(alignment, bytes);
  return *block == nullptr ? ENOMEM : 0;
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  return pass_on("pthread_mutex_lock", mutex);
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  return pass_on("pthread_mutex_trylock", mutex);
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  return pass_on("pthread_rwlock_rdlock", lock);
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  return pass_on("pthread_rwlock_wrlock", lock);
}

}  // extern "C"
