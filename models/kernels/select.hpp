// Chooses the kernel table that this CPU runs.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "harness/cpu_features.hpp"
#include "models/kernels/kernels.hpp"

namespace models {

/// All tables compiled into this binary, in the order of models/CMakeLists.txt: scalar first, widest last.
std::span<const Kernels* const> kernel_tables();

/// Names a CPU feature that the table needs and the CPU lacks; "" when the CPU runs it.
std::string missing_feature(const Kernels& table, const harness::CpuFeatures& features);

/// Returns the last table that the CPU runs, or the one named `forced` unless that is empty. Pure.
/// Throws Error(usage) for a name that no table has, with the nearest one, and Error(unavailable) for a table
/// that needs a feature the CPU lacks, naming it.
const Kernels& select_kernels(std::span<const Kernels* const> tables, const harness::CpuFeatures& features,
                              std::string_view forced);

}  // namespace models
