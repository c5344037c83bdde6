#include "harness/cli/forecast_table.hpp"

#include <gtest/gtest.h>

namespace cli {
namespace {

harness::Forecast forecast(const std::string& id) {
  harness::Forecast made;
  made.id = id;
  made.key.mode = "warm";
  made.tokens_per_s = harness::Interval{100, 90, 110};
  return made;
}

Terminal wide() {
  Terminal terminal;
  terminal.columns = 1000;
  return terminal;
}

TEST(forecast_table, says_which_intervals_are_meant_to_hold_90_percent) {
  harness::Submission submission;
  submission.forecasts = {forecast("dram_roof"), forecast("curve"), forecast("ecm"), forecast("dram_roof")};
  const std::string text = forecasts_text(wide(), submission);
  EXPECT_EQ(text.find("tok/s [90 %]"), std::string::npos);
  EXPECT_NE(text.find("inside the interval of ecm\n"), std::string::npos) << text;
  EXPECT_NE(text.find("dram_roof, curve: the interval is how far the reads scatter"), std::string::npos)
      << text;
}

TEST(forecast_table, claims_nothing_for_forecasts_that_are_not_there) {
  harness::Submission submission;
  submission.forecasts = {forecast("ecm")};
  submission.forecasts[0].tokens_per_s = harness::Unavailable{"no probes"};
  const std::string text = forecasts_text(wide(), submission);
  EXPECT_EQ(text.find("90 %"), std::string::npos) << text;
  EXPECT_EQ(text.find("naive"), std::string::npos) << text;
  EXPECT_NE(text.find("no probes"), std::string::npos) << text;
}

}  // namespace
}  // namespace cli
