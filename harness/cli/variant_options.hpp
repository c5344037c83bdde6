// The options that choose among the series of a probe: the same for `probe` and for the launch it starts.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/command.hpp"
#include "probes/variant.hpp"

namespace cli {

/// Adds --operation, --pages, --window, --pool and --threads, which write into `choice`.
void add_variant_options(CLI::App& command, const std::shared_ptr<probes::VariantChoice>& choice);

/// Returns the same options as arguments.
std::vector<std::string> variant_arguments(const probes::VariantChoice& choice);

}  // namespace cli
