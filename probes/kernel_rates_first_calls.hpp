// What the first call of each kernel costs when a stream has pushed its code and vectors out of the caches.
#pragma once
#include <vector>

#include "models/kernels/kernels.hpp"
#include "models/token_work.hpp"
#include "probes/probe.hpp"

namespace probes {

/// Times one short call of each of `uses`, in their order, after a stream (stream_eviction.hpp), and again
/// with code, vectors and addresses warm and the data flushed. The param `levels` names the kernels; of each
/// there are two lists of samples, first and again, a call each. Unavailable without the memory or where user
/// code cannot flush.
harness::Series measure_first_calls(const ProbeContext& context, const models::Kernels& kernels,
                                    const std::vector<models::KernelUse>& uses);

}  // namespace probes
