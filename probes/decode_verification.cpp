#include "probes/decode_verification.hpp"

#include "harness/eviction_evidence.hpp"

namespace probes {

void verify_eviction(const PassSetup& setup, const std::function<void()>& evict, EvictionCheck* check,
                     harness::Counters& counters) {
  if (check == nullptr) return;
  const auto decode_a_token = [&] {
    setup.decoder.reset();
    setup.decoder.step(setup.prompt.front());
  };
  check->run(decode_a_token, evict, counters);
}

void add_evidence(harness::Series& series, const EvictionCheck& check) {
  for (const auto& [name, value] : check.params()) series.params[name] = value;
  const auto verdict = harness::judge_eviction(check.evidence());
  if (!check.laps_agree()) {
    series.status = harness::Status::failed;
    series.reason = "wrong checksum: two laps over the weights read different data";
  } else if (harness::available(verdict) && !std::get<harness::EvictionVerdict>(verdict).evicted) {
    series.status = harness::Status::failed;
    series.reason = "not_evicted: " + std::get<harness::EvictionVerdict>(verdict).why;
  }
}

}  // namespace probes
