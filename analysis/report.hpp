// What a run found, in words. Everything said stands in the submission's derived part.
#pragma once
#include <string>
#include <vector>

#include "harness/submission.hpp"

namespace analysis {

/// Returns one sentence about the first model with a warm speed: its tokens/s, what each other arm did to it
/// with the interval, how it compares with other ISAs, how far the curve forecast was off; or that nothing
/// was decoded. A second sentence says so when the A/A control failed (nothing is proven) or there were too
/// few launches to have one.
std::string one_sentence(const harness::Submission& submission);

/// Returns one sentence per plan whose slow-downs were split, such as "M on ISA: evict_read costs 4 % [2–6]:
/// core sharing 3 %, bandwidth 1 %, eviction none shown (at most 1 %); flushing all weights costs 2.1×
/// [2.0–2.2]." Where the antagonist runs on another core, what spinning costs is named after the core's clock
/// as it was measured, or after all that it may be; so is traffic that also evicts an L2 that both share.
std::vector<std::string> slowdown_sentences(const harness::Submission& submission);

/// Returns one sentence per model, ISA and routing of which ecm said, for warm tokens, from which last-level
/// cache on all experts are served alike: that size, what this machine's cache holds, and the share of the
/// experts' bytes that it expects there.
std::vector<std::string> expert_sentences(const std::vector<harness::Forecast>& forecasts);

}  // namespace analysis
