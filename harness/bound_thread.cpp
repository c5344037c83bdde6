#include "harness/bound_thread.hpp"

#include <exception>
#include <future>
#include <optional>
#include <utility>

#include "harness/error.hpp"
#include "harness/pinning.hpp"

namespace harness {

std::thread start_bound_thread(const Topology& topology, int pu_os_index, std::function<void()> work) {
  std::promise<void> bound;
  std::future<void> is_bound = bound.get_future();
  std::thread thread([&topology, pu_os_index, work = std::move(work), promise = std::move(bound)]() mutable {
    std::optional<Pin> pin;
    try {
      pin.emplace(topology, pu_os_index);
    } catch (const Error&) {
      promise.set_exception(std::current_exception());
      return;
    }
    promise.set_value();
    work();
  });
  try {
    is_bound.get();
  } catch (...) {
    thread.join();
    throw;
  }
  return thread;
}

}  // namespace harness
