#include "models/kernels/select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "harness/error.hpp"
#include "harness/nearest_name.hpp"

namespace models {
namespace {

struct FeatureName {
  KernelFeature bit;
  bool harness::CpuFeatures::*present;
  const char* name;
};
constexpr FeatureName feature_names[] = {
    {feature_avx2, &harness::CpuFeatures::avx2, "avx2"},
    {feature_fma, &harness::CpuFeatures::fma, "fma"},
    {feature_f16c, &harness::CpuFeatures::f16c, "f16c"},
    {feature_avx_vnni, &harness::CpuFeatures::avx_vnni, "avx_vnni"},
    {feature_avx512f, &harness::CpuFeatures::avx512f, "avx512f"},
    {feature_avx512bw, &harness::CpuFeatures::avx512bw, "avx512bw"},
    {feature_avx512vl, &harness::CpuFeatures::avx512vl, "avx512vl"},
    {feature_avx512_vnni, &harness::CpuFeatures::avx512_vnni, "avx512_vnni"},
};

const Kernels& forced_table(std::span<const Kernels* const> tables, const harness::CpuFeatures& features,
                            std::string_view forced) {
  std::vector<std::string_view> names;
  for (const Kernels* table : tables) {
    names.emplace_back(table->isa);
    if (forced != table->isa) continue;
    std::string missing = missing_feature(*table, features);
    if (missing.empty()) return *table;
    throw harness::Error(
        harness::ExitCode::unavailable,
        fmt::format("ISA '{}' needs the CPU feature {}, which this CPU lacks", forced, missing));
  }
  throw harness::Error(harness::ExitCode::usage,
                       fmt::format("no ISA '{}'{}; this binary has {}", forced,
                                   harness::did_you_mean(forced, names), fmt::join(names, ", ")));
}

}  // namespace

std::string missing_feature(const Kernels& table, const harness::CpuFeatures& features) {
  for (const FeatureName& feature : feature_names) {
    if ((table.needs & feature.bit) != 0 && !(features.*feature.present)) return feature.name;
  }
  return "";
}

const Kernels& select_kernels(std::span<const Kernels* const> tables, const harness::CpuFeatures& features,
                              std::string_view forced) {
  if (!forced.empty()) return forced_table(tables, features, forced);
  for (auto table = tables.rbegin(); table != tables.rend(); ++table) {
    if (missing_feature(**table, features).empty()) return **table;
  }
  throw harness::Error(harness::ExitCode::internal, "no kernel table runs on this CPU, not even scalar");
}

}  // namespace models
