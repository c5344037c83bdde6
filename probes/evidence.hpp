// What disturbed the samples of a series, as the document keeps it.
#pragma once
#include "harness/disturbance.hpp"
#include "harness/submission.hpp"

namespace probes {

/// Adds what happened during one sample to the series, and marks sample `index` with every reason that
/// harness::disturbance_reasons gives. Use it with a harness::DisturbanceWatch around the sample.
/// Only marks the sample: where one measurement is a sample of several sizes, whose totals count once.
void mark_disturbance(harness::Series& series, int index, const harness::Disturbance& during);
void record_disturbance(harness::Series& series, int index, const harness::Disturbance& during);

/// Adds up totals; of the core's clock the lowest and the highest look are kept.
void add_totals(harness::Totals& totals, const harness::Totals& more);
void add_totals(harness::Totals& totals, const harness::Disturbance& during);

}  // namespace probes
