// The subcommands of `tokroof models` that read or write files.
#pragma once
#include "harness/cli/command.hpp"

namespace cli {

/// `tokroof models add FILE`: a model of the user's own.
void add_models_add(CLI::App& models, Invocation& invocation);
/// `tokroof models export NAME FILE`: synthetic weights in the published format.
void add_models_export(CLI::App& models, Invocation& invocation);

}  // namespace cli
