#include "harness/cli/decode_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "harness/error.hpp"
#include "models/tensors.hpp"
#include "probes/memory_budget.hpp"

namespace cli {

int64_t decode_bytes(const models::Shape& shape) {
  int64_t largest = 0;
  for (const models::Tensor& tensor : models::tensors(shape))
    largest = std::max(largest, int64_t{tensor.rows} * tensor.cols);
  // Packed with up to 3 % of padding; beside it f1, f2 and both stacked, or one matrix, a byte per code.
  const int64_t held = models::cost(shape).working_set_bytes;
  return held + held * 3 / 100 + 4 * largest;
}

void check_decode_memory(const models::Shape& shape, int64_t available_bytes) {
  const int64_t wanted_bytes = decode_bytes(shape);
  if (wanted_bytes <= available_bytes) return;
  constexpr double mib = 1 << 20;
  throw harness::Error(
      harness::ExitCode::unavailable,
      fmt::format(
          "{} takes {:.0f} MiB of memory, {:.0f} MiB are available: free some, or take a smaller model",
          shape.name, static_cast<double>(wanted_bytes) / mib, static_cast<double>(available_bytes) / mib));
}

int64_t available_memory_bytes() {
  // The budget is a quarter of what is available, unless it stands at its own limit: then more is there than
  // it tells.
  const int64_t budget = probes::memory_budget_bytes();
  return budget < probes::max_buffer_bytes ? 4 * budget : std::numeric_limits<int64_t>::max();
}

}  // namespace cli
