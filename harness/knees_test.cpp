#include "harness/knees.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "harness/cache_model.hpp"

namespace harness {
namespace {

constexpr int64_t kib = 1024, mib = 1024 * kib;
constexpr ModelNoise usual_noise{0.04, 0.01, 0.1};
const int seeded_cases = 200;

std::string reason(const SampledCurve& curve, Quantity quantity = Quantity::per_second) {
  const auto found = find_knees(curve, quantity);
  const auto* why = std::get_if<Unavailable>(&found);
  return why ? why->reason : "an edge was found";
}

std::vector<Knee> knees_of(const SampledCurve& curve, Quantity quantity = Quantity::per_second) {
  const auto found = find_knees(curve, quantity);
  return available(found) ? std::get<std::vector<Knee>>(found) : std::vector<Knee>{};
}

std::string text_of(const std::vector<Knee>& knees) {
  std::string text;
  for (const Knee& knee : knees) {
    text += fmt::format("{:.0f} KiB [{:.1f}, {:.1f}] x{:.2f} found {:.2f}; ", knee.edge_bytes.median / 1024,
                        knee.edge_bytes.low / 1024, knee.edge_bytes.high / 1024, knee.slowdown_ratio,
                        knee.found_ratio);
  }
  return text;
}

bool holds(const std::vector<Knee>& knees, int64_t bytes) {
  for (const Knee& knee : knees) {
    const auto size = static_cast<double>(bytes);
    if (knee.edge_bytes.low <= size && size <= knee.edge_bytes.high) return true;
  }
  return false;
}

struct Counted {
  int right = 0;      ///< all edges inside an interval each, and no edge too many
  double width = 0;   ///< median high ÷ low of the intervals
  std::string wrong;  ///< the first case that was not right
};

Counted count_right(const ModelMachine& machine, const ModelNoise& noise, int64_t largest) {
  const auto sizes = model_sizes(largest);
  const auto times = model_ns_per_byte(machine, sizes);
  Counted counted;
  std::vector<double> widths;
  for (int seed = 0; seed < seeded_cases; ++seed) {
    const auto knees = knees_of(noisy_rates(sizes, times, noise, static_cast<uint64_t>(seed) + 1));
    bool right = knees.size() == machine.caches.size();
    for (const ModelCache& cache : machine.caches) right = right && holds(knees, cache.bytes);
    for (const Knee& knee : knees) widths.push_back(knee.edge_bytes.high / knee.edge_bytes.low);
    counted.right += right;
    if (!right && counted.wrong.empty()) counted.wrong = fmt::format("seed {}: {}", seed, text_of(knees));
  }
  counted.width = widths.empty() ? 0 : median(widths);
  return counted;
}

void expect_right(const ModelMachine& machine, int64_t largest, double width,
                  const ModelNoise& noise = usual_noise) {
  const Counted counted = count_right(machine, noise, largest);
  EXPECT_GE(counted.right, seeded_cases * 95 / 100) << counted.wrong;
  EXPECT_LE(counted.width, width);
}

const ModelCache l1{48 * kib, 12, 64, Replacement::least_recent};
const ModelCache l2{1280 * kib, 20, 512, Replacement::least_recent};
const ModelCache l2_random{1280 * kib, 0, 512, Replacement::random};
const ModelCache l3{24 * mib, 12, 16 * kib, Replacement::least_recent};
const ModelCache l3_random{24 * mib, 12, 16 * kib, Replacement::random};
const ModelCache memory_side{128 * mib, 16, 64 * kib, Replacement::least_recent};

/// Times of a step at 48 KiB, `ratio` high, in a curve without noise.
std::vector<double> step_times(const std::vector<int64_t>& sizes, double ratio) {
  std::vector<double> times;
  for (int64_t size : sizes) times.push_back(size <= 48 * kib ? 1 : ratio);
  return times;
}

/// Replaces the last `slow` of the five samples of the size at `index`.
void slow_down(SampledCurve& curve, size_t index, int slow, double ratio) {
  auto& samples = curve.values_by_size[index];
  for (int i = 0; i < slow; ++i) samples[samples.size() - 1 - static_cast<size_t>(i)] /= ratio;
}

size_t last_inside(const std::vector<int64_t>& sizes) {
  return static_cast<size_t>(std::upper_bound(sizes.begin(), sizes.end(), 48 * kib) - sizes.begin()) - 1;
}

TEST(knees, finds_three_caches_of_least_recent_use) {
  expect_right({{l1, l2, l3}, {0.002, 0.005, 0.01, 0.05}}, 96 * mib, 2.9);
}

TEST(knees, finds_caches_of_random_replacement) {
  expect_right({{l1, l2_random}, {0.002, 0.005, 0.02}}, 64 * mib, 8);
}

TEST(knees, finds_two_caches_where_there_is_no_third) {
  expect_right({{l1, l2}, {0.002, 0.007, 0.07}}, 64 * mib, 2.9);
}

TEST(knees, finds_a_last_level_of_random_replacement_in_sets) {
  expect_right({{l1, l2, l3_random}, {0.002, 0.005, 0.01, 0.05}}, 96 * mib, 4);
}

TEST(knees, finds_a_memory_side_cache_behind_three_levels) {
  expect_right({{l1, l2, l3, memory_side}, {0.002, 0.005, 0.012, 0.035, 0.1}}, 512 * mib, 2.9);
}

TEST(knees, finds_three_caches_on_a_busy_machine) {
  expect_right({{l1, l2, l3}, {0.002, 0.005, 0.01, 0.05}}, 96 * mib, 4, {0.06, 0.02, 0.3});
}

TEST(knees, finds_one_cache) {
  expect_right({{l3}, {0.01, 0.05}}, 96 * mib, 2.9);
}

TEST(knees, finds_caches_of_any_size_between_measured_ones) {
  SplitMix64 random(99);
  int right = 0;
  std::string wrong;
  const auto sizes = model_sizes(4 * mib);
  for (int i = 0; i < seeded_cases; ++i) {
    ModelCache cache{static_cast<int64_t>(uint64_t{32} * 64 * (8 + random.below(120))), 0, 512,
                     i % 2 == 0 ? Replacement::least_recent : Replacement::random};
    cache.bytes = cache.bytes / 512 * 512;
    const auto times = model_ns_per_byte({{cache}, {0.005, 0.02}}, sizes);
    const auto knees = knees_of(noisy_rates(sizes, times, usual_noise, random.next()));
    const bool good = knees.size() == 1 && holds(knees, cache.bytes);
    right += good;
    if (!good) wrong += fmt::format("{} KiB: {}\n", static_cast<double>(cache.bytes) / 1024, text_of(knees));
  }
  EXPECT_GE(right, seeded_cases * 95 / 100) << wrong;
}

TEST(knees, times_rise_where_rates_fall) {
  const auto sizes = model_sizes(64 * mib);
  const auto rates =
      noisy_rates(sizes, model_ns_per_byte({{l1, l2}, {0.002, 0.007, 0.07}}, sizes), usual_noise, 4);
  SampledCurve times = rates;
  for (auto& values : times.values_by_size)
    for (double& value : values) value = 1 / value;
  const auto from_rates = knees_of(rates), from_times = knees_of(times, Quantity::ns_per_unit);
  ASSERT_EQ(from_rates.size(), 2u);
  ASSERT_EQ(from_times.size(), 2u);
  EXPECT_NEAR(from_rates[1].edge_bytes.median, from_times[1].edge_bytes.median, 1e-3);
  EXPECT_NEAR(from_rates[1].slowdown_ratio, 10, 0.5);
  EXPECT_EQ(reason(times), "the curve becomes faster with size");
}

TEST(knees, sharp_edge_lies_between_two_neighbouring_sizes) {
  const auto sizes = model_sizes(mib);
  const auto knees = knees_of(noisy_rates(sizes, step_times(sizes, 3), {}, 1));
  ASSERT_EQ(knees.size(), 1u);
  EXPECT_NEAR(knees[0].edge_bytes.low, 46'592, 1);   // 45.5 KiB, the last inside
  EXPECT_NEAR(knees[0].edge_bytes.high, 55'296, 1);  // 54 KiB, the first outside
  EXPECT_NEAR(knees[0].edge_bytes.median, std::sqrt(46'592.0 * 55'296.0), 1);
  EXPECT_NEAR(knees[0].slowdown_ratio, 3, 1e-9);
  EXPECT_DOUBLE_EQ(knees[0].found_ratio, 1);
}

TEST(knees, interval_holds_the_edges_of_95_percent_of_resampled_curves) {
  const auto sizes = model_sizes(mib);
  const size_t inside = last_inside(sizes);
  const auto low_with = [&](int slow) {
    auto curve = noisy_rates(sizes, step_times(sizes, 3), {}, 1);
    slow_down(curve, inside, slow, 3);
    const auto knees = knees_of(curve);
    return knees.size() == 1 ? knees[0].edge_bytes.low : 0;
  };
  // Of five samples drawn, the second fastest is slow in 9 % of draws when two of five are, in 0.7 % when one
  // is.
  EXPECT_EQ(low_with(2), static_cast<double>(sizes[inside - 1]));
  EXPECT_EQ(low_with(1), static_cast<double>(sizes[inside]));
  // Of nine drawn from eight slow ones and a fast one, the third fastest is fast in 7 %: the edge lies
  // farther out.
  auto curve = noisy_rates(sizes, step_times(sizes, 3), {}, 1, 9);
  curve.values_by_size[inside + 1].front() *= 3;
  const auto knees = knees_of(curve);
  ASSERT_EQ(knees.size(), 1u);
  EXPECT_EQ(knees[0].edge_bytes.high, static_cast<double>(sizes[inside + 2]));
}

TEST(knees, samples_that_were_disturbed_do_not_move_an_edge) {
  const auto sizes = model_sizes(mib);
  auto rates = noisy_rates(sizes, step_times(sizes, 3), {}, 1);
  for (size_t i = 0; i <= last_inside(sizes); ++i) slow_down(rates, i, 3, 1.5);
  SampledCurve times = rates;
  for (auto& values : times.values_by_size)
    for (double& value : values) value = 1 / value;
  for (const auto& knees : {knees_of(rates), knees_of(times, Quantity::ns_per_unit)}) {
    ASSERT_EQ(knees.size(), 1u);
    EXPECT_NEAR(knees[0].slowdown_ratio, 3, 1e-9);
  }
}
TEST(knees, same_curve_gives_the_same_answer) {
  const auto sizes = model_sizes(8 * mib);
  const auto curve = noisy_rates(sizes, model_ns_per_byte({{l1}, {1, 3}}, sizes), usual_noise, 12);
  EXPECT_EQ(text_of(knees_of(curve)), text_of(knees_of(curve)));
  EXPECT_FALSE(knees_of(curve).empty());
}

TEST(knees, flat_curve_cannot_tell) {
  const auto sizes = model_sizes(64 * mib);
  const std::vector<double> times(sizes.size(), 0.01);
  EXPECT_EQ(reason(noisy_rates(sizes, times, {}, 1)), "the curve is flat");
  for (uint64_t seed = 0; seed < seeded_cases; ++seed)
    EXPECT_NE(reason(noisy_rates(sizes, times, usual_noise, seed)), "an edge was found") << seed;
}

TEST(knees, creeping_curve_cannot_tell) {
  const auto sizes = model_sizes(64 * mib);
  std::vector<double> times;
  for (size_t i = 0; i < sizes.size(); ++i) times.push_back(std::exp2(static_cast<double>(i) / 40));
  EXPECT_EQ(reason(noisy_rates(sizes, times, {}, 1)), "the curve has no step between two levels");
}

TEST(knees, curve_that_becomes_faster_with_size_cannot_tell) {
  const auto sizes = model_sizes(64 * mib);
  auto times = model_ns_per_byte({{l1, l2}, {0.002, 0.007, 0.07}}, sizes);
  std::reverse(times.begin(), times.end());
  for (uint64_t seed = 0; seed < seeded_cases; ++seed)
    EXPECT_EQ(reason(noisy_rates(sizes, times, usual_noise, seed)), "the curve becomes faster with size");
}

TEST(knees, curve_that_ends_on_the_slope_tells_of_no_edge_there) {
  const auto sizes = model_sizes(28 * mib);  // 24 MiB of L3 is lost and memory not yet seen
  const auto times = model_ns_per_byte({{l1, l3}, {0.002, 0.01, 0.05}}, sizes);
  int invented = 0;
  for (uint64_t seed = 0; seed < seeded_cases; ++seed) {
    for (const Knee& knee : knees_of(noisy_rates(sizes, times, usual_noise, seed)))
      invented += knee.edge_bytes.median > static_cast<double>(mib);
  }
  EXPECT_LE(invented, seeded_cases * 5 / 100);
}

TEST(knees, noise_as_large_as_the_step_cannot_tell) {
  const auto sizes = model_sizes(64 * mib);
  const std::vector<double> flat(sizes.size(), 0.01);
  auto step = flat;
  for (size_t i = step.size() / 2; i < step.size(); ++i) step[i] *= 1.5;
  EXPECT_EQ(reason(noisy_rates(sizes, step, {}, 1)), "an edge was found");
  int invented = 0;
  for (uint64_t seed = 0; seed < seeded_cases; ++seed) {
    invented += available(find_knees(noisy_rates(sizes, flat, {0.5, 0, 0}, seed), Quantity::per_second));
    invented += available(find_knees(noisy_rates(sizes, flat, {0.1, 0.3, 0}, seed), Quantity::per_second));
    EXPECT_NE(reason(noisy_rates(sizes, step, {0.1, 0.4, 0}, seed)), "an edge was found") << seed;
  }
  EXPECT_LE(invented, 2 * seeded_cases / 100);
}

TEST(knees, too_few_sizes_or_samples_cannot_tell) {
  const std::vector<int64_t> two{4096, mib};
  EXPECT_EQ(reason(noisy_rates(two, {1, 5}, {}, 1)), "2 sizes are too few: 8 at least");
  const auto sizes = model_sizes(64 * mib);
  const auto times = model_ns_per_byte({{l1}, {1, 3}}, sizes);
  EXPECT_EQ(reason(noisy_rates(sizes, times, {}, 1, 2)), "2 samples of a size are too few: 3 at least");
  EXPECT_EQ(reason(noisy_rates(sizes, times, {}, 1, 3)), "an edge was found");
  EXPECT_EQ(reason(noisy_rates(sizes, times, {}, 1, 5000)), "more than 200000 samples");
}

/// Reads "bytes work ns ns …" lines.
SampledCurve recorded(const std::string& name, Quantity quantity) {
  std::ifstream file("harness/testdata/curves/" + name);
  std::vector<int64_t> sizes, work;
  std::vector<std::vector<int64_t>> samples;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    sizes.emplace_back();
    work.emplace_back();
    samples.emplace_back();
    words >> sizes.back() >> work.back();
    for (int64_t ns = 0; words >> ns;) samples.back().push_back(ns);
  }
  return std::get<SampledCurve>(sampled_curve(sizes, work, samples, quantity));
}

TEST(knees, edges_of_a_real_machine_lie_inside_their_intervals) {
  for (const char* name :
       {"zen5_vm_load_bandwidth.txt", "zen5_vm_quick_load_bandwidth.txt", "zen5_vm_busy_load_bandwidth.txt",
        "zen5_vm_load_latency.txt", "zen5_vm_quick_load_latency.txt", "zen5_vm_0815_load_bandwidth.txt",
        "zen5_vm_0815_load_latency.txt", "zen5_vm_0855_load_bandwidth.txt", "zen5_vm_0855_load_latency.txt",
        "zen5_vm_0903_load_bandwidth.txt", "zen5_vm_0903_load_latency.txt"}) {
    const auto quantity =
        std::string(name).find("latency") == std::string::npos ? Quantity::per_second : Quantity::ns_per_unit;
    const auto knees = knees_of(recorded(name, quantity), quantity);
    SCOPED_TRACE(std::string(name) + ": " + text_of(knees));
    ASSERT_GE(knees.size(), 2u);
    EXPECT_TRUE(holds({knees[0]}, 48 * kib));
    EXPECT_LE(knees[0].edge_bytes.high / knees[0].edge_bytes.low, 1.5);  // sharp: neighbours at 2 per octave
    EXPECT_TRUE(holds({knees[1]}, mib));
    // Shared with others, its stream has no bottom at 128 MiB; the chase does.
    if (quantity == Quantity::ns_per_unit) {
      ASSERT_EQ(knees.size(), 3u);
      EXPECT_TRUE(holds({knees[2]}, 32 * mib));
    }
  }
}

}  // namespace
}  // namespace harness
