#include "probes/paged_buffer.hpp"

#include <fmt/format.h>

#include <utility>

namespace probes {
namespace {

/// A few small pages at the end of a mapping do not make its translations small.
constexpr double huge_share = 0.9;

}  // namespace

harness::Reading<harness::Buffer> take_buffer(int64_t bytes, const std::string& pages, uint64_t seed) {
  if (pages != "any" && pages != "huge" && pages != "small")
    throw harness::Error(harness::ExitCode::usage, fmt::format("pages '{}': want huge or small", pages));
  harness::Buffer buffer(static_cast<size_t>(bytes),
                         pages == "small" ? harness::Pages::small : harness::Pages::huge, seed);
  const size_t granted = buffer.huge_bytes_granted();
  if (pages == "huge" && static_cast<double>(granted) < huge_share * static_cast<double>(bytes)) {
    return harness::Unavailable{
        fmt::format("huge pages back {} of {} bytes (see "
                    "/sys/kernel/mm/transparent_hugepage/enabled)",
                    granted, bytes)};
  }
  if (pages == "small" && granted > 0) {
    return harness::Unavailable{
        fmt::format("small pages were asked for, and huge ones back {} of {} bytes", granted, bytes)};
  }
  return harness::Reading<harness::Buffer>(std::in_place_type<harness::Buffer>, std::move(buffer));
}

void record_pages(harness::Series& series, const harness::Buffer& buffer, const std::string& pages) {
  series.params["pages"] = std::string(pages == "small" ? "small" : "huge");
  series.params["buffer_bytes"] = static_cast<int64_t>(buffer.bytes());
  series.params["huge_bytes_granted"] = static_cast<int64_t>(buffer.huge_bytes_granted());
}

}  // namespace probes
