#include "harness/cli/cache_tables.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "harness/residency.hpp"

namespace cli {
namespace {

constexpr int64_t mib = 1 << 20;

harness::Series recorded_eviction() {
  harness::Series series;
  series.probe = "eviction";
  series.work_unit = "bytes";
  series.params = harness::calibration_params({150, 128, 0, 64, 0});
  series.params.merge(std::map<std::string, harness::Param>{{"warm_lap_ns", int64_t{18'000}},
                                                            {"warm_lap_low_ns", int64_t{17'500}},
                                                            {"warm_lap_high_ns", int64_t{19'000}},
                                                            {"flushed_lap_ns", int64_t{48'000}},
                                                            {"flushed_lap_low_ns", int64_t{47'000}},
                                                            {"flushed_lap_high_ns", int64_t{49'000}},
                                                            {"set_bytes", 2 * mib},
                                                            {"method", std::string("stream-read")},
                                                            {"cold_bytes", 512 * mib},
                                                            {"stream_0_ns", int64_t{1'400'000}},
                                                            {"stream_1_ns", int64_t{25'000'000}},
                                                            {"lines_0", int64_t{160}},
                                                            {"resident_lines_0", int64_t{77}},
                                                            {"lines_1", int64_t{160}},
                                                            {"resident_lines_1", int64_t{0}}});
  series.sizes_bytes = {64 * mib, 512 * mib};
  series.work_per_sample = {2 * mib, 2 * mib};
  series.samples_by_size = {{48'100, 48'000, 48'200}, {53'000, 52'000, 54'000}};
  return series;
}

/// Returns the line of a text that holds `part`.
std::string line_with(const std::string& text, const std::string& part) {
  const size_t at = text.find(part);
  if (at == std::string::npos) return "";
  const size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

TEST(eviction_text, shows_64_mib_as_not_cold_with_its_share_and_512_as_cold) {
  const std::string text = eviction_text(Terminal{}, {}, recorded_eviction());
  const std::string warm = line_with(text, " 64 MiB"), cold = line_with(text, " 512 MiB");
  EXPECT_NE(warm.find("48 % ["), std::string::npos) << text;
  EXPECT_NE(warm.find("100 %"), std::string::npos) << "its lap is that of a flushed one";
  EXPECT_NE(warm.find(" no"), std::string::npos) << text;
  EXPECT_NE(cold.find("0 % ["), std::string::npos) << text;
  EXPECT_NE(cold.find(" yes"), std::string::npos) << text;
  EXPECT_NE(cold.find("25.0"), std::string::npos) << text;
  EXPECT_NE(text.find("cold from 512 MiB on"), std::string::npos);
}

TEST(eviction_text, without_a_meter_says_that_the_lap_alone_tells) {
  auto series = recorded_eviction();
  series.params.erase("threshold_ticks");
  series.params["no_meter"] = std::string("the timer is too coarse");
  const std::string text = eviction_text(Terminal{}, {}, series);
  EXPECT_NE(line_with(text, " 512 MiB").find("by the lap alone"), std::string::npos) << text;
  EXPECT_NE(text.find("no meter: the timer is too coarse"), std::string::npos);
}

TEST(cache_tables, say_why_there_is_nothing) {
  harness::Series series;
  series.probe = "retention";
  series.status = harness::Status::unavailable;
  series.reason = "no cache is reported";
  for (const std::string& text : {eviction_text(Terminal{}, {}, series), residency_text(Terminal{}, series),
                                  retention_text(Terminal{}, {}, series, {})})
    EXPECT_NE(text.find("unavailable: no cache is reported"), std::string::npos) << text;
}

TEST(residency_text, shows_each_place_and_how_many_lines_were_called_right) {
  harness::Series series;
  series.probe = "residency";
  series.sizes_bytes = {512 << 10, 4 * mib};
  series.samples_by_size = {{52, 52, 78}, {312, 338, 364}};
  series.params = {{"places", std::string("l2 flushed")},     {"threshold_ticks", int64_t{156}},
                   {"timer", std::string("scripted")},        {"warm_set_lines", int64_t{128}},
                   {"warm_set_resident_lines", int64_t{127}}, {"flushed_set_lines", int64_t{128}},
                   {"flushed_set_resident_lines", int64_t{1}}};
  const std::string text = residency_text(Terminal{}, series);
  EXPECT_NE(line_with(text, "l2 ").find("52"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "flushed  ").find("338"), std::string::npos) << text;
  EXPECT_NE(text.find("156 ticks"), std::string::npos);
  EXPECT_NE(text.find("127 were called cached"), std::string::npos);
}

TEST(retention_text, shows_a_rate_and_a_share_per_delay_and_a_bound_as_a_bound) {
  harness::Series series;
  series.probe = "retention";
  series.params = harness::calibration_params({150, 128, 0, 64, 0});
  series.params["delays"] = int64_t{2};
  series.params["level_0"] = std::string("l3");
  series.params["delay_1_ns"] = int64_t{10'000'000};
  series.params["lines_0"] = series.params["lines_1"] = int64_t{160};
  series.params["resident_lines_0"] = int64_t{160};
  series.params["resident_lines_1"] = int64_t{80};
  series.sizes_bytes = series.work_per_sample = {16'000'000, 16'000'000};
  series.samples_by_size = {{500'000}, {1'000'000}};
  harness::RetentionEstimate found;
  found.level = "l3";
  found.half_life_ns = harness::Unavailable{"longer than 10.0 ms"};
  found.longer_than_ns = 10e6;
  found.method = "lines";
  const std::string text = retention_text(Terminal{}, {}, series, {found});
  EXPECT_NE(line_with(text, "10.0").find("16.0"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "10.0").find("50 % ["), std::string::npos) << text;
  EXPECT_NE(text.find("> 10.0"), std::string::npos) << text;
}

}  // namespace
}  // namespace cli
